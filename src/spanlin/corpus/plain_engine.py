"""Units one after another, in one separate process; if a unit kills it, another process takes over."""

from __future__ import annotations

from collections.abc import Generator, Iterator, Sequence
from contextlib import closing
from dataclasses import asdict
from typing import Any

from spanlin.corpus.child_process import ChildProcess, did_not_start
from spanlin.corpus.job import Job
from spanlin.corpus.records import UnitRecord
from spanlin.corpus.units import Unit
from spanlin.corpus.work import Live, UnitDone
from spanlin.errors import CorpusError

_LEAVING = 10.0  # seconds for a worker that is stopped to clean up


def run_plainly(units: Sequence[Unit], job: Job, live: Live) -> Iterator[UnitDone]:
    """Yield each unit when it is done, in order; `live` is how far the next one is.

    A worker that is killed, or that ends itself because it did nothing for the job's time limit, is replaced. The new
    one finds that the unit was begun, and parses it in yet another process.
    """
    waiting = {unit.name: unit for unit in units}
    while waiting:
        with closing(_answers(list(waiting.values()), job)) as answers:
            for answer in answers:
                if "live" in answer:
                    vars(live).update(answer["live"])
                elif "stop" in answer:
                    raise CorpusError(answer["stop"])
                else:
                    record = UnitRecord(**answer["record"])
                    del waiting[record.unit]
                    yield UnitDone(record, answer["outcome"])


def _answers(units: Sequence[Unit], job: Job) -> Generator[dict[str, Any]]:
    """Yield what the worker answers (see `spanlin.corpus.plain_worker`) until it ends or dies."""
    task = {"job": asdict(job), "units": [asdict(unit) for unit in units]}
    # Ctrl-C is for this process alone.
    with ChildProcess("spanlin.corpus.plain_worker", task, leads_group=True) as child:
        try:
            for answer in child.answers():
                if "end" in answer:
                    return
                yield answer
            if not child.has_started:
                raise did_not_start(child.close())
        except BaseException:
            # It removes what it has begun, if it can: that it is stopped is not the unit's fault.
            child.terminate(_LEAVING)
            raise
