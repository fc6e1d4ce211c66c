"""Ctrl-C and a termination signal as an exception, for commands whose output is whole whenever they end."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Any

from spanlin.cli.whole_lines import Stopped

_SIGNALS = (signal.SIGINT, signal.SIGTERM)


@contextmanager
def stop_on_signals() -> Iterator[None]:
    """Raise Stopped at the first signal to end; a second one ends the process at once."""
    before: dict[int, Any] = {}

    def stop(number: int, frame: FrameType | None) -> None:
        for one in before:
            signal.signal(one, signal.SIG_DFL)
        raise Stopped(number)

    for one in _SIGNALS:
        # What whoever started us wants ignored (nohup, a shell's background job) stays ignored.
        if signal.getsignal(one) is not signal.SIG_IGN:
            try:
                before[one] = signal.signal(one, stop)
            except ValueError:  # outside the main thread nobody sends us any
                break
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
