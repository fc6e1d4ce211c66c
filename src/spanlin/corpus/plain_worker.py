"""`python -m spanlin.corpus.plain_worker`: parses units one after another, in a process that may die of one.

The answers are how far the current unit is (`live`), the `record` and `outcome` of each unit, why the whole run must
`stop`, or that this is the `end`.
"""

from __future__ import annotations

import os
import threading
import time
from dataclasses import asdict

from spanlin.corpus.child_process import ParentProcess, Watchdog, exit_when_terminated
from spanlin.corpus.job import Job
from spanlin.corpus.units import Unit
from spanlin.corpus.work import Live, SharedAt, Worker
from spanlin.errors import SpanlinError

_EVERY = 0.25  # seconds


def main() -> None:
    """Do the one task."""
    parent = ParentProcess()
    job = Job.from_table(parent.task["job"])
    backend = parent.task.get("backend")
    worker = Worker(job, watchdog=Watchdog(job.time_limit), backend=backend and SharedAt(**backend))

    def report_live() -> None:
        reported = Live()
        while True:
            time.sleep(_EVERY)
            if (now := Live(**asdict(worker.live))) != reported:
                reported = now
                parent.answer(live=asdict(now))

    threading.Thread(target=report_live, daemon=True).start()
    exit_when_terminated()
    try:
        for unit in parent.task["units"]:
            record, outcome = worker.run(Unit(**unit))
            parent.answer(record=asdict(record), outcome=outcome)
    except SystemExit:
        os._exit(0)  # the parent wants no answer
    except SpanlinError as error:
        parent.answer(stop=str(error))
    except Exception as error:
        parent.answer(stop=f"a worker failed: {type(error).__name__}: {next(iter(str(error).splitlines()), '')}")
    parent.answer(end=True)
    os._exit(0)


if __name__ == "__main__":
    main()
