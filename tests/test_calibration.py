from __future__ import annotations

import math
from dataclasses import astuple
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from generated_treebank import generate_trees
from runtime.conftest import folder, model  # noqa: F401 (fixtures)
from small_runs import splits_of
from spanlin.calibration import (
    Outcomes,
    Parse,
    constituent_outcomes,
    expected_calibration_error,
    fit_calibration,
    parse_with_folder,
)
from spanlin.errors import EvaluationError
from spanlin.model_folder.calibration import Calibration
from spanlin.model_folder.folder import open_folder
from spanlin.parser import Parser
from spanlin.runtime.confidence import log_odds, span_evidence
from spanlin.trees.brackets import parse_tree
from spanlin.trees.labelled import tree_from_splits
from spanlin.trees.transforms import add_root
from spanlin.trees.tree import Tree

TREES = generate_trees(60, seed=5)

probabilities_and_outcomes = st.lists(st.tuples(st.floats(0.0, 1.0), st.booleans()), min_size=1, max_size=60)


def parses_of(trees: list[Tree]) -> list[Parse]:
    """Parses that give these trees; the first evidence of the k-th span is k."""
    parses = []
    for splits in splits_of(trees):
        evidence = np.zeros((2 * len(splits.words) - 1, 4))
        evidence[:, 0] = np.arange(len(evidence))
        parses.append(Parse(splits=splits, evidence=evidence))
    return parses


def drawn_outcomes(calibration: Calibration, *, count: int, seed: int) -> Outcomes:
    """Outcomes that come true as often as this calibration says."""
    random = np.random.default_rng(seed)
    evidence = random.normal(size=(count, 4)) * 2
    correct = random.uniform(size=count) < calibration(evidence)
    return Outcomes(evidence=evidence, correct=correct)


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


@pytest.mark.parametrize("seed", range(3))
def test_a_fit_finds_the_calibration_that_outcomes_were_drawn_from(seed: int) -> None:
    wanted = Calibration(span=0.4, root=0.7, tags=-0.3, sentence=0.1, offset=-0.5)
    fitted = fit_calibration([drawn_outcomes(wanted, count=40_000, seed=seed)])
    assert astuple(fitted) == pytest.approx(astuple(wanted), abs=0.05)


def test_a_fit_makes_the_mean_probability_the_share_that_is_correct() -> None:
    outcomes = drawn_outcomes(Calibration(span=0.1, root=2.0, offset=1.0), count=500, seed=1)
    fitted = fit_calibration([outcomes])
    assert fitted(outcomes.evidence).mean() == pytest.approx(outcomes.correct.mean(), abs=1e-4)


def test_treebanks_weigh_the_same_whatever_their_size() -> None:
    large = drawn_outcomes(Calibration(offset=1.0), count=4000, seed=1)
    small = drawn_outcomes(Calibration(offset=-1.0), count=400, seed=2)
    tenfold = Outcomes(evidence=np.tile(small.evidence, (10, 1)), correct=np.tile(small.correct, 10))
    one, two = fit_calibration([large, small]), fit_calibration([large, tenfold])
    assert astuple(one) == pytest.approx(astuple(two), abs=1e-6)


@pytest.mark.parametrize("correct", [True, False])
def test_a_fit_on_outcomes_that_are_all_alike_is_finite(correct: bool) -> None:
    evidence = np.array([[-0.1, 0, 0, 0], [-2.0, 0, 0, 0], [12.0, 1, 0, 0], [-12.0, 0, 0, 0]])
    fitted = fit_calibration([Outcomes(evidence=evidence, correct=np.full(4, correct))])
    assert all(map(math.isfinite, astuple(fitted)))
    assert np.allclose(fitted(evidence), correct, atol=0.05)


def test_an_unfitted_calibration_believes_the_network() -> None:
    log_probs = np.log([0.5, 0.9, 0.2])
    evidence = np.column_stack([log_odds(log_probs), [1, 0, 0], [-3, -3, -3], [7, 7, 7]])
    assert np.allclose(Calibration()(evidence), [0.5, 0.9, 0.2])


def test_evidence_of_a_literal_example_whatever_the_padding() -> None:
    # Two sentences: one of one word; one of three with the spans (0, 3), (1, 3) and the words.
    found = {
        "lefts": np.array([[9, 0, 9], [0, 1, 9]]),
        "rights": np.array([[1, 1, 9], [3, 3, 3]]),
        "tag_log_probs": np.array([[-0.5, 9, 9, 9], [-1.0, -2.0, -3.0, 9]]),
        "span_log_probs": np.array([[9, 9, 9, 0.0, 9, 9, 9], [0.0, -1, 9, -2, -3, -4, 9]]),
        "label_log_probs": np.full((2, 7), -1.0),
    }
    evidence = span_evidence(np.array([1, 3]), found)
    assert evidence.shape == (2, 7, 4)
    assert evidence[0, 3].tolist() == pytest.approx([float(log_odds(np.array(-1.0))), 1, -0.5, 12])
    kept = evidence[1, [0, 1, 3, 4, 5]]
    assert kept[:, 0].tolist() == pytest.approx(log_odds(np.array([-1.0, -2, -3, -4, -5])).tolist())
    assert kept[:, 1].tolist() == [1, 0, 0, 0, 0]
    assert kept[:, 2].tolist() == [-2.0] * 5
    assert kept[:, 3].tolist() == pytest.approx([log_odds(np.array([0.0, -1, -2, -3, -4])).mean()] * 5)


def test_log_odds_are_finite_for_certain_and_impossible_spans() -> None:
    assert np.isfinite(log_odds(np.array([0.0, -1e-30, -1e30, -np.inf]))).all()


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


def test_a_folder_gives_the_parser_s_trees_whatever_the_batch(folder: Path) -> None:  # noqa: F811
    path = folder
    sentences = [tree.words for tree in TREES]
    parses = parse_with_folder(open_folder(path), sentences)
    trees = [tree_from_splits(parse.splits) for parse in parses]
    expected = list(map(parse_tree, list(Parser.load(path).bracket_lines(sentences))))
    assert list(map(add_root, trees)) == expected
    for parse, sentence in zip(parses[:5], sentences[:5], strict=True):
        alone = parse_with_folder(open_folder(path), [sentence])[0]
        assert alone.splits == parse.splits
        assert parse.evidence.shape == (2 * len(sentence) - 1, 4)
        assert np.allclose(alone.evidence, parse.evidence, atol=1e-3)
    with pytest.raises(EvaluationError, match="sentence 2 has no words to parse"):
        parse_with_folder(open_folder(path), [["one"], []])


def test_nothing_to_calibrate_on_is_an_error() -> None:
    nothing = constituent_outcomes([], [])
    with pytest.raises(EvaluationError, match="no predicted constituents to calibrate on: give trees with"):
        fit_calibration([nothing])
    with pytest.raises(EvaluationError, match="no predicted constituents to measure calibration on"):
        expected_calibration_error(np.zeros(0), nothing.correct)
