"""`python -m spanlin.corpus.unit_process`: parses one unit in a process that may die of it.

The answers are the place of each document that it reads (`document`), and at the end the unit's `record`, an empty one
if it was only a rehearsal, why the whole run must `stop`, or how the unit `failed`.
"""

from __future__ import annotations

import os
from typing import Any

from spanlin.corpus.child_process import ParentProcess, Watchdog
from spanlin.corpus.job import Job
from spanlin.corpus.records import UnitFiles
from spanlin.corpus.units import Unit
from spanlin.corpus.work import Worker
from spanlin.errors import SpanlinError


def _result(parent: ParentProcess) -> dict[str, Any]:
    task = parent.task
    try:
        job = Job.from_table(task["job"])
        unit = Unit(**task["unit"])
        worker = Worker(
            job,
            watchdog=Watchdog(job.time_limit, reports_to=parent.stream),
            on_document=lambda place: parent.answer(document=place),
        )
        if "only" in task:
            worker.rehearse(unit, frozenset(task["only"]))
            return {"record": ""}
        record = worker.write(unit, UnitFiles(job, unit), left_out=dict(task["left_out"]))
        return {"record": record.to_json()}
    except SpanlinError as error:
        return {"stop": str(error)}
    except Exception as error:
        return {"failed": f"{error}"}


def main() -> None:
    """Do the one task."""
    parent = ParentProcess()
    parent.answer(**_result(parent))
    os._exit(0)


if __name__ == "__main__":
    main()
