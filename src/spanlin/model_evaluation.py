"""What a model scores on a treebank file as its users run it: by its parser, of whatever kind the model is."""

from __future__ import annotations

import os
import time
from collections.abc import Callable

from spanlin.dependencies.conllu import read_conllu, write_conllu
from spanlin.errors import EvaluationError, TreeSyntaxError
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
from spanlin.evaluation.ud_model_score import DependencyModelScore, WordParse, score_model_dependencies
from spanlin.parsed import Parsed
from spanlin.parser import Parser
from spanlin.runtime.options import ParseOptions, TreeDecoder
from spanlin.trees.labelled import labelled_splits
from spanlin.trees.transforms import strip_root


def evaluate_parser_dependencies(
    parser: Parser, gold: PathLike, *, name: str = "", output: PathLike | None = None
) -> DependencyModelScore:
    """Return the score of a parser on the dependencies of a CoNLL-U file, for models that have them.

    The parser is given the gold words alone. `output` gets the predicted sentences, as CoNLL-U.
    """
    check_output(output)
    parser.check_dependencies()
    sentences = list(read_conllu(gold))
    if not sentences:
        raise EvaluationError(f"{os.fspath(gold)}: no sentences to score against")
    started = time.perf_counter()
    parsed = parser.parse_tokens([sentence.forms for sentence in sentences])
    seconds = time.perf_counter() - started
    found = score_model_dependencies(
        sentences,
        [_word_parses(one) for one in parsed],
        model=name or str(parser.folder.path),
        device=parser.backend.device,
        precision=parser.backend.precision,
        calibrated=parser.folder.dependencies_calibrated,
        seconds=seconds,
    )
    if output is not None:
        write_conllu(found.sentences, output)
    return found


def _word_parses(parsed: Parsed) -> list[WordParse]:
    found = parsed.dependencies
    assert found is not None
    columns = (found.heads, found.relations, found.universal_tags, parsed.tags, found.arc_probabilities)
    return [WordParse(*values) for values in zip(*columns, strict=True)]


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
