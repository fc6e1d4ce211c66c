from __future__ import annotations

from dataclasses import astuple
from pathlib import Path

import numpy as np
import pytest

from joint_networks import KNOWN, SENTENCES, joint_folder, write_conllu_of
from spanlin.errors import DependencyError, EvaluationError
from spanlin.evaluation.calibration import Outcomes
from spanlin.model_folder.calibration import ArcCalibration
from spanlin.model_folder.folder import ModelFolder, open_folder
from spanlin.model_folder.lookup import find_model
from spanlin.parser import Parser
from spanlin.training.folder_arcs import arc_outcomes, fit_arc_calibration
from trees_alone import trees_alone


@pytest.fixture(scope="module")
def joint(tmp_path_factory: pytest.TempPathFactory) -> ModelFolder:
    return open_folder(joint_folder(tmp_path_factory))


def test_outcomes_are_those_of_the_parsers_own_heads(joint: ModelFolder, tmp_path: Path) -> None:
    outcomes = arc_outcomes(joint, write_conllu_of(KNOWN, tmp_path / "gold.conllu"))
    parses = Parser.from_folder(joint).parse_tokens(SENTENCES)
    pairs = [
        (head == gold, probability)
        for parsed, known in zip(parses, KNOWN, strict=True)
        for head, gold, probability in zip(parsed.heads or (), known.heads, parsed.arc_probabilities or (), strict=True)
    ]
    correct, probabilities = zip(*pairs, strict=True)
    assert outcomes.correct.tolist() == list(correct)
    assert joint.arc_calibration(outcomes.evidence) == pytest.approx(probabilities)
    assert 0 < sum(correct) < len(correct)


def test_words_whose_head_nobody_knows_are_left_out(joint: ModelFolder, tmp_path: Path) -> None:
    first = KNOWN[0]._replace(heads=(-1, *KNOWN[0].heads[1:]))
    whole = arc_outcomes(joint, write_conllu_of(KNOWN[:2], tmp_path / "whole.conllu"))
    part = arc_outcomes(joint, write_conllu_of([first, KNOWN[1]], tmp_path / "part.conllu"))
    np.testing.assert_array_equal(part.correct, whole.correct[1:])
    np.testing.assert_array_equal(part.evidence, whole.evidence[1:])


def test_a_fit_finds_the_calibration_that_outcomes_were_drawn_from() -> None:
    wanted = ArcCalibration(arc=0.4, tags=-0.3, sentence=0.1, offset=-0.5)
    random = np.random.default_rng(0)
    evidence = random.normal(size=(40_000, 3)) * 2
    drawn = Outcomes(evidence=evidence, correct=random.uniform(size=40_000) < wanted(evidence))
    assert astuple(fit_arc_calibration([drawn])) == pytest.approx(astuple(wanted), abs=0.05)


def test_a_file_without_heads_and_a_model_without_dependencies_are_named(joint: ModelFolder, tmp_path: Path) -> None:
    nothing = write_conllu_of([KNOWN[0]._replace(heads=(-1,) * len(SENTENCES[0]))], tmp_path / "gold.conllu")
    with pytest.raises(EvaluationError, match=r"gold\.conllu: no heads to score against"):
        arc_outcomes(joint, nothing)
    with pytest.raises(DependencyError, match=r"trained on trees alone and has no dependencies: leave out .*gold"):
        arc_outcomes(open_folder(trees_alone(find_model("en"), tmp_path / "en")), nothing)
