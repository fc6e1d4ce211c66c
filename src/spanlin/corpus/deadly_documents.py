"""Units that killed a worker: parsed in a separate process, and searched for the documents that kill it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict
from typing import Any

from spanlin.corpus.child_process import ChildProcess, describe_status, did_not_start
from spanlin.corpus.job import Job
from spanlin.corpus.records import UnitRecord
from spanlin.corpus.units import Unit
from spanlin.errors import CorpusError

MOST_ATTEMPTS = 8
"""How often a unit may take its worker with it before it is given up.

This is for what kills not only the separate process but the worker too. Workers also die through no fault of a unit, so
it is more than a few.
"""


class DeathError(Exception):
    """A separate process that died, failed or was ended for taking too long; the message says how.

    `place` is that of the document that was read last, if there was one.
    """

    def __init__(self, message: str, *, place: int | None = None, timed_out: bool = False) -> None:
        super().__init__(message if timed_out else f"the parser dies of it: {message}")
        self.how = message
        self.place = place
        self.timed_out = timed_out


def parse_separately(job: Job, unit: Unit, *, left_out: Mapping[int, str] | None = None) -> UnitRecord:
    """Return the record of a unit that a separate process has parsed.

    The documents at the places `left_out` are not parsed, and fail for the reasons given there. Raises a DeathError if
    the process dies, and a CorpusError if the output cannot be written.
    """
    return UnitRecord.from_json(_run(job, unit, {"left_out": list((left_out or {}).items())}))


def find_deadly(job: Job, unit: Unit, places: Sequence[int]) -> dict[int, str]:
    """Return which of the documents at these places kill the parser even when parsed alone, and how."""
    reasons: dict[int, str] = {}

    def dies(some: Sequence[int]) -> bool:
        try:
            _run(job, unit, {"only": list(some)})
        except DeathError as death:
            reasons.update(dict.fromkeys(some, str(death)))
            return True
        return False

    return {place: reasons[place] for place in search(places, dies)}


def search(places: Sequence[int], dies: Callable[[Sequence[int]], bool]) -> set[int]:
    """Return those that are deadly alone, by halving; about log n calls for each of them."""
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


def _run(job: Job, unit: Unit, task: dict[str, Any]) -> str:
    """Return the record, as JSON, that a separate process answers with; see `spanlin.corpus.unit_process`."""
    place = None
    with ChildProcess("spanlin.corpus.unit_process", {"job": asdict(job), "unit": asdict(unit), **task}) as child:
        for answer in child.answers():
            if "document" in answer:
                place = answer["document"]
            elif "stop" in answer:
                raise CorpusError(answer["stop"])
            elif "failed" in answer:
                raise DeathError(answer["failed"], place=place)
            else:
                return str(answer["record"])
        status = child.close()
    if child.timed_out:
        raise DeathError(f"no sentence in {job.time_limit:g} seconds, the time limit", place=place, timed_out=True)
    if not child.has_started and status > 0:  # that is not the unit's fault
        raise did_not_start(status)
    raise DeathError(describe_status(status), place=place)
