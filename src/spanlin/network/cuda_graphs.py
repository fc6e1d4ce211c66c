"""Kernels recorded as CUDA graphs: one launch per batch instead of thousands.

A small network on a fast GPU spends most of its time waiting for Python to launch kernels. Batches of one shape run
the same kernels, so these are recorded once and replayed; only the inputs are copied in.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable
from dataclasses import dataclass
from typing import Generic, TypeVar

import torch
from torch import Tensor

_RARE = 2  # a shape is recorded when it is seen this often: a recording takes a tenth of a second

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

    Work runs and is recorded on the current stream, which must not be the default one.
    """

    def __init__(self, *, limit: int | None = None) -> None:
        self._limit = limit
        self._seen: Counter[Key] = Counter()
        self._recordings: dict[Key, Recording[Result]] = {}
        self._pool = torch.cuda.graph_pool_handle()

    def __len__(self) -> int:
        return len(self._recordings)

    def find(
        self, key: Key, prepare: Callable[[], tuple[list[Tensor], Callable[[], Result]]]
    ) -> Recording[Result] | None:
        """Return the recording for a key, or None while the key is rare or there is no room.

        A missing one is made from what `prepare` returns: the tensors that will be the inputs, and the work to record,
        which must read nothing else that changes.
        """
        recording = self._recordings.get(key)
        if recording is None:
            self._seen[key] += 1
            has_room = self._limit is None or len(self._recordings) < self._limit
            if self._seen[key] >= _RARE and has_room:
                recording = self._recordings[key] = self._record(*prepare())
        return recording

    def _record(self, inputs: list[Tensor], work: Callable[[], Result]) -> Recording[Result]:
        graph = torch.cuda.CUDAGraph()
        stream = torch.cuda.current_stream()
        stream.synchronize()
        # Other threads pin memory meanwhile, which only a thread-local capture allows.
        with torch.cuda.graph(graph, pool=self._pool, stream=stream, capture_error_mode="thread_local"):
            result = work()
        return Recording(graph=graph, inputs=inputs, result=result)
