from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner
from experiments.treebank_sizes import main

from generated_treebank import generate_treebank


@pytest.mark.slow
def test_each_size_has_its_figures(tmp_path: Path) -> None:
    generate_treebank(tmp_path / "mine", train=30, dev=5)
    small = ["--change=network.context.width=16", "--change=epochs=2", "--change=seed=3"]
    options = ["--results", str(tmp_path / "results"), "--work", str(tmp_path / "work"), "--sizes", "10,all"]
    done = CliRunner().invoke(main, [str(tmp_path / "mine"), *options, *small])
    assert done.exit_code == 0, done.output
    found = {path.stem: json.loads(path.read_text()) for path in (tmp_path / "results").iterdir()}
    assert {name: one["data"]["trees"] for name, one in found.items()} == {"mine-10": 10, "mine-all": 30}
    for name, one in found.items():
        assert f"{name}: F1 {one['f1']:.2f} after " in done.output
        assert one["command"].startswith("spanlin train ")
        assert (one["seed"], one["epochs"], one["ended"]) == (3, 2, "finished")
        assert one["width"] == 16
        assert 0 < one["cpu_minutes"] < 60
        assert one["f1"] == pytest.approx(max(one["dev_f1_by_epoch"].values()), abs=0.01)


def test_without_changes_the_command_names_files_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from experiments import treebank_sizes

    generate_treebank(tmp_path / "mine", train=30, dev=5)
    commands: list[list[str]] = []

    class RefusedError(Exception):
        pass

    def start(run: treebank_sizes.SizeRun) -> None:
        commands.append(run.command)
        raise RefusedError

    monkeypatch.setattr(treebank_sizes, "_start", start)
    options = ["--results", str(tmp_path), "--work", str(tmp_path / "work"), "--sizes", "10"]
    assert isinstance(CliRunner().invoke(main, [str(tmp_path / "mine"), *options]).exception, RefusedError)
    place = tmp_path / "work" / "mine-10"
    files = ["--train", str(place / "train.txt"), "--dev", str(tmp_path / "mine" / "dev.txt")]
    assert commands == [["spanlin", "train", *files, "--folder", str(place / "run"), "--device", "cpu"]]
    assert len((place / "train.txt").read_text().splitlines()) == 10
