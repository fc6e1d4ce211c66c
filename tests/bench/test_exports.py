from __future__ import annotations

import json
from pathlib import Path

import pytest
from bench.__main__ import main
from click.testing import CliRunner

from bench import exports
from exported_networks import TREES, random_model
from spanlin.training.checkpoint import save_model
from spanlin.trees.brackets import write_trees


def test_a_table_has_a_line_for_each_row() -> None:
    row = {"model": "mine", "precision": "int8", "megabytes": 1.25, "f1": 80.1, "rate": 1234.5, "different": 3}
    other = row | {"model": "en", "different": None, "f1": None}
    lines = list(exports.to_markdown({"sentences": 2000, "rows": [row, other]}))
    assert lines[2:] == [
        "| mine | int8 | 1.2 | 80.10 | 1,234 | 3 of 2,000 |",
        "| en | int8 | 1.2 |  | 1,234 |  |",
    ]


@pytest.mark.slow
def test_checkpoints_are_exported_and_measured(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(exports, "PRECISIONS", ("fp32",))
    (tmp_path / "checkpoint").mkdir()
    save_model(tmp_path / "checkpoint", random_model({}, tmp_path, seed=1))
    write_trees(TREES[:8], tmp_path / "dev.txt")
    paths = ["--gold", str(tmp_path / "dev.txt"), "--folder", str(tmp_path), "--json", str(tmp_path / "found.json")]
    given = ["exports", "--checkpoint", f"mine={tmp_path / 'checkpoint'}", "--repeats", "1", *paths]
    done = CliRunner().invoke(main, given)
    assert done.exit_code == 0, done.stderr
    found = json.loads((tmp_path / "found.json").read_text(encoding="utf-8"))
    assert [(row["model"], row["precision"], row["different"]) for row in found["rows"]] == [
        ("mine", "fp32", 0),
        ("en", "int8", None),
    ]
    assert all(row["rate"] > 0 and row["megabytes"] > 0 for row in found["rows"])
    assert (tmp_path / "mine-fp32" / "graph.onnx").exists()


def test_a_checkpoint_needs_a_name(tmp_path: Path) -> None:
    write_trees(TREES[:1], tmp_path / "dev.txt")
    given = ["--checkpoint", "mine", "--gold", str(tmp_path / "dev.txt"), "--folder", str(tmp_path)]
    done = CliRunner().invoke(main, ["exports", *given])
    assert done.exit_code == 2
    assert "give NAME=FOLDER" in done.stderr
