"""How far a model folder's probabilities can be trusted, told on gold trees, and the calibration that mends them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, fields

import numpy as np
from numpy.typing import NDArray

from spanlin.errors import EvaluationError
from spanlin.model_folder.calibration import Calibration
from spanlin.model_folder.folder import ModelFolder
from spanlin.runtime.backend import CONFIDENCE, TREE, Arrays
from spanlin.runtime.batch_runner import BatchRunner
from spanlin.runtime.confidence import span_evidence
from spanlin.runtime.onnx import OnnxBackend, available_cores
from spanlin.runtime.sentences import RunBatch
from spanlin.trees.labelled import LabelledSplits, splits_from_numbers
from spanlin.trees.transforms import ROOT_LABELS, constituent_labels
from spanlin.trees.tree import LabelledSpan, Span, Tree

Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]

_RIDGE = 1e-8  # keeps the fit finite where the outcomes are all alike or divide cleanly
_STEPS = 100


@dataclass(frozen=True, kw_only=True)
class Parse:
    """A sentence as a model folder parses it; `evidence` is that of its 2n-1 spans, those of the words last."""

    splits: LabelledSplits
    evidence: Floats


@dataclass(frozen=True, kw_only=True)
class Outcomes:
    """Predicted constituents, one a row: what the network said of each, and whether the gold tree has it."""

    evidence: Floats
    correct: Bools

    def __len__(self) -> int:
        return len(self.correct)


def parse_with_folder(folder: ModelFolder, sentences: Sequence[Sequence[str]], *, threads: int = 0) -> list[Parse]:
    """Return the parse of each tokenized sentence, none of which may be empty, in order."""
    for number, words in enumerate(sentences, start=1):
        if not words:
            raise EvaluationError(f"sentence {number} has no words to parse")

    def make(batch: RunBatch[Sequence[str]]) -> list[Parse]:
        evidence = span_evidence(batch.counts, batch.found)
        return [
            _parse(folder, words, {name: batch.found[name][place] for name in TREE}, evidence[place])
            for place, words in enumerate(batch.words)
        ]

    runner = BatchRunner(folder, OnnxBackend(folder, threads=1), workers=threads or available_cores())
    found = runner.run(sentences, lambda words: words, (*TREE, *CONFIDENCE), make)
    return [parse for _, parse in found if parse is not None]


def constituent_outcomes(parses: Sequence[Parse], gold: Sequence[Tree]) -> Outcomes:
    """Return what became of every predicted constituent, sentence by sentence.

    Each label of a unary chain is a constituent with the chain's evidence. Spans count all words,
    punctuation too; root labels are left out on both sides, and a gold constituent can be found only once.
    """
    evidence: list[Floats] = [np.empty((0, len(fields(Calibration)) - 1))]
    correct: list[bool] = []
    for parse, tree in zip(parses, gold, strict=True):
        left = Counter(item for item in tree.constituents() if item.label not in ROOT_LABELS)
        splits = parse.splits
        words = (Span(word, word + 1) for word in range(len(splits.words)))
        spans = (*splits.spans, *words)
        labels = (*splits.split_labels, *splits.word_labels)
        rows: list[int] = []
        for place, (span, chain) in enumerate(zip(spans, labels, strict=True)):
            for label in constituent_labels(chain):
                constituent = LabelledSpan(*span, label)
                found = left[constituent] > 0
                left[constituent] -= found
                rows.append(place)
                correct.append(found)
        evidence.append(parse.evidence[rows])
    return Outcomes(evidence=np.concatenate(evidence), correct=np.array(correct, dtype=np.bool_))


def fit_calibration(treebanks: Sequence[Outcomes]) -> Calibration:
    """Return the calibration under which the outcomes are likeliest; each treebank weighs as much as another.

    Logistic regression of `correct` on the evidence, by Newton's method.
    """
    treebanks = [outcomes for outcomes in treebanks if len(outcomes)]
    if not treebanks:
        raise EvaluationError("no predicted constituents to calibrate on: give trees with constituents")
    features = np.concatenate([np.column_stack([one.evidence, np.ones(len(one))]) for one in treebanks])
    correct = np.concatenate([outcomes.correct for outcomes in treebanks]).astype(np.float64)
    weights = np.concatenate([np.full(len(outcomes), 1.0 / len(outcomes)) for outcomes in treebanks])
    fitted = _logistic_regression(features, correct, weights / len(treebanks)).tolist()
    return Calibration(**dict(zip((item.name for item in fields(Calibration)), fitted, strict=True)))


def expected_calibration_error(probabilities: Floats, correct: Bools, *, bins: int = 15) -> float:
    """Return by how much a probability and the share of what is correct differ, on average over the items.

    The items are put into bins of equal width by their probability, and means are compared bin by bin: Guo et al.
    (2017), "On Calibration of Modern Neural Networks", Eq. 3.
    """
    if not len(probabilities):
        raise EvaluationError("no predicted constituents to measure calibration on: give trees with constituents")
    places = np.minimum((probabilities * bins).astype(np.int64), bins - 1)
    expected = np.bincount(places, weights=probabilities, minlength=bins)
    observed = np.bincount(places, weights=correct, minlength=bins)
    return float(np.abs(expected - observed).sum() / len(probabilities))


def _parse(folder: ModelFolder, words: Sequence[str], tree: Arrays, evidence: Floats) -> Parse:
    """Return the parse of a sentence from its rows of a batch's arrays."""
    count = len(words)
    tags = [folder.tags[tag] for tag in tree["tags"][:count].tolist()]
    rows = (tree[name].tolist() for name in ("lefts", "rights", "split_labels", "word_labels"))
    splits = splits_from_numbers(words, tags, *rows, labels=folder.labels)
    width = len(tree["lefts"])
    return Parse(splits=splits, evidence=evidence[np.r_[0 : count - 1, width : width + count]])


def _logistic_regression(features: Floats, correct: Floats, weights: Floats) -> Floats:
    """Return the coefficients that minimize the weighted log-loss and a little of their own squares."""

    def loss(coefficients: Floats) -> float:
        odds = features @ coefficients
        return float(weights @ (np.logaddexp(0.0, odds) - correct * odds) + _RIDGE / 2 * coefficients @ coefficients)

    coefficients: Floats = np.zeros(features.shape[1])
    for _ in range(_STEPS):
        probabilities = 1.0 / (1.0 + np.exp(-(features @ coefficients)))
        gradient = features.T @ (weights * (probabilities - correct)) + _RIDGE * coefficients
        curvature = (features.T * (weights * probabilities * (1.0 - probabilities))) @ features
        step = np.linalg.solve(curvature + _RIDGE * np.eye(len(coefficients)), gradient)
        before, size = loss(coefficients), 1.0
        # Far from the minimum a whole step can overshoot.
        while loss(coefficients - size * step) > before and size > 1e-6:
            size /= 2
        coefficients = coefficients - size * step
        if np.abs(size * step).max() < 1e-9:
            break
    return coefficients
