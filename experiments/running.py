"""Runs side by side, each in a separate process; one that fails is reported and does not stop the others."""

from __future__ import annotations

import multiprocessing
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from multiprocessing.context import ForkServerProcess

from experiments.work import INTERRUPTED, Run, trained, why_diverged, work

_GRACE = 60.0  # seconds that an interrupted run has to save itself


@dataclass(frozen=True, kw_only=True)
class Outcome:
    """How runs ended, by name; `failed` with the last line that each said. `left` can be started again."""

    trained: tuple[str, ...]
    measured: tuple[str, ...]
    failed: tuple[tuple[str, str], ...]
    left: tuple[str, ...]


def run_all(runs: Sequence[Run], *, jobs: int, minutes: float, say: Callable[[str], None]) -> Outcome:
    """Do the runs, `jobs` at a time; after `minutes` (0: no limit) those under way save themselves and stop."""
    # The server imports torch once; each run is then forked from it in no time, before any GPU is touched.
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(
        ["experiments.work", "torch._dynamo", "matplotlib.figure", "torch.utils.tensorboard"]
    )
    deadline = time.monotonic() + minutes * 60 if minutes else float("inf")
    waiting = list(runs)
    active: list[tuple[Run, bool, ForkServerProcess]] = []
    done: dict[str, list[str]] = {"trained": [], "measured": [], "left": []}
    failed: list[tuple[str, str]] = []
    stopping = False
    try:
        while active or (waiting and not stopping):
            while waiting and len(active) < jobs and not stopping:
                run = waiting.pop(0)
                if reason := why_diverged(run.folder):
                    failed.append((run.name, f"{reason} (delete {run.folder} to train it again)"))
                    say(f"[{len(runs) - len(waiting) - len(active)}/{len(runs)}] {run.name}: diverged before")
                    continue
                process = context.Process(target=work, args=(run,))
                process.start()
                active.append((run, trained(run.folder), process))
            if not stopping and time.monotonic() >= deadline:
                stopping = True
                for _, _, process in active:
                    process.terminate()
            if stopping and time.monotonic() >= deadline + _GRACE:
                for _, _, process in active:
                    process.kill()
            for item in list(active):
                run, was_trained, process = item
                process.join(timeout=0.05)
                if process.exitcode is None:
                    continue
                active.remove(item)
                if process.exitcode == 0:
                    done["measured" if was_trained else "trained"].append(run.name)
                elif process.exitcode == INTERRUPTED or stopping:
                    done["left"].append(run.name)
                else:
                    failed.append((run.name, _last_line(run)))
                ended = len(runs) - len(waiting) - len(active)
                say(f"[{ended}/{len(runs)}] {run.name}: {_in_words(process.exitcode, stopping)}")
    finally:
        for _, _, process in active:
            process.terminate()
    done["left"] += [run.name for run in waiting]
    return Outcome(
        trained=tuple(done["trained"]), measured=tuple(done["measured"]), failed=tuple(failed), left=tuple(done["left"])
    )


def _in_words(status: int, stopping: bool) -> str:
    if status == 0:
        return "done"
    return "stopped, can be resumed" if status == INTERRUPTED or stopping else "FAILED"


def _last_line(run: Run) -> str:
    log = run.folder / "log.txt"
    lines = log.read_text(encoding="utf-8", errors="replace").strip().splitlines() if log.exists() else []
    return f"{lines[-1] if lines else 'it said nothing'} ({log})"
