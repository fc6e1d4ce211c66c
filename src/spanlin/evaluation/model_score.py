"""What the trees of a model score against the gold ones of a file, however they were made."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, NamedTuple

from spanlin.errors import EvaluationError, TreeSyntaxError
from spanlin.evaluation.counts import ratio
from spanlin.evaluation.parameters import COLLINS, Parameters
from spanlin.evaluation.score import Score, score_trees
from spanlin.trees.brackets import read_trees, write_trees
from spanlin.trees.labelled import LabelledSplits, tree_from_splits
from spanlin.trees.transforms import ROOT_LABELS, strip_root
from spanlin.trees.tree import Tree

PathLike = str | os.PathLike[str]
TagSource = Literal["file", "predicted"]


class SentenceParse(NamedTuple):
    """The parse of a sentence, with whatever tags it was given; the tags of the model, if it gives any.

    Of a greedy decoder, `legal` says whether the boundaries were those of a tree.
    """

    splits: LabelledSplits
    tags: tuple[str, ...] | None
    legal: bool | None


@dataclass(frozen=True, kw_only=True)
class ModelScore:
    """The score of a model's trees, and other figures of the model.

    `trees` carry the predicted tags. `correct_tags`, of all `word_count` words, is None for a model without a tag
    head. `legal` is the number of sentences whose greedy boundaries were some tree's, which no tree can beat; None
    if the decoder does not go by them. `seconds` run from the words in memory to the labelled spans.
    """

    score: Score
    trees: tuple[Tree, ...]
    model: str
    decoder: str
    device: str
    precision: str
    word_count: int
    correct_tags: int | None
    legal: int | None
    seconds: float

    @property
    def tagging_accuracy(self) -> float | None:
        """The percentage of all words, punctuation too, to which the tag head gives the gold tag."""
        return None if self.correct_tags is None else ratio(100.0 * self.correct_tags, self.word_count)

    @property
    def sentences_per_second(self) -> float:
        """How fast the model parsed."""
        return len(self.trees) / max(self.seconds, 1e-9)

    def to_dict(self) -> dict[str, Any]:
        """Return the score's numbers, and those of the model under `model`."""
        about = {
            "path": self.model,
            "decoder": self.decoder,
            "device": self.device,
            "precision": self.precision,
            "words": self.word_count,
            "correct_tags": self.correct_tags,
            "tagging_accuracy": self.tagging_accuracy,
            "legal": self.legal,
            "seconds": self.seconds,
            "sentences_per_second": self.sentences_per_second,
        }
        return {**self.score.to_dict(), "model": about}

    def to_json(self) -> str:
        """Return all numbers as one JSON object; unknown ones are null."""
        return json.dumps(self.to_dict(), ensure_ascii=False, allow_nan=False, indent=2)

    def to_text(self) -> str:
        """Return the score's tables and the model's lines."""
        return f"{self.score.to_text()}\n\n{self.model_to_text()}"

    def model_to_text(self) -> str:
        """Return the figures that are not in the score, one per line; unknown ones are n/a."""
        accuracy = "n/a (no tag head)" if self.tagging_accuracy is None else f"{self.tagging_accuracy:.2f}"
        legal = "n/a (not greedy)" if self.legal is None else f"{self.legal} of {len(self.trees)}"
        rows = [
            ("Model", self.model),
            ("decoder", self.decoder),
            ("tagging accuracy, all words", accuracy),
            ("legal greedy sequences", legal),
            ("sentences/s", f"{self.sentences_per_second:.0f} ({self.device}, {self.precision})"),
        ]
        return "\n".join(f"{name:<29} {value}" for name, value in rows)


def read_gold(gold: PathLike, *, on_bad: Callable[[TreeSyntaxError], None] | None = None) -> list[Tree]:
    """Return the gold trees of a file; `on_bad` gets the malformed ones, which are left out."""
    trees = list(read_trees(gold, on_bad=on_bad))
    if not trees:
        raise EvaluationError(f"{os.fspath(gold)}: no trees to score against")
    return trees


def check_output(output: PathLike | None) -> None:
    """Raise an error now, not after an hour of parsing, if the folder of the output is not there."""
    if output is not None and not Path(output).parent.is_dir():
        raise EvaluationError(f"{os.fspath(output)}: its folder does not exist: create it first")


def score_model(
    gold: Sequence[Tree],
    parses: Sequence[SentenceParse],
    *,
    model: str,
    decoder: str,
    device: str,
    precision: str,
    seconds: float,
    tags: TagSource = "file",
    parameters: Parameters = COLLINS,
    output: PathLike | None = None,
) -> ModelScore:
    """Return the score of a model's parses of the gold trees' words.

    With `tags` from the file the trees that are scored carry the gold tags, by which EVALB drops punctuation, so that
    a tag can neither help nor harm; with predicted ones they carry the model's own, as an EVALB run over `output` would
    see them. `output` gets the trees with predicted tags, one per line.
    """
    pairs = list(zip(gold, parses, strict=True))
    trees = [_tree(tree, parse.splits if parse.tags is None else _tagged(parse, parse.tags)) for tree, parse in pairs]
    scored = trees if tags == "predicted" else [_tree(tree, _tagged(parse, tree.tags)) for tree, parse in pairs]
    score = score_trees(gold, scored, parameters=parameters)
    if output is not None:
        write_trees(trees, output)
    return ModelScore(
        score=score,
        trees=tuple(trees),
        model=model,
        decoder=decoder,
        device=device,
        precision=precision,
        word_count=sum(len(tree.words) for tree in gold),
        correct_tags=_count_correct_tags(pairs),
        legal=None if parses[0].legal is None else sum(parse.legal is True for parse in parses),
        seconds=seconds,
    )


def _tagged(parse: SentenceParse, tags: tuple[str, ...]) -> LabelledSplits:
    return parse.splits._replace(tags=tags)


def _tree(gold: Tree, splits: LabelledSplits) -> Tree:
    """Return a tree below the root labels that its gold tree has, since the network never sees those."""
    tree = tree_from_splits(splits)
    if tree.label in ROOT_LABELS:
        return tree
    roots: list[str] = []
    stripped = strip_root(gold)
    while gold is not stripped:
        roots.append(gold.label)
        child = gold.children[0]
        assert isinstance(child, Tree)
        gold = child
    for label in reversed(roots):
        tree = Tree(label, (tree,))
    return tree


def _count_correct_tags(pairs: Sequence[tuple[Tree, SentenceParse]]) -> int | None:
    count = 0
    for tree, parse in pairs:
        if parse.tags is None:
            return None
        count += sum(map(str.__eq__, parse.tags, tree.tags))
    return count
