from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from joint_networks import KNOWN, SENTENCES, joint_folder, write_conllu_of
from spanlin.errors import EvaluationError
from spanlin.model_evaluation import evaluate_parser_dependencies
from spanlin.model_folder.calibration import ArcCalibration
from spanlin.model_folder.folder import ModelFolder, open_folder
from spanlin.parser import Parser
from spanlin.training.packaged_dependencies import dependency_figures


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> ModelFolder:
    return open_folder(joint_folder(tmp_path_factory))


def test_figures_are_those_of_the_parser_on_the_same_words(folder: ModelFolder, tmp_path: Path) -> None:
    gold = write_conllu_of(KNOWN, tmp_path / "gold.conllu")
    figures = dependency_figures("gold", gold, folder)
    parser = evaluate_parser_dependencies(Parser.from_folder(folder), gold)
    assert (figures.uas, figures.las) == (parser.score.uas, parser.score.las)
    assert figures.universal_tags == parser.score.metrics["UPOS"].f1
    assert figures.calibration_error == pytest.approx(parser.calibration_error)
    assert figures.words == sum(map(len, SENTENCES))
    assert "name" not in figures.to_dict()


def test_the_calibration_of_the_folder_counts(folder: ModelFolder, tmp_path: Path) -> None:
    gold = write_conllu_of(KNOWN, tmp_path / "gold.conllu")
    sure = replace(folder, arc_calibration=ArcCalibration(offset=9.0))
    plain, changed = dependency_figures("a", gold, folder), dependency_figures("a", gold, sure)
    assert plain.uas == changed.uas
    assert plain.calibration_error != changed.calibration_error


def test_a_file_without_sentences_is_an_error(folder: ModelFolder, tmp_path: Path) -> None:
    (tmp_path / "none.conllu").write_text("")
    with pytest.raises(EvaluationError, match="no sentences to score against"):
        dependency_figures("none", tmp_path / "none.conllu", folder)
