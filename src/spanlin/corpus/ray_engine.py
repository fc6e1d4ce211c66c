"""Units on Ray, run by a separate process: Ray takes a process over, and may end it in the middle."""

from __future__ import annotations

import importlib.util
import math
import sys
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import closing
from dataclasses import asdict, dataclass, replace
from typing import Any

from spanlin.corpus.child_process import ChildProcess
from spanlin.corpus.job import Job
from spanlin.corpus.records import UnitRecord
from spanlin.corpus.units import Unit
from spanlin.corpus.work import UnitDone
from spanlin.errors import CorpusError, missing_extra

_LEAVING = 10.0  # seconds for a driver that has finished to leave a cluster


@dataclass(frozen=True, kw_only=True)
class RaySettings:
    """Where actors run, how many there are (`workers`, at least and at most), and what each of them takes.

    Without an `address`, Ray is started on this machine; without `workers`, there are as many as fit.
    """

    address: str = ""
    workers: tuple[int, int] | None = None
    cpus_per_worker: float = 1.0
    gpus_per_worker: float = 0.0

    def __post_init__(self) -> None:
        if self.workers is not None and not 1 <= self.workers[0] <= self.workers[1]:
            raise CorpusError(f"workers must be a number or a range such as 2-8, got {self.workers}")
        if not (0 < self.cpus_per_worker < math.inf and 0 <= self.gpus_per_worker < math.inf):
            raise CorpusError("a worker needs more than 0 CPUs, and 0 GPUs or more, and a finite number of them")

    @property
    def threads(self) -> int:
        """How many batches a worker runs in parallel."""
        return max(1, math.floor(self.cpus_per_worker))


def require_ray() -> None:
    """Raise a MissingExtraError if Ray is not installed, or a CorpusError where what it starts could not be ended."""
    if sys.platform == "win32":
        raise CorpusError("on Windows, a corpus is parsed without Ray: add --engine plain")
    if importlib.util.find_spec("ray") is None:
        raise missing_extra("Ray is not installed", "ray")


def run_on_ray(
    units: Sequence[Unit],
    job: Job,
    settings: RaySettings,
    *,
    report_workers: Callable[[str], None] = lambda workers: None,
) -> Iterator[UnitDone]:
    """Yield each unit when it is done, in any order.

    Ray restarts actors that die, and gives them their units again. When a machine is lost there may be no room for its
    actors, and Ray would wait forever; then the remaining units are started afresh, on the machines that are left.
    """
    require_ray()
    settings = joined(settings)
    waiting = {unit.name: unit for unit in units}
    while waiting:
        with closing(_answers(list(waiting.values()), job, settings)) as answers:
            for answer in answers:
                if "workers" in answer:
                    report_workers(answer["workers"])
                elif "stop" in answer:
                    raise CorpusError(answer["stop"])
                else:
                    record = UnitRecord(**answer["record"])
                    if waiting.pop(record.unit, None) is not None:
                        yield UnitDone(record, answer["outcome"])


def joined(settings: RaySettings) -> RaySettings:
    """Return settings that name the cluster that this process has joined already, if it has joined one."""
    ray = sys.modules.get("ray")
    if settings.address or ray is None or not ray.is_initialized():
        return settings
    return replace(settings, address=ray.get_runtime_context().gcs_address)


def _answers(units: Sequence[Unit], job: Job, settings: RaySettings) -> Generator[dict[str, Any]]:
    """Yield what the driver answers (see `spanlin.corpus.ray_driver`) until it ends."""
    task = {"job": asdict(job), "settings": asdict(settings), "units": [asdict(unit) for unit in units]}
    # Ctrl-C is for this process alone, and what Ray starts is in a group that can be ended as a whole.
    with ChildProcess("spanlin.corpus.ray_driver", task, leads_group=True) as child:
        for answer in child.answers():
            if "end" in answer:
                child.wait(_LEAVING)
                return
            yield answer
        raise CorpusError(f"Ray's driver ended with status {child.close()}; the same command resumes")
