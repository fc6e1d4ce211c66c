"""A training run that is killed at random moments until it is through; `training/test_resume.py` runs this as a script.

One process imports torch once and forks the runs, so that killing five of them costs little.
"""

from __future__ import annotations

import json
import os
import random
import signal
import sys
import time
from pathlib import Path

KILLS = 5


def forked_run(config_path: Path, folder: Path) -> tuple[int, int]:
    """Start the run, or resume it if it has a checkpoint; return the process and a pipe with a byte for each save."""
    from spanlin.config.training import load_config
    from spanlin.training.loop import train

    reader, writer = os.pipe()
    process = os.fork()
    if process:
        os.close(writer)
        return process, reader
    status = 1
    try:
        os.close(reader)
        resume = any((folder / name).exists() for name in ("last", ".last.old"))
        train(
            load_config(config_path),
            folder,
            resume=resume,
            device="cpu",
            watch=lambda event: os.write(writer, b".") if event.kind == "saved" else None,  # type: ignore[arg-type]
        )
        status = 0
    finally:
        os._exit(status)


def finish(config_path: Path, folder: Path) -> None:
    process, reader = forked_run(config_path, folder)
    with os.fdopen(reader, "rb") as pipe:
        pipe.read()
    _, status = os.waitpid(process, 0)
    assert status == 0, f"the run in {folder} failed"


def kill_and_finish(config_path: Path, folder: Path, seed: int) -> list[int]:
    """Return the step that each killed run had saved last."""
    chance = random.Random(seed)
    saved_steps = []
    for number in range(KILLS):
        process, reader = forked_run(config_path, folder)
        # The first one dies before or after its first save, the others some saves later; when exactly is chance.
        for _ in range(chance.randint(0, 1) if number == 0 else chance.randint(1, 6)):
            assert os.read(reader, 1), "the run ended by itself"
        time.sleep(chance.uniform(0, 0.1))
        os.kill(process, signal.SIGKILL)
        _, status = os.waitpid(process, 0)
        os.close(reader)
        assert os.WIFSIGNALED(status), "the run ended before it was killed"
        progress = folder / "last" / "progress.json"
        saved_steps.append(json.loads(progress.read_text())["step"] if progress.exists() else 0)
    finish(config_path, folder)
    return saved_steps


def main() -> None:
    import matplotlib.figure  # noqa: F401 (imported here, not in each of the runs)
    import torch
    import torch.utils.tensorboard

    torch.set_num_threads(1)
    config_path, root = Path(sys.argv[1]), Path(sys.argv[2])
    finish(config_path, root / "uninterrupted")
    print(json.dumps(kill_and_finish(config_path, root / "killed", seed=int(sys.argv[3]))))


if __name__ == "__main__":
    main()
