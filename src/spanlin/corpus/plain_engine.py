"""Units one after another, by one separate process; if it dies of one, another process takes over."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Generator, Iterator, Sequence
from contextlib import closing, suppress
from dataclasses import asdict
from typing import Any

from spanlin.corpus.deadly_documents import did_not_start, give_task, start_apart
from spanlin.corpus.job import Job
from spanlin.corpus.ray_engine import end_group
from spanlin.corpus.records import UnitRecord
from spanlin.corpus.units import Unit
from spanlin.corpus.work import Live, UnitDone
from spanlin.errors import CorpusError

_LEAVING = 10.0  # seconds for a worker that is stopped to tidy up


def run_plainly(units: Sequence[Unit], job: Job, live: Live) -> Iterator[UnitDone]:
    """Yield each unit when it is done, in order; `live` is how far the next one is.

    A worker that is killed, or that ends itself as nothing has been done for the job's time limit, is replaced. The new
    one finds that the unit was begun, and parses it carefully.
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
    """Yield what the worker says (see `spanlin.corpus.plain_worker`) until it ends or dies."""
    # Ctrl-C is for this process alone.
    process = start_apart("spanlin.corpus.plain_worker", leads_group=True)
    assert process.stdin is not None
    assert process.stdout is not None
    has_started = False
    try:
        give_task(process, {"job": asdict(job), "units": [asdict(unit) for unit in units]})
        for line in process.stdout:
            if not line.endswith("\n"):
                break
            answer = json.loads(line)
            if "end" in answer:
                return
            if "started" in answer:
                has_started = True
            else:
                yield answer
        if not has_started:
            raise did_not_start(process.wait())
    except BaseException:
        # It takes away what it has begun, if it can: that is no fault of the unit.
        process.terminate()
        with suppress(subprocess.TimeoutExpired):
            process.wait(_LEAVING)
        raise
    finally:
        end_group(process.pid)
        process.wait()
        process.stdout.close()
        with suppress(BrokenPipeError):
            process.stdin.close()
