"""What a run does with what it finds in its folder: it resumes, starts again, or leaves things as they are."""

from __future__ import annotations

import re
import shutil
from dataclasses import replace
from pathlib import Path

import pytest
from experiments.running import run_all
from experiments.work import Run, _train, _with_files, trained, why_diverged

from experiments import work
from generated_treebank import generate_treebank
from small_runs import small_config
from spanlin.config.training import TreebankConfig
from spanlin.errors import CheckpointError, ConfigError, DivergedError
from spanlin.training.loop import train


def run_on(treebank: tuple[Path, Path], folder: Path, *, held_out: float = 0.0) -> Run:
    return Run(
        key="key",
        config=small_config(*treebank, epochs=1),
        share=1.0,
        held_out=held_out,
        decoder="cky",
        tagged_dev=None,
        rows=(("bilstm", "BiLSTM"),),
        decoders=False,
        folder=folder,
        results=folder / "results",
        device="cpu",
        threads=1,
        commit="abc",
    )


@pytest.fixture
def run(tmp_path: Path) -> Run:
    """A run that was begun: its first checkpoint is there, and its best model."""
    run = run_on(generate_treebank(tmp_path / "data", train=30, dev=5), tmp_path / "run")
    train(run.config, run.folder, device="cpu")
    return run


def kept(folder: Path) -> dict[str, bytes]:
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for part in ("last", "best")
        for path in sorted((folder / part).rglob("*.*"))
    }


def test_what_is_missing_outside_a_checkpoint_does_not_cost_it(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    before = kept(run.folder)
    asked: list[Path] = []

    def fail(*_: object) -> None:
        asked.append(run.folder)
        raise CheckpointError("vectors/glove: word vectors cannot be read")

    monkeypatch.setattr(work, "_train_or_resume", fail)
    with pytest.raises(CheckpointError, match="vectors/glove: word vectors cannot be read"):
        _train(run)
    assert len(asked) == 1
    assert before
    assert kept(run.folder) == before
    assert why_diverged(run.folder) == ""


def test_other_settings_do_not_cost_a_checkpoint(run: Run) -> None:
    before = kept(run.folder)
    other = replace(run.config, seed=99)
    with pytest.raises(CheckpointError, match=r"another value of seed"):
        _train(replace(run, config=other))
    assert kept(run.folder) == before


def test_a_run_resumes_with_another_spelling_of_its_data(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    treebank = run.config.treebanks[0]
    monkeypatch.chdir(Path(treebank.train).parent)
    near = TreebankConfig(name=treebank.name, train=Path(treebank.train).name, dev=Path(treebank.dev).name)
    before = (run.folder / "best/weights.safetensors").stat().st_mtime_ns
    assert _train(replace(run, config=replace(run.config, treebanks=(near,))))
    assert (run.folder / "best/weights.safetensors").stat().st_mtime_ns == before


@pytest.mark.parametrize("name", ["weights.safetensors", "state.safetensors", "progress.json", "config.toml"])
def test_a_damaged_checkpoint_is_started_again(name: str, run: Run, capsys: pytest.CaptureFixture[str]) -> None:
    (run.folder / "last" / name).write_bytes(b"{")
    assert _train(run)
    assert "starts again: " in capsys.readouterr().out
    assert trained(run.folder)


def test_a_run_that_diverged_says_so_and_is_not_trained_again(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    def diverge(*_: object) -> None:
        raise DivergedError("the loss is nan near step 3")

    monkeypatch.setattr(work, "_train_or_resume", diverge)
    with pytest.raises(DivergedError):
        _train(run)
    said: list[str] = []
    outcome = run_all([run], jobs=1, minutes=0.0, say=said.append)
    assert outcome.failed == ((run.name, f"the loss is nan near step 3 (delete {run.folder} to train it again)"),)
    assert said == [f"[1/1] {run.name}: diverged before"]
    shutil.rmtree(run.folder)
    assert why_diverged(run.folder) == ""


def test_too_few_trees_to_hold_some_out_are_refused_before_dev_is_looked_at(tmp_path: Path) -> None:
    run = run_on(generate_treebank(tmp_path / "data", train=30, dev=5), tmp_path / "run", held_out=0.02)
    run.folder.mkdir()
    message = rf"{re.escape(run.config.treebanks[0].train)}: 30 trees are too few to hold out 0.02 of them"
    with pytest.raises(ConfigError, match=message):
        _with_files(run)
    enough = _with_files(replace(run, held_out=0.1)).treebanks[0]
    assert Path(enough.dev) == run.folder / "dev.txt"
