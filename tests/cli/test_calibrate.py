"""A model folder of one's own gets probabilities that mean what they say."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
from click.testing import CliRunner

from runtime.conftest import TREES, folder, model
from spanlin.cli.main import main
from spanlin.model_folder.folder import open_folder
from spanlin.parser import Parser
from spanlin.training import calibrating
from spanlin.trees.brackets import write_trees

__all__ = ["folder", "model"]


@pytest.fixture
def mine(folder: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(folder, tmp_path / "mine"))


@pytest.fixture
def gold(tmp_path: Path) -> Path:
    write_trees([tree for tree in TREES if len(tree.words) <= 12], tmp_path / "dev.txt")
    return tmp_path / "dev.txt"


def run(*arguments: str | Path) -> tuple[int, str, str]:
    result = CliRunner().invoke(main, [*map(str, arguments)])
    return result.exit_code, result.stdout, result.stderr


def test_calibration_lowers_the_error_and_changes_no_tree(mine: Path, gold: Path) -> None:
    sentences = [tree.words for tree in TREES]
    before = list(Parser.load(mine).bracket_lines(sentences))
    assert "probabilities  uncalibrated: " in run("info", mine)[1]
    assert not json.loads(run("info", mine, "--json")[1])["calibrated"]
    as_json = ("parse", "--model", mine, "--format", "json", "--text", "A dog barks.")
    assert json.loads(run(*as_json)[1])["calibrated"] is False
    status, out, _ = run("calibrate", mine, gold)
    assert status == 0
    (line,) = out.splitlines()
    words = line.split()
    assert line.startswith(f"{gold}: calibration error ")
    assert float(words[-2]) < float(words[-4])
    calibrated = open_folder(mine)
    assert calibrated.is_calibrated
    assert list(Parser.load(mine).bracket_lines(sentences)) == before
    assert "probabilities  calibrated; temperatures of splits " in run("info", mine)[1]
    assert json.loads(run(*as_json)[1])["calibrated"] is True
    # What is fitted once stays the same.
    run("calibrate", mine, gold)
    again = open_folder(mine)
    assert again.temperatures.splits == pytest.approx(calibrated.temperatures.splits, rel=1e-3)
    assert again.calibration.span == pytest.approx(calibrated.calibration.span, rel=1e-3)


def test_a_folder_survives_a_calibration_that_fails(mine: Path, gold: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before = (mine / "manifest.json").read_bytes()

    def fail(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(calibrating, "fit_probabilities", fail)
    with pytest.raises(KeyboardInterrupt):
        calibrating.calibrate_folder(mine, [gold])
    assert (mine / "manifest.json").read_bytes() == before


def test_files_without_trees_and_folders_that_are_not_models_are_one_line(mine: Path, gold: Path) -> None:
    empty = gold.with_name("empty.txt")
    empty.write_text("")
    for arguments, message in (
        ((mine, empty), f"{empty}: no trees to score against"),
        ((gold.parent, gold), f"{gold.parent}: this is a folder of trees"),
    ):
        status, _, error = run("calibrate", *arguments)
        assert status == 1
        assert message in error
        assert error.count("\n") == 1
