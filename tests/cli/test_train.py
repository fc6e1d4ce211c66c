from __future__ import annotations

import json
import os
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
from spanlin.config.training import config_to_toml


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
    assert output.startswith("finished after ")
    assert output.rstrip().endswith(str(Path("runs/small/best")))
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
    assert output.startswith("interrupted, --resume goes on after ")
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
