"""Units that killed a worker: parsed by a process apart, and searched for the documents that it dies of."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import asdict
from typing import Any

from spanlin.corpus.job import Job
from spanlin.corpus.records import UnitRecord
from spanlin.corpus.units import Unit
from spanlin.errors import CorpusError

MOST_ATTEMPTS = 8
"""So often a unit may take its worker with it before it is given up.

It is for what kills not only the process apart but the worker too. Workers also die through no fault of a unit, so
it is more than a few.
"""

STARTED = "started\n"
"""What a process apart says first; it is no fault of a unit if it does not get so far."""


class DeathError(Exception):
    """A process apart that died or failed; the message is how."""


def run_apart(job: Job, unit: Unit, *, left_out: Sequence[int] = (), reason: str = "") -> UnitRecord:
    """Return the record of a unit that a process apart has parsed, without the documents at some places.

    Raises a DeathError if it dies, and a CorpusError if the output cannot be written.
    """
    found = _start(job, unit, {"left_out": list(left_out), "reason": reason})
    return UnitRecord.from_json(found["record"])


def find_deadly(job: Job, unit: Unit, places: Sequence[int]) -> set[int]:
    """Return the places, of these, of the documents that the parser dies of each by itself."""

    def dies(some: Sequence[int]) -> bool:
        try:
            _start(job, unit, {"only": list(some)})
        except DeathError:
            return True
        return False

    return search(places, dies)


def search(places: Sequence[int], dies: Callable[[Sequence[int]], bool]) -> set[int]:
    """Return those that are deadly by themselves, by halving; about log n times as many calls as there are such."""
    found: set[int] = set()
    waiting = [places]
    while waiting:
        some = waiting.pop()
        if not some or not dies(some):
            continue
        if len(some) == 1:
            found.add(some[0])
        else:
            waiting += [some[: len(some) // 2], some[len(some) // 2 :]]
    return found


def _start(job: Job, unit: Unit, task: dict[str, Any]) -> dict[str, Any]:
    """Return what the process apart answers; see `spanlin.corpus.apart`."""
    process = start_apart("spanlin.corpus.apart")
    assert process.stdin is not None
    assert process.stdout is not None
    try:
        give_task(process, {"job": asdict(job), "unit": asdict(unit), **task})
        has_started = process.stdout.readline() == STARTED
        answer = process.stdout.readline()
    except BaseException:
        process.kill()
        raise
    finally:
        process.stdout.close()
        with suppress(BrokenPipeError):
            process.stdin.close()
        status = process.wait()
    if not has_started and status > 0:
        raise CorpusError(f"a process apart did not start (status {status}): is spanlin installed as a whole here?")
    if not answer.endswith("\n"):
        raise DeathError(f"killed by {_signal_name(-status)}" if status < 0 else f"ended with status {status}")
    found: dict[str, Any] = json.loads(answer)
    if "stop" in found:
        raise CorpusError(found["stop"])
    if "failed" in found:
        raise DeathError(found["failed"])
    return found


def start_apart(module: str, *, leads_group: bool = False) -> subprocess.Popen[str]:
    """Return a process that runs a module of ours; `leads_group`: no signal for this process's group reaches it."""
    return subprocess.Popen(
        [sys.executable, "-m", module],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        # It finds what this process finds, also in another folder, and where Ray has changed the path.
        env=os.environ | {"PYTHONPATH": os.pathsep.join(os.path.abspath(place) for place in sys.path)},
        start_new_session=leads_group,
    )


def give_task(process: subprocess.Popen[str], task: dict[str, Any]) -> None:
    """Give a process apart its task, a line; one that is gone already will be missed by whoever reads its answers.

    Its input stays open: when this process is gone, it ends, and so that one does.
    """
    assert process.stdin is not None
    with suppress(BrokenPipeError):
        process.stdin.write(json.dumps(task) + "\n")
        process.stdin.flush()


def _signal_name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"
