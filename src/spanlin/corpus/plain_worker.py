"""`python -m spanlin.corpus.plain_worker`: parses units one after another, in a process that may die of one of them.

The task is a line on stdin; answers are lines on stdout: that it has `started`, how far the unit under way is (`live`),
the `record` and `outcome` of each unit, why all must `stop`, or that this is the `end`.
"""

from __future__ import annotations

import json
import os
import signal
import sys
import threading
import time
from dataclasses import asdict
from typing import Any

from spanlin.corpus.child_process import Watchdog
from spanlin.corpus.job import Job
from spanlin.corpus.unit_process import end_with_whoever_started_it
from spanlin.corpus.units import Unit
from spanlin.corpus.work import Live, Worker
from spanlin.errors import SpanlinError

_EVERY = 0.25  # seconds


def main() -> None:
    """Do the one task."""
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)  # whatever libraries print
    lock = threading.Lock()

    def tell(**answer: Any) -> None:
        with lock:
            answers.write(json.dumps(answer) + "\n")
            answers.flush()

    tell(started=True)
    task = json.loads(sys.stdin.readline())
    end_with_whoever_started_it()
    job = Job.from_table(task["job"])
    worker = Worker(job, watchdog=Watchdog(job.time_limit))

    def tell_live() -> None:
        told = Live()
        while True:
            time.sleep(_EVERY)
            if (now := Live(**asdict(worker.live))) != told:
                told = now
                tell(live=asdict(now))

    threading.Thread(target=tell_live, daemon=True).start()
    signal.signal(signal.SIGTERM, lambda number, frame: sys.exit())
    try:
        for unit in task["units"]:
            record, outcome = worker.run(Unit(**unit))
            tell(record=asdict(record), outcome=outcome)
    except SystemExit:
        os._exit(0)  # whoever started it wants no answer
    except SpanlinError as error:
        tell(stop=str(error))
    except Exception as error:
        tell(stop=f"a worker failed: {type(error).__name__}: {next(iter(str(error).splitlines()), '')}")
    tell(end=True)
    os._exit(0)


if __name__ == "__main__":
    main()
