"""Units on Ray: a Ray Data set of their descriptions, mapped by a pool of actors that hold a parser each."""

from __future__ import annotations

import importlib
import json
import logging
import math
import os
import queue
import signal
import threading
import time
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass
from typing import Any

from spanlin.corpus.job import Job
from spanlin.corpus.records import UnitRecord
from spanlin.corpus.units import Unit
from spanlin.corpus.work import UnitDone, Worker
from spanlin.errors import CorpusError, MissingExtraError, SpanlinError

_MOST_BLOCKS = 50_000  # beyond it, several units are one task: Ray's own work would be felt
_LOOK_AFTER = 1.0  # seconds
_LONG_SILENCE = 60.0
_OBJECTS = 128 * 1024 * 1024  # bytes; only descriptions and records of units pass through Ray


@dataclass(frozen=True, kw_only=True)
class RaySettings:
    """Where actors run, how many there are (`workers`, least and most), and what each of them takes.

    Without an `address` Ray is started on this machine; without `workers`, there are as many as there is room for.
    """

    address: str = ""
    workers: tuple[int, int] | None = None
    cpus_per_worker: float = 1.0
    gpus_per_worker: float = 0.0

    def __post_init__(self) -> None:
        if self.workers is not None and not 1 <= self.workers[0] <= self.workers[1]:
            raise CorpusError(f"workers must be a number or a range such as 2-8, got {self.workers}")
        if self.cpus_per_worker <= 0 or self.gpus_per_worker < 0:
            raise CorpusError("a worker needs more than 0 CPUs, and 0 GPUs or more")

    @property
    def threads(self) -> int:
        """How many batches a worker runs side by side."""
        return max(1, math.floor(self.cpus_per_worker))


def require_ray() -> Any:
    """Return Ray."""
    try:
        # By name, so that our own annotations never depend on what is installed.
        return importlib.import_module("ray")
    except ImportError as error:
        raise MissingExtraError("parsing on Ray needs it: pip install 'spanlin[ray]'") from error


@contextmanager
def ray_pool(settings: RaySettings) -> Iterator[tuple[Any, tuple[int, int]]]:
    """Give Ray, connected or started, and the least and the most workers; what was started ends with the `with`."""
    for name in ("RAY_USAGE_STATS_ENABLED", "RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO"):
        os.environ.setdefault(name, "0")
    os.environ.setdefault("RAY_BACKEND_LOG_LEVEL", "fatal")
    os.environ.setdefault("RAY_worker_niceness", "0")  # Ray would have workers give way to all else, even its own logs
    ray = require_ray()
    started = not ray.is_initialized()
    if started:
        _start(ray, settings)
    try:
        yield ray, settings.workers or _room(ray.cluster_resources(), settings)
    finally:
        if started:
            ray.shutdown()


def _start(ray: Any, settings: RaySettings) -> None:
    quiet: dict[str, Any] = {"log_to_driver": False, "logging_level": logging.CRITICAL}
    handler = signal.getsignal(signal.SIGTERM)
    try:
        with _no_stderr():
            if settings.address:
                ray.init(address=settings.address, **quiet)
            else:
                cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
                most = settings.workers[1] if settings.workers else 1
                cpus = max(cores, math.ceil(most * settings.cpus_per_worker))
                # "local": without an address Ray would join any cluster that it finds on this machine.
                ray.init(address="local", num_cpus=cpus, include_dashboard=False, object_store_memory=_OBJECTS, **quiet)
    except (ConnectionError, RuntimeError, ValueError, OSError, TimeoutError) as error:
        where = f"no Ray cluster at {settings.address}" if settings.address else "Ray did not start"
        raise CorpusError(f"{where}: {_first_line(error)}") from error
    finally:
        if threading.current_thread() is threading.main_thread() and handler is not None:
            signal.signal(signal.SIGTERM, handler)  # Ray puts its own in its place


@contextmanager
def _no_stderr() -> Iterator[None]:
    """Close stderr's own file for a while: Ray's C++ part says there how loud it is going to be."""
    kept = os.dup(2)
    nowhere = os.open(os.devnull, os.O_WRONLY)
    try:
        os.dup2(nowhere, 2)
        yield
    finally:
        os.dup2(kept, 2)
        os.close(kept)
        os.close(nowhere)


def _first_line(error: BaseException) -> str:
    return next(iter(str(error).splitlines()), type(error).__name__)


def _room(resources: dict[str, float], settings: RaySettings) -> tuple[int, int]:
    room = resources.get("CPU", 0.0) / settings.cpus_per_worker
    if settings.gpus_per_worker:
        room = min(room, resources.get("GPU", 0.0) / settings.gpus_per_worker)
    if room < 1:
        raise CorpusError(
            f"there is no room for one worker of {settings.cpus_per_worker:g} CPUs and {settings.gpus_per_worker:g} "
            f"GPUs: Ray has {resources.get('CPU', 0):g} and {resources.get('GPU', 0):g}"
        )
    return int(room), int(room)


def run_on_ray(
    units: Sequence[Unit],
    job: Job,
    settings: RaySettings,
    *,
    tell_workers: Callable[[str], None] = lambda workers: None,
) -> Iterator[UnitDone]:
    """Yield each unit when it is done, in any order.

    Ray starts actors that die again, and gives them what they had. Where a machine is lost there may be no place for
    its actors, and Ray would wait for ever; then the units that are left start anew, on what there is.
    """
    waiting = {unit.name: unit for unit in units}
    while waiting:
        with ray_pool(settings) as (ray, workers):
            tell_workers("-".join(map(str, dict.fromkeys(workers))))
            with closing(_rows(ray, list(waiting.values()), job, settings, workers)) as rows:
                for row in rows:
                    found = json.loads(row["done"])
                    if "stop" in found:
                        raise CorpusError(found["stop"])
                    record = UnitRecord(**found["record"])
                    if waiting.pop(record.unit, None) is not None:
                        yield UnitDone(record, found["outcome"])


def _rows(
    ray: Any, units: Sequence[Unit], job: Job, settings: RaySettings, workers: tuple[int, int]
) -> Generator[dict[str, Any]]:
    """Yield the actors' answers; ends early if a machine is lost, and nothing comes for long."""
    answers: queue.SimpleQueue[dict[str, Any] | BaseException | None] = queue.SimpleQueue()

    def read() -> None:
        # In a thread, so that neither Ctrl-C nor a lost machine finds us inside Ray.
        try:
            for row in _data_set(units, job, settings, workers).iter_rows():
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
    # From items there is nothing to read, so no task competes with the actors for their cores.
    described = data.from_items(
        [{"unit": unit.to_json()} for unit in units], override_num_blocks=min(len(units), _MOST_BLOCKS)
    )
    least, most = (min(count, len(units)) for count in workers)
    return described.map_batches(
        UnitActor,
        fn_constructor_args=(job,),
        batch_size=1,
        # One runs and one waits, so that an actor need not wait for its next unit until the driver has looked.
        compute=data.ActorPoolStrategy(min_size=least, max_size=most, max_tasks_in_flight_per_actor=2),
        num_cpus=settings.cpus_per_worker,
        num_gpus=settings.gpus_per_worker,
    )


class UnitActor:
    """A worker in a process of Ray's."""

    def __init__(self, job: Job) -> None:
        self._worker = Worker(job)

    def __call__(self, batch: dict[str, Any]) -> dict[str, list[Any]]:
        """Return what became of each unit, or why no unit can go on, as lines of JSON, and the seconds it took."""
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
