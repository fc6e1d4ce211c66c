"""`python -m spanlin.corpus.unit_process`: parses one unit, a line on stdin, and answers with a line on stdout.

Before, there is a line when it has started, and one with the place of each document that it reads. Whoever started it
may watch it die.
"""

from __future__ import annotations

import json
import os
import sys
import threading
from collections.abc import Callable
from typing import Any

from spanlin.corpus.child_process import Watchdog
from spanlin.corpus.deadly_documents import STARTED
from spanlin.corpus.job import Job
from spanlin.corpus.records import UnitFiles
from spanlin.corpus.units import Unit
from spanlin.corpus.work import Worker
from spanlin.errors import SpanlinError


def answer(task: dict[str, Any]) -> dict[str, str]:
    """Return the unit's record, or why no unit can go on, or how this one failed."""
    try:
        job = Job.from_table(task["job"])
        unit = Unit(**task["unit"])
        worker = Worker(job, watchdog=Watchdog(job.time_limit, said_to=sys.stdout), on_document=_tell_place)
        if "only" in task:
            worker.rehearse(unit, frozenset(task["only"]))
            return {}
        record = worker.write(unit, UnitFiles(job, unit), left_out=dict(task["left_out"]))
        return {"record": record.to_json()}
    except SpanlinError as error:
        return {"stop": str(error)}
    except Exception as error:
        return {"failed": f"{error}"}


def _tell_place(place: int) -> None:
    sys.stdout.write(f"{place}\n")
    sys.stdout.flush()


def end_with_whoever_started_it(end: Callable[[], None] = lambda: os._exit(1)) -> None:
    """End this process when its input ends, for then whoever started it is gone."""

    def wait() -> None:
        sys.stdin.read()
        end()

    threading.Thread(target=wait, daemon=True).start()


def main() -> None:
    """Answer the one task."""
    sys.stdout.write(STARTED)
    sys.stdout.flush()
    task = json.loads(sys.stdin.readline())
    end_with_whoever_started_it()
    found = json.dumps(answer(task)) + "\n"
    sys.stdout.write(found)
    sys.stdout.flush()
    os._exit(0)


if __name__ == "__main__":
    main()
