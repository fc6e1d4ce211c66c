"""The process a run is in: its device, its signals, and the other processes that share the work."""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import torch
import torch.distributed as dist
from torch import Tensor, nn
from torch.nn.parallel import DistributedDataParallel

from spanlin.network.device import choose_device


def choose_training_device(name: str) -> torch.device:
    """Return the device of this name; without one, or for "cuda", this process's own GPU if there is any."""
    if name in {"", "cuda"} and torch.cuda.is_available():
        name = f"cuda:{os.environ.get('LOCAL_RANK', '0')}"
    device = choose_device(name)
    if device.type == "cuda":
        torch.set_float32_matmul_precision("high")
        torch.cuda.set_device(device)
    return device


@dataclass(frozen=True)
class Group:
    """The processes of a run, as torchrun's environment names them. All of them must make the same calls."""

    rank: int
    world: int
    device: torch.device

    @classmethod
    def join(cls, device: torch.device) -> Group:
        """Return the group this process belongs to: itself alone unless torchrun says otherwise."""
        rank, world = int(os.environ.get("RANK", "0")), int(os.environ.get("WORLD_SIZE", "1"))
        if world > 1 and not dist.is_initialized():
            dist.init_process_group("nccl" if device.type == "cuda" else "gloo")
        return cls(rank, world, device)

    def wait(self) -> None:
        """Wait until every process is here."""
        if self.world > 1:
            dist.barrier()

    def mean(self, value: Tensor) -> float:
        """Return the mean of the processes' values."""
        if self.world > 1:
            value = value / self.world
            dist.all_reduce(value)
        return float(value)

    def largest(self, *values: float) -> tuple[float, ...]:
        """Return, for each value, the largest that any process has."""
        if self.world == 1:
            return values
        shared = torch.tensor(values, dtype=torch.float64, device=self.device)
        dist.all_reduce(shared, op=dist.ReduceOp.MAX)
        return tuple(shared.tolist())

    def first(self, value: float) -> float:
        """Return the first process's value."""
        if self.world == 1:
            return value
        shared = torch.tensor(value, dtype=torch.float64, device=self.device)
        dist.broadcast(shared, 0)
        return float(shared)


@contextmanager
def stop_signals(on_stop: Callable[[], None]) -> Iterator[None]:
    """Call `on_stop` at Ctrl-C and at a termination signal; a second Ctrl-C stops at once."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return

    def stop(number: int, frame: object) -> None:
        on_stop()
        signal.signal(signal.SIGINT, signal.default_int_handler)

    old = {number: signal.signal(number, stop) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield
    finally:
        for number, handler in old.items():
            signal.signal(number, handler)


@contextmanager
def own_stream(device: torch.device) -> Iterator[None]:
    """Work on another stream than the default one, which CUDA graphs cannot be recorded on."""
    if device.type != "cuda":
        yield
        return
    new_stream: Any = torch.cuda.Stream
    stream = new_stream(device)
    stream.wait_stream(torch.cuda.current_stream(device))
    with torch.cuda.stream(stream):
        yield
    torch.cuda.current_stream(device).wait_stream(stream)


@contextmanager
def synchronized(module: nn.Module, last: bool) -> Iterator[None]:
    """Exchange gradients between processes only after a step's last micro-batch."""
    if isinstance(module, DistributedDataParallel) and not last:
        with module.no_sync():
            yield
    else:
        yield
