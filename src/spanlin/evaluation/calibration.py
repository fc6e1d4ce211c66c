"""How far probabilities can be trusted, measured on gold annotation, and the fits that improve them; no model."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from spanlin.errors import EvaluationError
from spanlin.trees.labelled import LabelledSplits
from spanlin.trees.transforms import ROOT_LABELS, constituent_labels
from spanlin.trees.tree import LabelledSpan, Span, Tree

Doubles = NDArray[np.float64]
BoolArray = NDArray[np.bool_]

_RIDGE = 1e-8  # keeps the fit finite where the outcomes are all alike or divide cleanly
_REGRESSION_STEPS = 100
_TEMPERATURE_STEPS = 20
_DIFFERENCE = 0.01  # of inverse temperatures, for derivatives
_RANGE = (0.02, 5.0)  # of inverse temperatures


@dataclass(frozen=True, kw_only=True)
class Outcomes:
    """Predicted constituents, or arcs, one per row: the network's evidence for each, and whether the gold has it."""

    evidence: Doubles
    correct: BoolArray

    def __len__(self) -> int:
        return len(self.correct)


def constituent_outcomes(parses: Iterable[tuple[LabelledSplits, Doubles]], gold: Sequence[Tree]) -> Outcomes:
    """Return the outcome of every predicted constituent, sentence by sentence.

    A parse comes with [2 * words - 1, kinds] evidence for its spans, those of the words last. Each label of a unary
    chain is a constituent with the chain's evidence. Spans count all words, punctuation too; root labels are left out
    on both sides, and a gold constituent can be found only once.
    """
    evidence: list[Doubles] = []
    correct: list[bool] = []
    for (splits, of_spans), tree in zip(parses, gold, strict=True):
        left = Counter(item for item in tree.constituents() if item.label not in ROOT_LABELS)
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
        evidence.append(of_spans[rows])
    return Outcomes(
        evidence=np.concatenate(evidence) if evidence else np.empty((0, 0)), correct=np.array(correct, dtype=np.bool_)
    )


def fit_evidence_weights(treebanks: Sequence[Outcomes]) -> Doubles:
    """Return a weight for each kind of evidence, then an offset, under which the outcomes are likeliest.

    Logistic regression of `correct` on the evidence; each treebank weighs as much as another.
    """
    treebanks = [outcomes for outcomes in treebanks if len(outcomes)]
    if not treebanks:
        raise EvaluationError("no predicted constituents to calibrate on: give trees with constituents")
    features = np.concatenate([np.column_stack([one.evidence, np.ones(len(one))]) for one in treebanks])
    correct = np.concatenate([outcomes.correct for outcomes in treebanks]).astype(np.float64)
    weights = np.concatenate([np.full(len(outcomes), 1.0 / len(outcomes)) for outcomes in treebanks])
    return _logistic_regression(features, correct, weights / len(treebanks))


def expected_calibration_error(probabilities: Doubles, correct: BoolArray, *, bins: int = 15) -> float:
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


def fit_inverse_temperatures(likelihood: Callable[[Doubles], float]) -> Doubles:
    """Return the two inverse temperatures with the highest log-likelihood, which must be concave in them.

    By Newton's method from 1 and 1, with derivatives by differences; neither leaves the range of 0.02 to 5.
    """
    inverse, value = np.ones(2), likelihood(np.ones(2))
    for _ in range(_TEMPERATURE_STEPS):
        gradient, curvature = _derivatives(likelihood, inverse, value)
        step = np.linalg.solve(curvature - 1e-6 * np.eye(2), gradient)
        size = 1.0
        while True:
            moved = np.clip(inverse - size * step, *_RANGE)
            better = likelihood(moved)
            if better >= value or size < 1e-3:
                break
            size /= 2
        is_done = better - value < 1e-5
        if better >= value:
            inverse, value = moved, better
        if is_done:
            break
    return inverse


def _derivatives(function: Callable[[Doubles], float], at: Doubles, value: float) -> tuple[Doubles, Doubles]:
    """Return gradient and curvature by central differences."""
    first, second = np.eye(2) * _DIFFERENCE
    above = [function(at + step) for step in (first, second)]
    below = [function(at - step) for step in (first, second)]
    mixed = (function(at + first + second) - above[0] - above[1] + value) / _DIFFERENCE**2
    gradient = np.subtract(above, below) / (2 * _DIFFERENCE)
    straight = (np.add(above, below) - 2 * value) / _DIFFERENCE**2
    return gradient, np.array([[straight[0], mixed], [mixed, straight[1]]])


def _logistic_regression(features: Doubles, correct: Doubles, weights: Doubles) -> Doubles:
    """Return the coefficients that minimize the weighted log-loss and a little of their own squares, by Newton."""

    def loss(coefficients: Doubles) -> float:
        odds = features @ coefficients
        return float(weights @ (np.logaddexp(0.0, odds) - correct * odds) + _RIDGE / 2 * coefficients @ coefficients)

    coefficients: Doubles = np.zeros(features.shape[1])
    for _ in range(_REGRESSION_STEPS):
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
