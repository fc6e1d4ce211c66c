"""Ends a process in which nothing has been done for too long, whatever it is stuck in."""

from __future__ import annotations

import faulthandler
import os
import time
from typing import TextIO

TIMED_OUT = "Timeout ("
"""What a process that is ended says first."""


class Watchdog:
    """Ends this process with status 1 if it is not patted for so many seconds.

    It is a thread that does not need Python's lock, so that it also works where a library holds that for ever. Before
    the end, `said_to` gets a line that starts with TIMED_OUT.
    """

    def __init__(self, seconds: float, *, said_to: TextIO | None = None) -> None:
        self.seconds = seconds
        self._said_to = said_to or open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115 (open as long as this is)
        self._patted = -1.0

    def pat(self) -> None:
        """Start, or start again; this is cheap to call often."""
        now = time.monotonic()
        if self._patted < 0 or now - self._patted > min(1.0, self.seconds / 10):
            self._patted = now
            faulthandler.dump_traceback_later(self.seconds, exit=True, file=self._said_to)

    def rest(self) -> None:
        """Stop until the next pat."""
        self._patted = -1.0
        faulthandler.cancel_dump_traceback_later()
