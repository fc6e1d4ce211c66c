"""`python -m spanlin.corpus.ray_driver`: runs units on Ray, as a Ray Data set mapped by actors that each hold a parser.

The answers are how many `workers` there are, the `record` and `outcome` of each unit, why the whole run must `stop`, or
that this is the `end`, though perhaps not of all units.
"""

from __future__ import annotations

import importlib
import json
import logging
import math
import os
import queue
import re
import socket
import threading
import time
from collections.abc import Generator, Sequence
from typing import Any

from spanlin.corpus.child_process import ParentProcess, Watchdog, end_group
from spanlin.corpus.job import Job
from spanlin.corpus.ray_engine import RaySettings
from spanlin.corpus.units import Unit
from spanlin.corpus.work import Worker
from spanlin.errors import CorpusError, SpanlinError

_MOST_BLOCKS = 50_000  # beyond this, several units are one task, or Ray's own work would slow us down
_LOOK_AFTER = 1.0  # seconds
_LONG_SILENCE = 60.0
_LONGEST_START = 120.0
_LISTENER_WAIT = 10.0
_OBJECTS = 128 * 1024 * 1024  # bytes; only descriptions and records of units pass through Ray


def main() -> None:
    """Do the one task."""
    parent = ParentProcess(on_end=lambda: end_group(os.getpid()))
    task = parent.task
    units = [Unit(**unit) for unit in task["units"]]
    workers = task["settings"]["workers"]
    settings = RaySettings(**{**task["settings"], "workers": workers and tuple(workers)})
    done = 0

    def give_up() -> None:
        parent.answer(stop=f"{_where(settings)}: no answer within {_LONGEST_START:.0f} seconds")
        os._exit(1)

    watch = threading.Timer(_LONGEST_START, give_up)
    watch.daemon = True
    watch.start()
    try:
        ray = _connect(settings)
        watch.cancel()
        least, most = settings.workers or _room(ray.cluster_resources(), settings)
        parent.answer(workers=f"{least}" if least == most else f"{least}-{most}")
        for row in _rows(ray, _data_set(units, Job.from_table(task["job"]), settings, (least, most))):
            parent.answer(**json.loads(row["done"]))
            done += 1
    except SpanlinError as error:
        parent.answer(stop=str(error))
    except Exception as error:
        parent.answer(stop=f"Ray failed: {_first_line(error)}")
    parent.answer(end=True)
    if done == len(units):
        ray.shutdown()  # not while Ray's threads are at work: it would end this process in the middle
    os._exit(0)


def _connect(settings: RaySettings) -> Any:
    """Return Ray, after it has joined a cluster or been started here."""
    for name in ("RAY_USAGE_STATS_ENABLED", "RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO"):
        os.environ.setdefault(name, "0")
    os.environ.setdefault("RAY_BACKEND_LOG_LEVEL", "fatal")
    os.environ.setdefault("RAY_worker_niceness", "0")  # Ray would give workers a low priority, below even its own logs
    ray = importlib.import_module("ray")  # by name, so that our own types never depend on what is installed
    _require_listener(settings)
    quiet: dict[str, Any] = {"log_to_driver": False, "logging_level": logging.CRITICAL}
    try:
        if settings.address:
            ray.init(address=settings.address, **quiet)
        else:
            cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
            most = settings.workers[1] if settings.workers else 1
            cpus = max(cores, math.ceil(most * settings.cpus_per_worker))
            # "local": without an address, Ray would join any cluster that it finds on this machine.
            ray.init(address="local", num_cpus=cpus, include_dashboard=False, object_store_memory=_OBJECTS, **quiet)
    except (ConnectionError, RuntimeError, ValueError, OSError, TimeoutError) as error:
        raise CorpusError(f"{_where(settings)}: {_first_line(error)}") from error
    return ray


def _where(settings: RaySettings) -> str:
    return f"no Ray cluster at {settings.address}" if settings.address else "Ray did not start"


def _require_listener(settings: RaySettings) -> None:
    """Raise a CorpusError if nothing listens at a plain address: Ray itself would try for seven minutes."""
    found = re.fullmatch(r"(?P<host>[^:/]+|\[[^\]]+\]):(?P<port>\d+)", settings.address)
    if found is None:
        return
    try:
        socket.create_connection((found["host"].strip("[]"), int(found["port"])), timeout=_LISTENER_WAIT).close()
    except (OSError, OverflowError) as error:
        reason = error.strerror if isinstance(error, OSError) and error.strerror else _first_line(error)
        raise CorpusError(
            f"{_where(settings)}: {reason}; is it the address that `ray start --head` printed?"
        ) from error


def _first_line(error: BaseException) -> str:
    return next(iter(str(error).splitlines()), type(error).__name__)


def _room(resources: dict[str, float], settings: RaySettings) -> tuple[int, int]:
    room = resources.get("CPU", 0.0) / settings.cpus_per_worker
    if settings.gpus_per_worker:
        room = min(room, resources.get("GPU", 0.0) / settings.gpus_per_worker)
    if room < 1:
        raise CorpusError(
            f"there is no room for a worker of {settings.cpus_per_worker:g} CPUs and {settings.gpus_per_worker:g} "
            f"GPUs: Ray has {resources.get('CPU', 0):g} and {resources.get('GPU', 0):g}"
        )
    return int(room), int(room)


def _rows(ray: Any, data: Any) -> Generator[dict[str, Any]]:
    """Yield the actors' answers; ends early if a machine is lost and no answer comes for a long time."""
    answers: queue.SimpleQueue[dict[str, Any] | BaseException | None] = queue.SimpleQueue()

    def read() -> None:
        # In a thread, so that we are not stuck inside Ray when a machine is lost.
        try:
            for row in data.iter_rows():
                answers.put(row)
            answers.put(None)
        except BaseException as error:
            answers.put(error)

    machines = _machines(ray)
    slowest = 0.0
    last = time.monotonic()
    threading.Thread(target=read, daemon=True, name="spanlin-ray").start()
    while True:
        try:
            found = answers.get(timeout=_LOOK_AFTER)
        except queue.Empty:
            silence = time.monotonic() - last
            if silence > max(_LONG_SILENCE, 3 * slowest) and not machines <= _machines(ray):
                return
            continue
        if found is None:
            return
        if isinstance(found, BaseException):
            raise CorpusError(f"Ray failed: {_first_line(found)}") from found
        last = time.monotonic()
        slowest = max(slowest, float(found["seconds"]))
        yield found


def _machines(ray: Any) -> set[str]:
    return {node["NodeID"] for node in ray.nodes() if node["Alive"]}


def _data_set(units: Sequence[Unit], job: Job, settings: RaySettings, workers: tuple[int, int]) -> Any:
    data = importlib.import_module("ray.data")
    logging.getLogger("ray.data").setLevel(logging.CRITICAL)
    data.DataContext.get_current().enable_progress_bars = False
    # Items need not be read, so no task competes with the actors for their cores.
    described = data.from_items(
        [{"unit": unit.to_json()} for unit in units], override_num_blocks=min(len(units), _MOST_BLOCKS)
    )
    least, most = (min(count, len(units)) for count in workers)
    return described.map_batches(
        UnitActor,
        fn_constructor_args=(job,),
        batch_size=1,
        # One runs and one waits, so that an actor has its next unit before the driver looks again.
        compute=data.ActorPoolStrategy(min_size=least, max_size=most, max_tasks_in_flight_per_actor=2),
        num_cpus=settings.cpus_per_worker,
        num_gpus=settings.gpus_per_worker,
    )


class UnitActor:
    """A worker in one of Ray's processes."""

    def __init__(self, job: Job) -> None:
        self._worker = Worker(job, watchdog=Watchdog(job.time_limit))

    def __call__(self, batch: dict[str, Any]) -> dict[str, list[Any]]:
        """Return what became of each unit, or why the whole run must stop, as JSON, and the seconds it took."""
        done, seconds = [], []
        for line in batch["unit"]:
            start = time.monotonic()
            done.append(self._answer(Unit.from_json(str(line))))
            seconds.append(time.monotonic() - start)
        return {"done": done, "seconds": seconds}

    def _answer(self, unit: Unit) -> str:
        try:
            record, outcome = self._worker.run(unit)
        except SpanlinError as error:
            return json.dumps({"stop": str(error)})
        return json.dumps({"record": json.loads(record.to_json()), "outcome": outcome})


if __name__ == "__main__":
    # By its full name, so that actors find the class there.
    importlib.import_module("spanlin.corpus.ray_driver").main()
