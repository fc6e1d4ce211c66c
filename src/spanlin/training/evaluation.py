"""What a checkpoint scores on a treebank file: it parses the words of the gold trees, and its trees are compared."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import torch

from spanlin.errors import CheckpointError, EvaluationError, TreeSyntaxError
from spanlin.evaluation.counts import ratio
from spanlin.evaluation.parameters import COLLINS, Parameters
from spanlin.evaluation.score import Score, score_trees
from spanlin.network.device import choose_device
from spanlin.training.checkpoint import Model, load_model
from spanlin.training.parsing import SentenceParse, parse_sentences, predict_tags
from spanlin.trees.brackets import read_trees, write_trees
from spanlin.trees.labelled import LabelledSplits, labelled_splits, tree_from_splits
from spanlin.trees.transforms import ROOT_LABELS, strip_root
from spanlin.trees.tree import Tree

PathLike = str | os.PathLike[str]
TagSource = Literal["file", "predicted"]
Precision = Literal["fp32", "bf16"]


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


def evaluate_model(
    model: Model | PathLike,
    gold: PathLike,
    *,
    decoder: str = "argmin",
    device: str = "",
    precision: Precision | None = None,
    tags: TagSource = "file",
    tagger: Model | PathLike | None = None,
    treebank: str = "",
    parameters: Parameters = COLLINS,
    output: PathLike | None = None,
    on_bad: Callable[[TreeSyntaxError], None] | None = None,
) -> ModelScore:
    """Return the score of a model, or of the one in a checkpoint folder, on the trees of a file.

    With `tags` from the file the trees that are scored carry the file's tags, by which EVALB drops punctuation, so
    that a tag can neither help nor harm; a model that reads tags is given those. With predicted ones nothing but the
    words is used: the trees carry the model's own tags, as an EVALB run over `output` would see them, and a model
    that reads tags gets them from the `tagger`, another checkpoint. `output` gets the predicted trees with predicted
    tags, one per line. `treebank` names the one whose annotation is wanted, for a model with treebank vectors.
    Without `precision`, a GPU computes in the model's own and a CPU in fp32.
    """
    _check_output(output)
    name = "in memory" if isinstance(model, Model) else os.fspath(model)
    where = choose_device(device)
    parser = _load(model, where)
    _check_tags(parser, name, tags, tagger)
    known = parser.vocabularies.treebanks.items
    if treebank and (not parser.config.network.treebank_vectors or treebank not in known):
        has_vectors = parser.config.network.treebank_vectors
        reason = f"it knows {', '.join(known)}" if has_vectors else "it was trained without treebank vectors"
        raise EvaluationError(f"{name}: no treebank {treebank!r}: {reason}")
    used = precision or (parser.config.precision if where.type == "cuda" else "fp32")
    gold_trees = list(read_trees(gold, on_bad=on_bad))
    if not gold_trees:
        raise EvaluationError(f"{os.fspath(gold)}: no trees to score against")
    sentences = [labelled_splits(strip_root(tree)) for tree in gold_trees]
    tagging_model = None if tagger is None else _load(tagger, where)

    started = time.perf_counter()
    given = sentences if tagging_model is None else _tagged(tagging_model, sentences, where, used)
    examples = parser.featurizer(given, has_tree=False, treebank=treebank)
    parses = parse_sentences(parser, examples, given, decoder=decoder, device=where, precision=used)
    seconds = time.perf_counter() - started

    trees = [
        _with_root_of(tree, tree_from_splits(parse.splits if parse.tags is None else _with_tags(parse, parse.tags)))
        for tree, parse in zip(gold_trees, parses, strict=True)
    ]
    scored = trees
    if tags == "file":
        scored = [
            _with_root_of(tree, tree_from_splits(_with_tags(parse, sentence.tags)))
            for tree, parse, sentence in zip(gold_trees, parses, sentences, strict=True)
        ]
    score = score_trees(gold_trees, scored, parameters=parameters)
    if output is not None:
        _write(trees, output)
    return ModelScore(
        score=score,
        trees=tuple(trees),
        model=name,
        decoder="cky" if parser.config.network.scorer.normalization == "span" else decoder,
        device=str(where),
        precision=used,
        word_count=sum(len(sentence.words) for sentence in sentences),
        correct_tags=_count_correct_tags(parses, sentences),
        legal=None if parses[0].legal is None else sum(parse.legal is True for parse in parses),
        seconds=seconds,
    )


def _load(model: Model | PathLike, device: torch.device) -> Model:
    loaded = model if isinstance(model, Model) else load_model(Path(model))
    loaded.network.to(device)
    return loaded


def _check_tags(model: Model, name: str, tags: TagSource, tagger: Model | PathLike | None) -> None:
    network = model.config.network
    reads_tags = network.input == "lexical" and network.lexical.tag_width > 0
    if tagger is not None and not reads_tags:
        raise CheckpointError(f"{name}: this model reads no tags (tag_width is 0): leave out the tagger")
    if tags == "predicted" and reads_tags and tagger is None:
        raise CheckpointError(f"{name}: this model reads tags: to parse without those of the file, give a tagger")
    if tags == "predicted" and not network.scorer.tag_head and tagger is None:
        raise CheckpointError(f"{name}: this model predicts no tags (tag_head is off): take those of the file")


def _tagged(
    tagger: Model, sentences: Sequence[LabelledSplits], device: torch.device, precision: str
) -> list[LabelledSplits]:
    found = predict_tags(tagger, tagger.featurizer(sentences, has_tree=False), device=device, precision=precision)
    return [sentence._replace(tags=tags) for sentence, tags in zip(sentences, found, strict=True)]


def _with_tags(parse: SentenceParse, tags: tuple[str, ...]) -> LabelledSplits:
    return parse.splits._replace(tags=tags)


def _with_root_of(gold: Tree, tree: Tree) -> Tree:
    """Return the tree below the root labels that its gold tree has, since the network never sees those."""
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


def _count_correct_tags(parses: Sequence[SentenceParse], sentences: Sequence[LabelledSplits]) -> int | None:
    count = 0
    for parse, sentence in zip(parses, sentences, strict=True):
        if parse.tags is None:
            return None
        count += sum(map(str.__eq__, parse.tags, sentence.tags))
    return count


def _check_output(output: PathLike | None) -> None:
    """Raise an error now, not after an hour of parsing, if the folder of the output is not there."""
    if output is not None and not Path(output).parent.is_dir():
        raise EvaluationError(f"{os.fspath(output)}: its folder does not exist: create it first")


def _write(trees: Sequence[Tree], output: PathLike) -> None:
    try:
        write_trees(trees, output)
    except OSError as error:
        raise EvaluationError(f"{os.fspath(output)}: cannot be written: {error.strerror}") from error
