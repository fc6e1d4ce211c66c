from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest
import torch
from click.testing import CliRunner

from generated_treebank import generate_treebank
from small_runs import small_config
from spanlin.cli.main import main
from spanlin.config.training import TrainingConfig, config_to_toml
from spanlin.training.loop import TrainingResult


@pytest.fixture(autouse=True, scope="module")
def _one_thread() -> None:
    torch.set_num_threads(1)


@pytest.fixture(scope="module")
def treebank(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    return generate_treebank(tmp_path_factory.mktemp("treebank"), train=40, dev=6)


def write_config(folder: Path, treebank: tuple[Path, Path], **changes: Any) -> Path:
    path = folder / "small.toml"
    path.write_text(config_to_toml(small_config(*treebank, **changes)), encoding="utf-8")
    return path


def run(*arguments: object) -> tuple[int, str, str]:
    result = CliRunner().invoke(main, ["train", *map(str, arguments)])
    return result.exit_code, result.stdout, result.stderr


def test_a_run_is_kept_in_a_folder_named_after_its_configuration(
    treebank: tuple[Path, Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    path = write_config(tmp_path, treebank)
    status, output, errors = run(path, "--device", "cpu")
    assert status == 0
    first, export, parse = output.splitlines()
    assert first.startswith("finished after ")
    assert first.endswith(str(Path("runs/small/best")))
    assert export == f"next: spanlin export runs/small/best runs/small/model --calibrate {treebank[1]}"
    assert parse == "next: spanlin parse --model runs/small/model --text 'A sentence to parse.'"
    assert errors.startswith("40 sentences of ")
    assert "epoch 1/2  step 1/" in errors
    assert "epoch 1  dev F1  generated " in errors
    assert (tmp_path / "runs" / "small" / "best" / "model.json").exists()

    status, output, errors = run(path, "--device", "cpu")
    assert (status, output) == (1, "")
    assert errors == "spanlin: runs/small holds a run already: resume it, or choose an empty folder\n"
    assert run(path, "--device", "cpu", "--resume")[0] == 0  # finished already: nothing left to do


def test_a_folder_can_be_named(treebank: tuple[Path, Path], tmp_path: Path) -> None:
    path = write_config(tmp_path, treebank, epochs=1)
    assert run(path, "--folder", tmp_path / "here", "--device", "cpu")[0] == 0
    assert (tmp_path / "here" / "curves.png").exists()


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("epoch = 3\n", "unknown key epoch; known here: "),
        ('epochs = "3"\n', "epochs must be of type int, got '3'"),
        ("", "the key treebanks is missing"),
        ("epochs =", "not TOML: "),
    ],
)
def test_a_wrong_configuration_is_one_line_on_stderr(text: str, message: str, tmp_path: Path) -> None:
    path = tmp_path / "wrong.toml"
    path.write_text(text)
    status, output, errors = run(path, "--folder", tmp_path / "run")
    assert (status, output) == (1, "")
    assert errors.startswith(f"spanlin: {path}: {message}")
    assert errors.count("\n") == 1
    assert not (tmp_path / "run").exists()


def test_files_alone_are_enough(treebank: tuple[Path, Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "mine").mkdir()
    for path in treebank:
        shutil.copy(path, tmp_path / "mine")
    files = ["--train", "mine/train.txt", "--dev", "mine/dev.txt"]
    monkeypatch.setattr("spanlin.training.loop.train", stopped_at_once)
    status, output, errors = run(*files, "--max-minutes", "0.5", "--device", "cpu")
    assert (status, errors) == (0, "runs/mine ('mine', 'mine/train.txt', 'mine/dev.txt') 0.5 False\n")
    assert output == "interrupted after 3 steps; to resume: spanlin train --folder runs/mine --resume\n"

    # What the message says works: the configuration is beside the run.
    (tmp_path / "runs" / "mine").mkdir(parents=True)
    (tmp_path / "runs" / "mine" / "config.toml").write_text(config_to_toml(small_config(Path("t.txt"))))
    status, _, errors = run("--folder", "runs/mine", "--resume")
    assert (status, errors) == (0, "runs/mine ('generated', 't.txt', '') 0.0 True\n")


def stopped_at_once(config: TrainingConfig, folder: Path, *, resume: bool, **_others: Any) -> TrainingResult:
    """Say what was asked for, in place of a run."""
    (treebank,) = config.treebanks
    print(folder, (treebank.name, treebank.train, treebank.dev), config.max_minutes, resume, file=sys.stderr)
    return TrainingResult(best=folder / "last", best_score=0.0, steps=3, interrupted=True)


@pytest.mark.parametrize(
    ("path", "folder"),
    [("data/mine/train.txt.gz", "mine"), ("data/mine/wsj.txt", "wsj"), ("data/mean/train.txt", "treebank")],
)
def test_a_run_is_named_after_its_file_or_the_folder_of_it(
    path: str, folder: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("spanlin.training.loop.train", stopped_at_once)
    assert run("--train", path)[2] == f"{Path('runs') / folder} ({folder!r}, {path!r}, '') 0.0 False\n"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([], "give --train FILE and --dev FILE, or CONFIG."),
        (["--resume"], "give --train FILE and --dev FILE, or CONFIG."),
        (["--dev", "d.txt"], "--dev needs --train FILE."),
        (["c.toml", "--train", "t.txt"], "CONFIG names its own files: give it, or --train and --dev, not both."),
    ],
)
def test_what_to_train_on_must_be_said_once(arguments: list[str], message: str) -> None:
    assert run(*arguments) == (2, "", f"main train: {message} See main train --help.\n")


def test_a_missing_configuration_is_one_line_on_stderr(tmp_path: Path) -> None:
    status, _, errors = run(tmp_path / "none.toml")
    assert status == 1
    assert errors == f"spanlin: {tmp_path / 'none.toml'}: cannot be read: No such file or directory\n"


def test_nothing_to_resume_is_one_line_on_stderr(treebank: tuple[Path, Path], tmp_path: Path) -> None:
    path = write_config(tmp_path, treebank)
    status, _, errors = run(path, "--folder", tmp_path / "run", "--resume", "--device", "cpu")
    assert status == 1
    assert errors == f"spanlin: {tmp_path / 'run'}: nothing to resume: it has no checkpoint 'last'\n"


def test_an_unknown_device_is_one_line_on_stderr(treebank: tuple[Path, Path], tmp_path: Path) -> None:
    status, _, errors = run(write_config(tmp_path, treebank), "--folder", tmp_path / "run", "--device", "gpu")
    assert status == 1
    assert errors.startswith("spanlin: device 'gpu' cannot be used: ")
    assert errors.count("\n") == 1


def start(path: Path, folder: Path, *options: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-m", "spanlin", "train", str(path), "--folder", str(folder), "--device", "cpu", *options],
        env=os.environ | {"OMP_NUM_THREADS": "1", "PYTHONPATH": os.pathsep.join(sys.path)},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_stop_signal_saves_and_exits_and_the_run_goes_on_exactly(
    number: signal.Signals, treebank: tuple[Path, Path], tmp_path: Path
) -> None:
    settings = {"optimizer": {"decay": "constant"}, "save_every": 1, "evaluate_every": 100_000}
    path = write_config(tmp_path, treebank, **settings, epochs=100_000)
    folder = tmp_path / "stopped"
    process = start(path, folder)
    deadline = time.monotonic() + 60
    while not (folder / "last").exists():
        assert process.poll() is None, process.communicate()
        assert time.monotonic() < deadline
        time.sleep(0.02)
    process.send_signal(number)
    output, errors = process.communicate(timeout=60)
    assert process.returncode == 0, errors
    assert output.startswith("interrupted after ")
    assert output.endswith(f"; to resume: spanlin train --folder {folder} --resume\n")
    progress = json.loads((folder / "last" / "progress.json").read_text())
    assert not progress["finished"]
    assert f" after {progress['step']} steps" in output
    assert json.loads((folder / "metrics.jsonl").read_text().splitlines()[-1])["text"] == "interrupted"

    # The rest of the epoch; and the same run without a stop. A constant rate, so that fewer epochs change nothing.
    path = write_config(tmp_path, treebank, **settings, epochs=progress["epoch"] + 1)
    status, output, errors = run(path, "--folder", folder, "--resume", "--device", "cpu")
    assert status == 0, errors
    assert output.startswith("finished after ")
    assert run(path, "--folder", tmp_path / "whole", "--device", "cpu")[0] == 0
    weights = [
        (run_folder / "last" / "weights.safetensors").read_bytes() for run_folder in (folder, tmp_path / "whole")
    ]
    assert weights[0] == weights[1]
