"""Ctrl-C and termination signals, wherever something must be done before the process ends."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

STOP_SIGNALS = (signal.SIGINT, signal.SIGTERM)
_NOT_OURS = (signal.SIG_IGN, None)  # None is a handler of a program around Python, which cannot be put back


class Stopped(BaseException):
    """Someone asked the command to end; this is not an error, so nothing but the command itself catches it."""

    def __init__(self, number: int) -> None:
        super().__init__(number)
        self.exit_status = 128 + number


@contextmanager
def on_stop_signal(handle: Callable[[int], None]) -> Iterator[None]:
    """Inside the `with`, call a function with the number of each stop signal instead of ending the process.

    Signals that this process was started to ignore (nohup, a shell's background job) stay ignored, and those that a
    program around Python handles stay with it. Outside the main thread nothing changes, for Python only handles signals
    there.
    """
    before: dict[int, Any] = {}
    for number in STOP_SIGNALS:
        if signal.getsignal(number) not in _NOT_OURS:
            try:
                before[number] = signal.signal(number, lambda number, frame: handle(number))
            except ValueError:  # outside the main thread
                break
    try:
        yield
    finally:
        for one, handler in before.items():
            signal.signal(one, handler)


@contextmanager
def stop_on_signals() -> Iterator[None]:
    """Raise Stopped at the first stop signal; a second one ends the process at once.

    For commands whose output is whole whenever they end.
    """

    def stop(number: int) -> None:
        for one in STOP_SIGNALS:
            if signal.getsignal(one) not in _NOT_OURS:
                signal.signal(one, signal.SIG_DFL)
        raise Stopped(number)

    with on_stop_signal(stop):
        yield


def end_by_signal(number: int) -> None:
    """End this process at once, as if the signal had never been handled."""
    signal.signal(number, signal.SIG_DFL)
    os.kill(os.getpid(), number)
