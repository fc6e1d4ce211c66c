"""Kernels recorded as CUDA graphs: one launch per batch instead of thousands.

A small network on a fast GPU spends most of its time waiting for Python to launch kernels. Batches of one shape run
the same kernels, so these are recorded once and replayed; only the inputs are copied in.
"""

from __future__ import annotations

import math
import time
from collections import Counter
from collections.abc import Callable, Hashable
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

import torch
from torch import Tensor

_RARE = 2  # a shape is recorded when it is seen this often: a recording takes a tenth of a second
_SHORT = 0.1  # of the device's memory

Key = TypeVar("Key", bound=Hashable)
Result = TypeVar("Result")


@dataclass(frozen=True, kw_only=True)
class Recording(Generic[Result]):
    """Kernels that read `inputs`, into which a batch is copied, and leave `result` in memory of their own."""

    inputs: list[Tensor]
    result: Result
    graph: torch.cuda.CUDAGraph

    def replay(self) -> Result:
        """Return the result for what is in the inputs now; the next replay overwrites it."""
        self.graph.replay()
        return self.result


class GraphRecorder(Generic[Key, Result]):
    """Keeps a recording for each shape of batch, by a key, at most `limit` of them; their working memory is shared.

    Work runs and is recorded on the current stream, which must not be the default one. After a recording that took some
    time there is no other for `rest` times as long, so that the first batches, all of whose shapes are new, do not wait
    for recordings: those that are not due yet run unrecorded. While batches stream, `keeps_memory` leaves the device's
    and the host's cached memory alone, which batches to come would only have to ask for again.
    """

    def __init__(
        self,
        *,
        limit: int | None = None,
        rest: float = 0.0,
        keeps_memory: bool = False,
        clock: Callable[[], float] = time.perf_counter,
    ) -> None:
        self._limit = limit
        self.rest = rest
        self._capture = _capture_while_running if keeps_memory else _capture
        self._clock = clock
        self._next = -math.inf
        self._seen: Counter[Key] = Counter()
        self._recordings: dict[Key, Recording[Result]] = {}
        self._pool = torch.cuda.graph_pool_handle()

    def __len__(self) -> int:
        return len(self._recordings)

    def known(self, key: Key) -> Recording[Result] | None:
        """Return the recording for a key if there is one."""
        return self._recordings.get(key)

    def find(
        self, key: Key, prepare: Callable[[], tuple[list[Tensor], Callable[[], Result]]]
    ) -> Recording[Result] | None:
        """Return the recording for a key, or None while the key is rare, none is due, or there is no room.

        A missing one is made from what `prepare` returns: the tensors that will be the inputs, and the work to record,
        which must read nothing else that changes.
        """
        recording = self._recordings.get(key)
        if recording is None:
            self._seen[key] += 1
            has_room = self._limit is None or len(self._recordings) < self._limit
            if self._seen[key] >= _RARE and has_room and self._clock() >= self._next:
                start = self._clock()
                inputs, work = prepare()
                graph, result = self._capture(work, self._pool)
                recording = self._recordings[key] = Recording(graph=graph, inputs=inputs, result=result)
                end = self._clock()
                self._next = end + self.rest * (end - start)
        return recording


def _capture(work: Callable[[], Result], pool: Any) -> tuple[torch.cuda.CUDAGraph, Result]:
    """Return the graph of some work and what it leaves, after the caches have given all memory back that they can."""
    graph = torch.cuda.CUDAGraph()
    stream = torch.cuda.current_stream()
    stream.synchronize()
    # Other threads pin memory meanwhile, which only a thread-local capture allows.
    with torch.cuda.graph(graph, pool=pool, stream=stream, capture_error_mode="thread_local"):
        result = work()
    return graph, result


def _capture_while_running(work: Callable[[], Result], pool: Any) -> tuple[torch.cuda.CUDAGraph, Result]:
    """Return the graph of some work and what it leaves, while the device goes on with what it was given before.

    `torch.cuda.graph` would first wait for all work on the device and empty the caches of memory, the host's pinned one
    too. That is only needed where memory is short.
    """
    free, total = torch.cuda.mem_get_info()
    if free < total * _SHORT:
        return _capture(work, pool)
    graph = torch.cuda.CUDAGraph()
    graph.capture_begin(pool=pool, capture_error_mode="thread_local")
    try:
        result = work()
    finally:
        graph.capture_end()
    return graph, result
