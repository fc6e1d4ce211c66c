from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from generated_treebank import generate_trees
from spanlin.evaluation.calibration import constituent_outcomes, expected_calibration_error, fit_inverse_temperatures
from spanlin.trees.brackets import parse_tree
from spanlin.trees.labelled import LabelledSplits, labelled_splits
from spanlin.trees.transforms import strip_root
from spanlin.trees.tree import Tree

TREES = generate_trees(60, seed=5)

probabilities_and_outcomes = st.lists(st.tuples(st.floats(0.0, 1.0), st.booleans()), min_size=1, max_size=60)


def parses_of(trees: list[Tree]) -> list[tuple[LabelledSplits, np.ndarray]]:
    """Parses that give these trees; the first evidence of the k-th span is k."""
    parses = []
    for splits in (labelled_splits(strip_root(tree)) for tree in trees):
        evidence = np.zeros((2 * len(splits.words) - 1, 4))
        evidence[:, 0] = np.arange(len(evidence))
        parses.append((splits, evidence))
    return parses


@given(probabilities_and_outcomes, st.integers(1, 30))
def test_calibration_error_lies_between_the_mean_difference_and_one(items: list[tuple[float, bool]], bins: int) -> None:
    probabilities, correct = (np.array(column) for column in zip(*items, strict=True))
    error = expected_calibration_error(probabilities, correct, bins=bins)
    assert abs(probabilities.mean() - correct.mean()) - 1e-12 <= error <= 1 + 1e-12


@given(probabilities_and_outcomes, st.randoms())
def test_calibration_error_does_not_hang_on_the_order(items: list[tuple[float, bool]], random: object) -> None:
    probabilities, correct = (np.array(column) for column in zip(*items, strict=True))
    backwards = expected_calibration_error(probabilities[::-1], correct[::-1])
    assert backwards == pytest.approx(expected_calibration_error(probabilities, correct), abs=1e-12)


@given(st.lists(st.booleans(), min_size=1, max_size=40))
def test_certainty_that_is_right_has_no_calibration_error(correct: list[bool]) -> None:
    outcome = np.array(correct)
    assert expected_calibration_error(outcome.astype(float), outcome) == 0
    assert expected_calibration_error(1.0 - outcome, outcome) == 1


def test_calibration_error_of_a_literal_example() -> None:
    # Two bins: below a half 0.2 and 0.4 with one right, above it 0.9 with none.
    error = expected_calibration_error(np.array([0.2, 0.4, 0.9]), np.array([True, False, False]), bins=2)
    assert error == pytest.approx((abs(0.6 - 1) + 0.9) / 3)


def test_a_tree_that_is_gold_has_correct_constituents_only() -> None:
    outcomes = constituent_outcomes(parses_of(TREES), TREES)
    assert outcomes.correct.all()
    gold = sum(item.label != "TOP" for tree in TREES for item in tree.constituents())
    assert outcomes.evidence.shape == (len(outcomes), 4) == (gold, 4)


def test_outcomes_of_a_literal_example() -> None:
    predicted = [parse_tree("(TOP (S (VP (VB See) (NP (NNS cats))) (. .)))")]
    gold = [parse_tree("(TOP (S (S (VP (VB See) (NP (NNS cats)))) (. .)))")]
    outcomes = constituent_outcomes(parses_of(predicted), gold)
    # Split spans first: VP over two words, S over three; then NP over the second word.
    assert outcomes.evidence[:, 0].tolist() == [0, 1, 3]
    assert outcomes.correct.tolist() == [True, True, True]
    backwards = constituent_outcomes(parses_of(gold), predicted)
    assert backwards.correct.tolist() == [False, True, True, True]
    assert backwards.evidence[:, 0].tolist() == [0, 0, 1, 3]


def test_a_gold_constituent_is_found_only_once() -> None:
    twice = [parse_tree("(TOP (NP (NP (NNS cats) (. .))))")]
    once = [parse_tree("(TOP (NP (NNS cats) (. .)))")]
    assert constituent_outcomes(parses_of(twice), once).correct.tolist() == [True, False]


@pytest.mark.parametrize("best", [(0.5, 2.0), (1.0, 1.0), (0.1, 0.3), (0.02, 5.0)])
def test_inverse_temperatures_are_those_of_the_highest_likelihood(best: tuple[float, float]) -> None:
    def likelihood(inverse: np.ndarray) -> float:
        first, second = inverse - best
        return -float(first**2 + second**2 + first * second)

    assert fit_inverse_temperatures(likelihood).tolist() == pytest.approx(best, abs=1e-3)
