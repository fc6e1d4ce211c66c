"""Units that killed a worker: parsed by a process apart, and searched for the documents that it dies of."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict
from typing import Any

from spanlin.corpus.child_process import TIMED_OUT
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
    """A separate process that died, failed or was ended for taking too long; the message is how.

    `place` is that of the document that was read last, if one was.
    """

    def __init__(self, message: str, *, place: int | None = None, timed_out: bool = False) -> None:
        super().__init__(message if timed_out else f"the parser dies of it: {message}")
        self.how = message
        self.place = place
        self.timed_out = timed_out


def run_apart(job: Job, unit: Unit, *, left_out: Mapping[int, str] | None = None) -> UnitRecord:
    """Return the record of a unit that a separate process has parsed; the documents at some places fail for reasons.

    Raises a DeathError if it dies, and a CorpusError if the output cannot be written.
    """
    found = _start(job, unit, {"left_out": list((left_out or {}).items())})
    return UnitRecord.from_json(found["record"])


def find_deadly(job: Job, unit: Unit, places: Sequence[int]) -> dict[int, str]:
    """Return the places, of these, of the documents that the parser dies of each by itself, and how."""
    reasons: dict[int, str] = {}

    def dies(some: Sequence[int]) -> bool:
        try:
            _start(job, unit, {"only": list(some)})
        except DeathError as death:
            reasons.update(dict.fromkeys(some, str(death)))
            return True
        return False

    return {place: reasons[place] for place in search(places, dies)}


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
    """Return what the separate process answers; see `spanlin.corpus.unit_process`."""
    process = start_apart("spanlin.corpus.unit_process")
    assert process.stdin is not None
    assert process.stdout is not None
    place = None
    try:
        give_task(process, {"job": asdict(job), "unit": asdict(unit), **task})
        has_started = process.stdout.readline() == STARTED
        while (answer := process.stdout.readline()).strip().isdigit():
            place = int(answer)
        if answer.startswith(TIMED_OUT):
            process.kill()
    except BaseException:
        process.kill()
        raise
    finally:
        process.stdout.close()
        with suppress(BrokenPipeError):
            process.stdin.close()
        status = process.wait()
    if not has_started and status > 0:
        raise did_not_start(status)
    if answer.startswith(TIMED_OUT):
        raise DeathError(f"no sentence in {job.time_limit:g} seconds, the time limit", place=place, timed_out=True)
    if not answer.endswith("\n"):
        how = f"killed by {_signal_name(-status)}" if status < 0 else f"ended with status {status}"
        raise DeathError(how, place=place)
    found: dict[str, Any] = json.loads(answer)
    if "stop" in found:
        raise CorpusError(found["stop"])
    if "failed" in found:
        raise DeathError(found["failed"], place=place)
    return found


def did_not_start(status: int) -> CorpusError:
    """Return the error for a separate process that ended before it said that it had started."""
    return CorpusError(f"a process apart did not start (status {status}): is spanlin installed as a whole here?")


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
