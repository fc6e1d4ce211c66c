"""What a model scores on a treebank file as its users run it: by its parser, of whatever kind the model is."""

from __future__ import annotations

import time
from collections.abc import Callable

from spanlin.errors import TreeSyntaxError
from spanlin.evaluation.model_score import (
    ModelScore,
    PathLike,
    SentenceParse,
    TagSource,
    check_output,
    read_gold,
    score_model,
)
from spanlin.evaluation.parameters import COLLINS, Parameters
from spanlin.parsed import Parsed
from spanlin.parser import Parser
from spanlin.runtime.options import ParseOptions, TreeDecoder
from spanlin.trees.labelled import labelled_splits
from spanlin.trees.transforms import strip_root

_GREEDY: tuple[TreeDecoder, ...] = ("argmin", "largest")


def evaluate_parser(
    parser: Parser,
    gold: PathLike,
    *,
    name: str = "",
    decoder: TreeDecoder = "argmin",
    tags: TagSource = "file",
    parameters: Parameters = COLLINS,
    output: PathLike | None = None,
    on_bad: Callable[[TreeSyntaxError], None] | None = None,
) -> ModelScore:
    """Return the score of a parser on the trees of a file; `tags` and `output` are those of `score_model`.

    The parser is given the words alone. `name` is what the model is called in the report, by default its path.
    """
    check_output(output)
    trees = read_gold(gold, on_bad=on_bad)
    options = ParseOptions(decoder=decoder)
    started = time.perf_counter()
    parsed = parser.parse_tokens([tree.words for tree in trees], options)
    seconds = time.perf_counter() - started
    return score_model(
        trees,
        [_parse(found, is_greedy=decoder in _GREEDY) for found in parsed],
        model=name or str(parser.folder.path),
        decoder=decoder,
        device=parser.backend.device,
        precision=parser.backend.precision,
        seconds=seconds,
        tags=tags,
        parameters=parameters,
        output=output,
    )


def _parse(parsed: Parsed, *, is_greedy: bool) -> SentenceParse:
    splits = labelled_splits(strip_root(parsed.tree))
    # A greedy tree is certified if it has the most probable boundaries on every side.
    return SentenceParse(splits, splits.tags, parsed.certified if is_greedy else None)
