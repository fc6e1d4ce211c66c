from __future__ import annotations

import json
import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from safetensors.torch import load_file

import parallel_runs
from generated_treebank import generate_treebank
from small_runs import small_config
from spanlin.config.training import TrainingConfig, config_to_toml
from spanlin.training import processes
from spanlin.training.batches import plan_epoch
from spanlin.training.loop import train
from spanlin.trees.brackets import read_trees

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def treebank(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    return generate_treebank(tmp_path_factory.mktemp("treebank"), train=50, dev=6)


def config_for(treebank: tuple[Path, Path], **changes: Any) -> TrainingConfig:
    # Adam divides by the root of the squared gradient plus epsilon. Where a gradient is all but zero, a small epsilon
    # turns the rounding of its sum, which differs with the order of the summands, into a whole step up or down.
    return small_config(
        *treebank, batch={"tokens": 120, "sentences": 8}, optimizer={"epsilon": 1e-3}, **({"epochs": 3} | changes)
    )


def run_in_parallel(config: TrainingConfig, folder: Path, mode: str = "start") -> str:
    path = folder.with_suffix(".toml")
    path.write_text(config_to_toml(config), encoding="utf-8")
    done = subprocess.run(
        [sys.executable, parallel_runs.__file__, str(path), str(folder), mode],
        env=os.environ | {"OMP_NUM_THREADS": "1", "PYTHONPATH": os.pathsep.join(sys.path)},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def weights_of(path: Path) -> dict[str, torch.Tensor]:
    weights: dict[str, torch.Tensor] = load_file(path)
    return weights


def batch_counts(config: TrainingConfig) -> list[int]:
    costs = np.array([len(tree.words) + 2 for tree in read_trees(config.treebanks[0].train)])
    budgets: dict[str, Any] = {"token_budget": config.batch.tokens, "sentence_budget": config.batch.sentences}
    return [
        len(plan_epoch([(np.arange(len(costs)), 1.0)], costs, seed=config.seed, epoch=epoch, **budgets))
        for epoch in range(config.epochs)
    ]


def test_two_processes_train_as_one_that_accumulates_two_batches(treebank: tuple[Path, Path], tmp_path: Path) -> None:
    config = config_for(treebank)
    counts = batch_counts(config)
    assert any(count % 2 for count in counts), "some epoch must end in a step with one batch for two processes"
    run_in_parallel(config, tmp_path / "two")
    one = replace(config, batch=replace(config.batch, accumulate=2))
    result = train(one, tmp_path / "one", device="cpu")
    assert result.steps == sum(-(-count // 2) for count in counts)

    ranks = [weights_of(tmp_path / "two" / f"rank-{rank}.safetensors") for rank in range(2)]
    saved = weights_of(tmp_path / "two" / "last" / "weights.safetensors")
    single = weights_of(tmp_path / "one" / "last" / "weights.safetensors")
    start = weights_of(_untrained(one, tmp_path))
    moved = 0.0
    for name, value in saved.items():
        assert ranks[0][name].equal(value), name
        assert ranks[1][name].equal(value), name  # bit for bit: both apply the same summed gradient
        torch.testing.assert_close(value, single[name], atol=2e-5, rtol=0, msg=name)
        moved = max(moved, float((value - start[name]).abs().max()))
    assert moved > 1e-2  # five hundred times the tolerance

    progresses = [json.loads((tmp_path / run / "last" / "progress.json").read_text()) for run in ("one", "two")]
    for key in ("epoch", "step", "finished", "best_step", "fingerprint"):
        assert progresses[0][key] == progresses[1][key], key


def _untrained(config: TrainingConfig, tmp_path: Path) -> Path:
    """The same network after one step with next to no rate."""
    config = replace(config, epochs=1, save_every=1, optimizer=replace(config.optimizer, rate=1e-12))
    train(config, tmp_path / "start", device="cpu")
    return tmp_path / "start" / "last" / "weights.safetensors"


def test_a_signal_to_one_process_stops_both_and_the_run_goes_on_after_it(
    treebank: tuple[Path, Path], tmp_path: Path
) -> None:
    config = config_for(treebank, epochs=40, save_every=2, evaluate_every=40)
    said = run_in_parallel(config, tmp_path / "run", "interrupt").splitlines()
    assert len(said) == 2
    assert said[0].split(": ", 1)[1].endswith("interrupted: True")
    assert said[0].split(": ", 1)[1] == said[1].split(": ", 1)[1]
    shorter = replace(config, epochs=json.loads((tmp_path / "run/last/progress.json").read_text())["epoch"] + 2)
    assert "interrupted: False" in run_in_parallel(shorter, tmp_path / "run", "resume")
    ranks = [weights_of(tmp_path / "run" / f"rank-{rank}.safetensors") for rank in range(2)]
    assert all(ranks[0][name].equal(ranks[1][name]) for name in ranks[0])


def test_a_time_limit_ends_both_processes_at_the_same_step_with_the_same_weights(
    treebank: tuple[Path, Path], tmp_path: Path
) -> None:
    # Rates follow the clock, and no two processes have the same one.
    config = config_for(treebank, epochs=10_000, max_minutes=1.5 / 60, evaluate_every=10_000)
    said = run_in_parallel(config, tmp_path / "run").splitlines()
    assert said[0].split(": ", 1)[1] == said[1].split(": ", 1)[1]
    ranks = [weights_of(tmp_path / "run" / f"rank-{rank}.safetensors") for rank in range(2)]
    assert all(ranks[0][name].equal(ranks[1][name]) for name in ranks[0])


@pytest.mark.parametrize(
    ("name", "chosen"), [("", "cuda:2"), ("cuda", "cuda:2"), ("cuda:0", "cuda:0"), ("cuda:1", "cuda:1")]
)
def test_a_gpu_is_made_the_current_one_however_it_is_named(
    name: str, chosen: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    set_to: list[object] = []
    monkeypatch.setenv("LOCAL_RANK", "2")
    monkeypatch.setattr(torch.cuda, "is_available", lambda: True)
    monkeypatch.setattr(torch.cuda, "set_device", set_to.append)
    monkeypatch.setattr(torch, "set_float32_matmul_precision", set_to.append)
    monkeypatch.setattr(processes, "choose_device", torch.device)
    assert processes.choose_training_device(name) == torch.device(chosen)
    assert set_to == ["high", torch.device(chosen)]
    set_to.clear()
    assert processes.choose_training_device("cpu") == torch.device("cpu")
    assert set_to == []
