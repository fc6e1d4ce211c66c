"""A model folder of one's own gets probabilities that mean what they say."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
from click.testing import CliRunner

from joint_networks import KNOWN, SENTENCES, joint_folder, write_conllu_of
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
    assert "probabilities  uncalibrated, so overconfident" in run("info", mine)[1]
    assert not json.loads(run("info", mine, "--json")[1])["calibrated"]
    as_json = ("parse", "--model", mine, "--format", "json", "--text", "A dog barks.")
    assert json.loads(run(*as_json)[1])["calibrated"] is False
    status, out, _ = run("calibrate", mine, gold)
    assert status == 0
    (line,) = out.splitlines()
    words = line.split()
    assert line.startswith(f"{gold}: calibration error of constituents ")
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


def test_arcs_are_calibrated_on_dependencies_and_trees_on_trees(
    gold: Path, tmp_path: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    joint = Path(shutil.copytree(joint_folder(tmp_path_factory), tmp_path / "joint"))
    arcs = write_conllu_of(KNOWN, tmp_path / "dev.conllu")
    before = Parser.load(joint).parse_tokens(SENTENCES)
    assert "of arcs        uncalibrated, so overconfident" in run("info", joint)[1]
    status, out, _ = run("calibrate", joint, arcs)
    assert status == 0
    words = out.split()
    assert out.startswith(f"{arcs}: calibration error of arcs ")
    assert float(words[-2]) < 0.2 * float(words[-4])
    found = open_folder(joint)
    assert (found.is_calibrated, found.dependencies_calibrated) == (False, True)
    facts = json.loads(run("info", joint, "--json")[1])
    assert (facts["calibrated"], facts["dependencies_calibrated"]) == (False, True)
    assert "of arcs        calibrated\n" in run("info", joint)[1]
    after = Parser.load(joint).parse_tokens([*SENTENCES, []])
    assert after[:-1] == before
    assert [parsed.arc_probabilities for parsed in after[:-1]] != [parsed.arc_probabilities for parsed in before]
    for parsed in after:
        assert (parsed.to_json()["calibrated"], parsed.to_json()["dependencies_calibrated"]) == (False, True)
    assert not before[0].to_json()["dependencies_calibrated"]
    status, out, _ = run("calibrate", joint, gold, arcs)
    assert [line.split()[4] for line in out.splitlines()] == ["constituents", "arcs"]
    assert open_folder(joint).is_calibrated
    assert open_folder(joint).arc_calibration.arc == pytest.approx(found.arc_calibration.arc, rel=1e-3)


def test_dependencies_for_a_model_of_trees_alone_are_one_line_and_change_nothing(
    mine: Path, gold: Path, tmp_path: Path
) -> None:
    before = (mine / "manifest.json").read_bytes()
    arcs = write_conllu_of(KNOWN, tmp_path / "dev.conllu")
    status, _, error = run("calibrate", mine, gold, arcs)
    assert (status, error.count("\n")) == (1, 1)
    assert f"{mine}: this model was trained on trees alone and has no dependencies: leave out {arcs}" in error
    assert (mine / "manifest.json").read_bytes() == before


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
