from __future__ import annotations

import errno
import json
import os
import shutil
import signal
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import torch
from safetensors.torch import load_file

import killed_runs
from generated_treebank import generate_treebank
from small_runs import small_config
from spanlin.config.training import TrainingConfig, config_to_toml
from spanlin.errors import CheckpointError, TrainingError
from spanlin.training import checkpoint
from spanlin.training.checkpoint import load_model
from spanlin.training.loop import train
from spanlin.training.metrics import Event


@pytest.fixture(scope="module")
def treebank(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    return generate_treebank(tmp_path_factory.mktemp("treebank"), train=60, dev=8)


def assert_same_run(one: Path, other: Path) -> None:
    """Two runs ended with the very same weights, optimizer state and scores."""
    for name in ("last/weights.safetensors", "last/state.safetensors", "best/weights.safetensors"):
        assert (one / name).read_bytes() == (other / name).read_bytes(), name
    progresses = [json.loads((run / "last" / "progress.json").read_text()) for run in (one, other)]
    for progress in progresses:
        assert progress.pop("seconds") > 0
    assert progresses[0] == progresses[1]


def metrics_of(folder: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (folder / "metrics.jsonl").read_text().splitlines()]


class StopError(Exception):
    pass


def stop_at(step: int, *, kind: str = "saved") -> Any:
    """Return a watcher that ends the run, as a crash would, at an event from this step on."""

    def watch(event: Event) -> None:
        if event.kind == kind and event.step >= step:
            raise StopError

    return watch


EVERYTHING: dict[str, Any] = {
    # All that a step depends on is on: dropout, hidden words, a weight that draws sentences, averaging, accumulation.
    "network": {
        "lexical": {"dropout": 0.2},
        "context": {"dropout": 0.2},
        "scorer": {"dropout": 0.2, "target": "both"},
    },
    "batch": {"tokens": 90, "accumulate": 2},
    "averaging": 0.9,
    "epochs": 12,
    "save_every": 2,
}


@pytest.mark.parametrize(
    ("seed", "changes"),
    [
        pytest.param(1, EVERYTHING, marks=pytest.mark.slow),
        pytest.param(
            2, EVERYTHING | {"optimizer": {"decay": "plateau", "plateau_patience": 0}}, marks=pytest.mark.slow
        ),
        pytest.param(3, EVERYTHING | {"network": {"context": {"kind": "transformer"}}}, marks=pytest.mark.slow),
        pytest.param(4, EVERYTHING | {"save_every": 0, "epochs": 24}, marks=pytest.mark.slow),
    ],
)
def test_killed_at_five_moments_and_resumed_a_run_ends_with_the_weights_of_an_uninterrupted_one(
    seed: int, changes: dict[str, Any], treebank: tuple[Path, Path], tmp_path: Path
) -> None:
    config = small_config(*treebank, **changes)
    config = replace(config, treebanks=(replace(config.treebanks[0], weight=1.5),), evaluate_every=1)
    (tmp_path / "run.toml").write_text(config_to_toml(config), encoding="utf-8")
    script = Path(killed_runs.__file__)
    done = subprocess.run(
        [sys.executable, str(script), str(tmp_path / "run.toml"), str(tmp_path), str(seed)],
        env=os.environ | {"OMP_NUM_THREADS": "1", "PYTHONPATH": os.pathsep.join(sys.path)},
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    saved_steps = json.loads(done.stdout)
    assert len(saved_steps) == killed_runs.KILLS
    assert len(set(saved_steps)) >= 3, "the kills came too close together to show anything"
    assert_same_run(tmp_path / "uninterrupted", tmp_path / "killed")
    evaluations = [
        [(event["step"], event["scores"]) for event in metrics_of(tmp_path / name) if event["kind"] == "evaluation"]
        for name in ("uninterrupted", "killed")
    ]
    assert evaluations[0] == evaluations[1]
    assert len(evaluations[0]) == config.epochs


@pytest.mark.parametrize("averaging", [0.0, 0.9])
@pytest.mark.parametrize("save_every", [0, 3])
def test_a_run_that_stopped_at_any_save_goes_on_as_if_it_had_not(
    averaging: float, save_every: int, treebank: tuple[Path, Path], tmp_path: Path
) -> None:
    config = small_config(*treebank, averaging=averaging, save_every=save_every, epochs=3, batch={"tokens": 150})
    steps = train(config, tmp_path / "whole", device="cpu").steps
    for step in (1, steps // 2, steps - 1):
        folder = tmp_path / str(step)
        with pytest.raises(StopError):
            train(config, folder, device="cpu", watch=stop_at(step))
        train(config, folder, device="cpu", resume=True)
        assert_same_run(tmp_path / "whole", folder)


def test_a_run_that_stopped_while_it_evaluated_goes_on_as_if_it_had_not(
    treebank: tuple[Path, Path], tmp_path: Path
) -> None:
    config = small_config(*treebank, save_every=3, epochs=3, batch={"tokens": 150})
    train(config, tmp_path / "whole", device="cpu")
    with pytest.raises(StopError):
        train(config, tmp_path / "stopped", device="cpu", watch=stop_at(10, kind="evaluation"))
    train(config, tmp_path / "stopped", device="cpu", resume=True)
    assert_same_run(tmp_path / "whole", tmp_path / "stopped")
    for name in ("step", "evaluation", "end"):
        steps = [
            [event["step"] for event in metrics_of(tmp_path / run) if event["kind"] == name]
            for run in ("whole", "stopped")
        ]
        assert steps[0] == steps[1], name


def test_metrics_of_lost_steps_are_cut_off_on_resume(treebank: tuple[Path, Path], tmp_path: Path) -> None:
    config = small_config(*treebank, save_every=25, epochs=8, batch={"tokens": 60}, evaluate_every=8)
    train(config, tmp_path / "whole", device="cpu")
    folder = tmp_path / "stopped"
    with pytest.raises(StopError):
        train(config, folder, device="cpu", watch=stop_at(60, kind="step"))
    saved = json.loads((folder / "last" / "progress.json").read_text())["step"]
    assert saved == 50
    assert metrics_of(folder)[-1]["step"] == 60
    with (folder / "metrics.jsonl").open("a") as stream:
        stream.write('{"kind": "step", "st')  # the half line of a killed writer
    with pytest.raises(StopError):
        train(config, folder, device="cpu", resume=True, watch=stop_at(60, kind="step"))
    assert [event["step"] for event in metrics_of(folder)] == [1, 20, 40, 60]
    train(config, folder, device="cpu", resume=True)
    assert [(event["kind"], event["step"]) for event in metrics_of(folder)] == [
        (event["kind"], event["step"]) for event in metrics_of(tmp_path / "whole")
    ]


def test_a_finished_run_is_not_trained_again(treebank: tuple[Path, Path], tmp_path: Path) -> None:
    config = small_config(*treebank)
    first = train(config, tmp_path / "run", device="cpu")
    before = (tmp_path / "run" / "metrics.jsonl").read_text()
    assert train(config, tmp_path / "run", device="cpu", resume=True) == first
    assert (tmp_path / "run" / "metrics.jsonl").read_text() == before


def test_an_interrupted_run_may_be_given_more_epochs(treebank: tuple[Path, Path], tmp_path: Path) -> None:
    config = small_config(*treebank, optimizer={"decay": "constant"})
    with pytest.raises(StopError):
        train(config, tmp_path / "run", device="cpu", watch=stop_at(1))
    longer = replace(config, epochs=4)
    train(longer, tmp_path / "run", device="cpu", resume=True)
    train(longer, tmp_path / "whole", device="cpu")
    for run in ("run", "whole"):
        assert load_file(tmp_path / run / "last" / "weights.safetensors")
    assert_same_run(tmp_path / "run", tmp_path / "whole")


@pytest.fixture(scope="module")
def stopped(treebank: tuple[Path, Path], tmp_path_factory: pytest.TempPathFactory) -> tuple[TrainingConfig, Path]:
    """A run that ended at its second save."""
    config = small_config(*treebank, save_every=2, epochs=3)
    folder = tmp_path_factory.mktemp("stopped") / "run"
    with pytest.raises(StopError):
        train(config, folder, device="cpu", watch=stop_at(4))
    return config, folder


@pytest.fixture
def run(stopped: tuple[TrainingConfig, Path], tmp_path: Path) -> tuple[TrainingConfig, Path]:
    config, folder = stopped
    return config, Path(shutil.copytree(folder, tmp_path / "run"))


def test_nothing_to_resume_is_an_error(treebank: tuple[Path, Path], tmp_path: Path) -> None:
    with pytest.raises(CheckpointError, match="run: nothing to resume: it has no checkpoint 'last'"):
        train(small_config(*treebank), tmp_path / "run", resume=True, device="cpu")


def test_a_folder_with_other_files_in_a_checkpoints_place_is_an_error(
    treebank: tuple[Path, Path], tmp_path: Path
) -> None:
    (tmp_path / "run" / "best").mkdir(parents=True)
    (tmp_path / "run" / "best" / "notes.txt").write_text("mine")
    with pytest.raises(TrainingError, match=r"best: is not replaced, for it holds notes\.txt, which is not part of a"):
        train(small_config(*treebank), tmp_path / "run", device="cpu")
    assert (tmp_path / "run" / "best" / "notes.txt").read_text() == "mine"


def test_a_folder_in_use_is_an_error(run: tuple[TrainingConfig, Path]) -> None:
    config, folder = run
    with pytest.raises(TrainingError, match="run holds a run already: resume it, or choose an empty folder"):
        train(config, folder, device="cpu")


@pytest.mark.parametrize(
    ("changes", "key"),
    [
        ({"seed": 7}, "seed"),
        ({"optimizer": {"rate": 0.5}}, "optimizer.rate"),
        ({"network": {"scorer": {"target": "left"}}}, "network.scorer.target"),
        ({"batch": {"accumulate": 2}}, "batch.accumulate"),
    ],
)
def test_resuming_with_another_configuration_is_an_error_that_names_the_key(
    changes: dict[str, Any], key: str, run: tuple[TrainingConfig, Path], treebank: tuple[Path, Path]
) -> None:
    _, folder = run
    config = small_config(*treebank, save_every=2, epochs=3, **changes)
    with pytest.raises(CheckpointError, match=f"last: the run was started with another value of {key}: put it back"):
        train(config, folder, resume=True, device="cpu")


def test_resuming_with_another_treebank_is_an_error(treebank: tuple[Path, Path], tmp_path: Path) -> None:
    own = tmp_path / "train.txt"
    shutil.copy(treebank[0], own)
    config = small_config(own, treebank[1], save_every=2)
    with pytest.raises(StopError):
        train(config, tmp_path / "run", device="cpu", watch=stop_at(1))
    with own.open("a") as stream:
        stream.write("(TOP (S (X more)))\n")
    with pytest.raises(CheckpointError, match="last: the treebanks have changed since this run began: start a new one"):
        train(config, tmp_path / "run", resume=True, device="cpu")


def test_resuming_with_other_vocabularies_is_an_error(run: tuple[TrainingConfig, Path]) -> None:
    config, folder = run
    path = folder / "last" / "vocabularies.json"
    table = json.loads(path.read_text())
    table["words"][0] = "changed"
    path.write_text(json.dumps(table))
    with pytest.raises(CheckpointError, match="last: its vocabularies are not those of the treebanks: start a new run"):
        train(config, folder, resume=True, device="cpu")


@pytest.mark.parametrize("name", ["weights.safetensors", "state.safetensors", "progress.json", "vocabularies.json"])
@pytest.mark.parametrize("damage", ["missing", "truncated"])
def test_resuming_a_damaged_checkpoint_is_an_error_that_names_the_file(
    name: str, damage: str, run: tuple[TrainingConfig, Path]
) -> None:
    config, folder = run
    path = folder / "last" / name
    if damage == "missing":
        path.unlink()
    else:
        path.write_bytes(path.read_bytes()[:50])
    with pytest.raises(CheckpointError, match=name.replace(".", r"\.")) as caught:
        train(config, folder, resume=True, device="cpu")
    assert "\n" not in str(caught.value)


def test_weights_that_do_not_fit_are_an_error_on_resume(run: tuple[TrainingConfig, Path]) -> None:
    config, folder = run
    shutil.copy(folder / "last" / "state.safetensors", folder / "last" / "weights.safetensors")
    with pytest.raises(CheckpointError, match="last: the weights do not fit the configuration") as caught:
        train(config, folder, resume=True, device="cpu")
    assert "\n" not in str(caught.value)


def test_a_state_that_does_not_fit_is_an_error_on_resume(run: tuple[TrainingConfig, Path]) -> None:
    config, folder = run
    shutil.copy(folder / "last" / "weights.safetensors", folder / "last" / "state.safetensors")
    with pytest.raises(CheckpointError, match=r"state\.safetensors: ") as caught:
        train(config, folder, resume=True, device="cpu")
    assert "\n" not in str(caught.value)


def test_a_loss_that_is_not_finite_keeps_the_last_good_checkpoint(treebank: tuple[Path, Path], tmp_path: Path) -> None:
    folder = tmp_path / "run"
    # The rate rises until the weights overflow, some steps into the run.
    config = small_config(
        *treebank, save_every=1, epochs=20, optimizer={"rate": 1e30, "warm_up_steps": 10_000, "clip": 0.0}
    )
    with pytest.raises(TrainingError, match="the last good checkpoint is kept") as caught:
        train(config, folder, device="cpu")
    assert "\n" not in str(caught.value)
    weights = load_model(folder / "last").network.state_dict()
    assert all(value.isfinite().all() for value in weights.values())


def test_weights_that_are_not_finite_are_never_saved(
    treebank: tuple[Path, Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # The loss of a step is that of the weights before it, so a step that spoils them still has a finite loss.
    config = small_config(*treebank, save_every=1, epochs=3)
    clip = torch.nn.utils.clip_grad_norm_
    calls = []

    def spoil(weights: list[torch.Tensor], *arguments: object, **options: object) -> object:
        calls.append(1)
        if len(calls) == 3:
            assert weights[0].grad is not None
            weights[0].grad.view(-1)[0] = float("nan")
        return clip(weights, *arguments, **options)  # type: ignore[arg-type]

    monkeypatch.setattr(torch.nn.utils, "clip_grad_norm_", spoil)
    with pytest.raises(TrainingError, match=r"step 3.*the last good checkpoint is kept"):
        train(config, tmp_path / "run", device="cpu")
    weights = load_model(tmp_path / "run" / "last").network.state_dict()
    assert all(value.isfinite().all() for value in weights.values())
    assert json.loads((tmp_path / "run" / "last" / "progress.json").read_text())["step"] == 2


def test_a_full_disk_keeps_the_last_good_checkpoint_and_the_run_can_go_on(
    treebank: tuple[Path, Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    config = small_config(*treebank, save_every=2, epochs=3)
    train(config, tmp_path / "whole", device="cpu")
    folder = tmp_path / "run"
    real = vars(checkpoint)["save_file"]
    calls = []

    def full(*arguments: Any, **options: Any) -> None:
        calls.append(1)
        if len(calls) == 3:
            raise OSError(errno.ENOSPC, "No space left on device")
        real(*arguments, **options)

    with monkeypatch.context() as patch:
        patch.setattr(checkpoint, "save_file", full)
        with pytest.raises(
            TrainingError, match=r"cannot be written: .*No space left on device; the last good checkpoint"
        ):
            train(config, folder, device="cpu")
    load_model(folder / "last")
    train(config, folder, device="cpu", resume=True)
    assert_same_run(tmp_path / "whole", folder)


def test_a_termination_signal_during_the_last_save_loses_nothing(treebank: tuple[Path, Path], tmp_path: Path) -> None:
    late: list[int] = []
    before = signal.signal(signal.SIGTERM, lambda number, _: late.append(number))
    saves = 0

    def watch(event: Event) -> None:
        nonlocal saves
        if event.kind == "saved":
            saves += 1
            signal.raise_signal(signal.SIGTERM)

    try:
        result = train(small_config(*treebank, save_every=1000), tmp_path / "run", device="cpu", watch=watch)
    finally:
        signal.signal(signal.SIGTERM, before)
    assert (saves, late, result.interrupted) == (1, [], False)
    assert json.loads((tmp_path / "run/last/progress.json").read_text())["finished"]
