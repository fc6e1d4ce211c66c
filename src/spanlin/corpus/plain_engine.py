"""Units in one separate process, one after another, or in several; if a unit kills it, another process takes over."""

from __future__ import annotations

import queue
import threading
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import ExitStack, closing, contextmanager
from dataclasses import asdict, replace
from typing import Any

from spanlin.corpus.child_process import ChildProcess, did_not_start
from spanlin.corpus.job import Job
from spanlin.corpus.records import UnitRecord
from spanlin.corpus.units import Unit
from spanlin.corpus.work import Live, UnitDone
from spanlin.errors import CorpusError
from spanlin.runtime.onnx import available_cores

_LEAVING = 10.0  # seconds for a worker that is stopped to clean up

_Backend = dict[str, str]


def run_plainly(units: Sequence[Unit], job: Job, live: Live, *, processes: int = 1) -> Iterator[UnitDone]:
    """Yield each unit when it is done; `live` is how far those are that run now. One process does them in order.

    With several, each has its share of the units. On a device, one more process runs the network for all of them. On
    a CPU each runs the network by itself, on its share of the cores.

    A worker that is killed, or that ends itself because it did nothing for the job's time limit, is replaced. The new
    one finds that the unit was begun, and parses it in yet another process.
    """
    count = max(1, min(processes, len(units)))
    if count == 1:
        yield from _share(units, job, None, lambda found: vars(live).update(found))
        return
    with ExitStack() as stack:
        backend = None
        if job.device:
            backend = stack.enter_context(_backend_process(job, count))
        else:
            job = replace(job, threads=max(1, (job.threads or available_cores()) // count))
        shares = [units[first::count] for first in range(count)]
        yield from _side_by_side(shares, job, backend, live)


def _side_by_side(
    shares: Sequence[Sequence[Unit]], job: Job, backend: _Backend | None, live: Live
) -> Generator[UnitDone]:
    """Yield the units of all shares as they are done; a thread for each share has a worker."""
    found: queue.SimpleQueue[UnitDone | BaseException | None] = queue.SimpleQueue()
    each: list[dict[str, int]] = [{} for _ in shares]
    stop = threading.Event()

    def work(number: int) -> None:
        def report(state: dict[str, int]) -> None:
            each[number] = state
            vars(live).update({name: sum(one.get(name, 0) for one in list(each)) for name in vars(live)})

        try:
            for done in _share(shares[number], job, backend, report, stop):
                found.put(done)
                report({})
        except BaseException as error:
            found.put(error)
        else:
            found.put(None)

    threads = [threading.Thread(target=work, args=(number,), daemon=True) for number in range(len(shares))]
    for thread in threads:
        thread.start()
    try:
        left = len(threads)
        while left:
            one = found.get()
            if isinstance(one, BaseException):
                raise one
            if one is None:
                left -= 1
            else:
                yield one
    finally:
        stop.set()
        for thread in threads:
            thread.join()


def _share(
    units: Sequence[Unit],
    job: Job,
    backend: _Backend | None,
    report: Callable[[dict[str, int]], None],
    stop: threading.Event | None = None,
) -> Iterator[UnitDone]:
    """Yield each unit when one worker, or those that replace it, have done it, in order, unless it is to stop."""
    waiting = {unit.name: unit for unit in units}
    while waiting:
        with closing(_answers(list(waiting.values()), job, backend, stop)) as answers:
            for answer in answers:
                if "live" in answer:
                    report(answer["live"])
                elif "stop" in answer:
                    raise CorpusError(answer["stop"])
                else:
                    record = UnitRecord(**answer["record"])
                    del waiting[record.unit]
                    yield UnitDone(record, answer["outcome"])
        if stop is not None and stop.is_set():
            return


def _answers(
    units: Sequence[Unit], job: Job, backend: _Backend | None, stop: threading.Event | None
) -> Generator[dict[str, Any]]:
    """Yield what the worker answers (see `spanlin.corpus.plain_worker`) until it ends, dies or is to stop."""
    task: dict[str, Any] = {"job": asdict(job), "units": [asdict(unit) for unit in units]}
    if backend is not None:
        task["backend"] = backend
    # Ctrl-C is for this process alone.
    with ChildProcess("spanlin.corpus.plain_worker", task, leads_group=True) as child, _ended_by(stop, child):
        try:
            for answer in child.answers():
                if "end" in answer:
                    return
                yield answer
            if not child.has_started and not (stop is not None and stop.is_set()):
                raise did_not_start(child.close())
        except BaseException:
            # It removes what it has begun, if it can: that it is stopped is not the unit's fault.
            child.terminate(_LEAVING)
            raise


@contextmanager
def _ended_by(stop: threading.Event | None, child: ChildProcess) -> Iterator[None]:
    """Ask a process to end as soon as it is to stop, while its answers are waited for."""
    if stop is None:
        yield
        return
    over = threading.Event()

    def watch() -> None:
        stop.wait()
        if not over.is_set():
            child.terminate(_LEAVING)

    threading.Thread(target=watch, daemon=True).start()
    try:
        yield
    finally:
        over.set()


@contextmanager
def _backend_process(job: Job, workers: int) -> Iterator[_Backend]:
    """Run the network on the job's device, in a process that workers find by what is given."""
    task = {"model": job.model, "device": job.device, "workers": workers}
    with ChildProcess("spanlin.corpus.backend_process", task, leads_group=True) as child:
        for answer in child.answers():
            if "stop" in answer:
                raise CorpusError(answer["stop"])
            yield answer
            return
        raise did_not_start(child.close())
