from __future__ import annotations

import math
from dataclasses import astuple
from pathlib import Path

import numpy as np
import pytest

from generated_treebank import generate_trees
from runtime.conftest import folder, model  # noqa: F401 (fixtures)
from spanlin.errors import EvaluationError
from spanlin.evaluation.calibration import Outcomes, expected_calibration_error
from spanlin.model_folder.calibration import Calibration
from spanlin.model_folder.folder import open_folder
from spanlin.parser import Parser
from spanlin.training.folder_parses import fit_calibration, folder_outcomes, parse_with_folder
from spanlin.trees.brackets import parse_tree
from spanlin.trees.labelled import tree_from_splits
from spanlin.trees.transforms import add_root

TREES = generate_trees(60, seed=5)


def drawn_outcomes(calibration: Calibration, *, count: int, seed: int) -> Outcomes:
    """Outcomes that come true as often as this calibration says."""
    random = np.random.default_rng(seed)
    evidence = random.normal(size=(count, 4)) * 2
    correct = random.uniform(size=count) < calibration(evidence)
    return Outcomes(evidence=evidence, correct=correct)


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
    nothing = folder_outcomes([], [])
    with pytest.raises(EvaluationError, match="no predicted constituents to calibrate on: give trees with"):
        fit_calibration([nothing])
    with pytest.raises(EvaluationError, match="no predicted constituents to measure calibration on"):
        expected_calibration_error(np.zeros(0), nothing.correct)
