"""`python -m experiments all --data tiny`, from nothing to the page, and what a second start does."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from experiments.tables import PEERS, TABLES

ROOT = Path(__file__).parents[2]

pytestmark = pytest.mark.slow


def experiments(*arguments: str, folder: Path, status: int = 0) -> str:
    environment = {**os.environ, "PYTHONPATH": f"{ROOT / 'src'}{os.pathsep}{ROOT}"}
    command = [sys.executable, "-m", "experiments", *arguments]
    done = subprocess.run(
        command, cwd=folder, env=environment, capture_output=True, text=True, check=False, timeout=400
    )
    assert done.returncode == status, done.stdout + done.stderr
    return done.stdout + done.stderr


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where all tables were made."""
    folder = tmp_path_factory.mktemp("tables")
    said = experiments("all", "--data", "tiny", "--jobs", "2", folder=folder)
    assert re.search(r"\n34 trained, 0 only scored in \d+ s; 0 left, 0 failed", said), said
    return folder


def section(page: str, title: str) -> str:
    found = re.search(rf"^### {title} on tiny\n(.*?)(?=^##|\Z)", page, re.MULTILINE | re.DOTALL)
    assert found, title
    return found[1]


def test_every_table_and_figure_has_numbers(folder: Path) -> None:
    page = (folder / "runs/tiny/docs/paper-tables.md").read_text(encoding="utf-8")
    assert "Not measured yet" not in page
    for table in TABLES.values():
        first_table = section(page, table.title).strip().split("\n\n")[0]
        lines = first_table.splitlines()[2:]
        assert len(lines) >= len(table.rows)
        for line in lines:
            if not any(peer in line for peer in PEERS.values()):
                assert re.search(r"\| [\d,.]+", line), line
                assert "not measured" not in line
    for name in ("lengths", "curve"):
        picture = folder / f"runs/tiny/docs/paper-figures/{name}-tiny.svg"
        assert f"(paper-figures/{picture.name})" in page
        assert picture.read_text(encoding="utf-8").count("<path") > 5


def test_a_result_tells_where_it_comes_from(folder: Path) -> None:
    result = json.loads((folder / "runs/tiny/results/tiny/bilstm-1.json").read_text(encoding="utf-8"))
    assert result["seed"] == 1
    assert result["treebank"] == "tiny"
    assert result["config"]["network"]["loss"]["label_tree"] == "gold"
    assert result["training"]["trees"] == 300
    assert result["training"]["minutes"] > 0
    assert len(result["brackets"]["matched"]) == 60
    assert set(result["decoders"]) == {"cky", "largest", "argmin", "min-change", "minimum-risk"}
    assert result["decoders"]["cky"]["brackets"]["matched"] == result["brackets"]["matched"]
    epochs = [epoch for epoch, *_ in result["log"]["evaluations"]]
    assert epochs == [result["training"]["epochs"]]
    # Training reports the loss every so many steps.
    assert 1 < result["log"]["losses"][-1][0] <= result["training"]["steps"]
    for key in ("commit", "machine", "date", "device", "key"):
        assert result[key], key


def test_rows_that_are_the_same_run_share_it(folder: Path) -> None:
    keys = {
        row: json.loads((folder / f"runs/tiny/results/tiny/{row}-1.json").read_text(encoding="utf-8"))["key"]
        for row in ("bilstm", "scratch", "minilm", "mpnet", "psn")
    }
    assert keys["bilstm"] == keys["scratch"]
    assert keys["minilm"] == keys["mpnet"]
    assert len(set(keys.values())) == 3


def test_a_second_start_trains_nothing_and_a_deleted_result_is_made_again(folder: Path) -> None:
    results = folder / "runs/tiny/results/tiny"
    before = (results / "bilstm-1.json").read_text(encoding="utf-8")
    (results / "psn-2.json").unlink()
    said = experiments("all", "--data", "tiny", folder=folder)
    assert "0 trained, 1 only scored" in said
    assert (results / "psn-2.json").exists()
    assert (results / "bilstm-1.json").read_text(encoding="utf-8") == before


def test_what_has_to_stop_is_left_for_the_same_command(folder: Path) -> None:
    arguments = ("lengths", "--data", "tiny", "--seeds", "7", "--jobs", "2")
    said = experiments(*arguments, "--minutes", "0.001", folder=folder)
    assert "0 trained, 0 only scored" in said
    assert "2 left, 0 failed" in said
    said = experiments(*arguments, "--row", "psn", folder=folder)
    assert "1 trained, 0 only scored" in said
    said = experiments(*arguments, folder=folder)
    assert "1 trained, 0 only scored" in said


def test_a_row_that_fails_is_reported_and_stops_no_other(folder: Path, tmp_path: Path) -> None:
    data = tmp_path / "data"
    data.mkdir()
    (data / "mine").symlink_to(folder / "runs/tiny/data/tiny", target_is_directory=True)
    # No vectors and no encoders are here, so that every row must fail.
    said = experiments("types", "--data", "data", "--treebank", "mine", "--seeds", "1", folder=tmp_path, status=1)
    assert "0 left, 2 failed" in said
    assert "failed: mine/bilstm-1: " in said
    assert "failed: mine/psn-1: " in said
    assert "vectors/glove" in said
    assert "Not measured yet" in (tmp_path / "docs/paper-tables.md").read_text(encoding="utf-8")


def test_a_treebank_that_is_not_there_is_one_line(tmp_path: Path) -> None:
    said = experiments("types", "--data", "nowhere", folder=tmp_path, status=1)
    assert said.startswith("Error: nowhere/genia/train.txt: cannot be read: ")
    assert len(said.splitlines()) == 1
