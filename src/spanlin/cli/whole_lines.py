"""Output that is never cut inside a line, also when Ctrl-C or a termination signal ends the command."""

from __future__ import annotations

import os
from contextlib import ExitStack
from typing import BinaryIO

from spanlin.stop_signals import Stopped, end_by_signal, on_stop_signal


class WholeLines:
    """A writer of records, each flushed whole; inside its `with`, the first stop signal raises Stopped between two.

    A second signal ends the process at once, in case the reader of the output has stopped reading.
    """

    def __init__(self, stream: BinaryIO) -> None:
        self.written = 0
        self._stream = stream
        self._writing = False
        self._asked_by = 0
        self._handlers = ExitStack()

    def __enter__(self) -> WholeLines:
        self._handlers.enter_context(on_stop_signal(self._on_signal))
        return self

    def __exit__(self, *details: object) -> None:
        self._handlers.close()

    def write(self, record: str) -> None:
        """Write a record and a line break."""
        # A lone surrogate is all that UTF-8 cannot write, and only a drawing can still hold one.
        data = record.encode("utf-8", "backslashreplace") + b"\n"
        self._writing = True
        try:
            self._stream.write(data)
            self._stream.flush()
            self.written += 1
        finally:
            self._writing = False
        if self._asked_by:
            raise Stopped(self._asked_by)

    def _on_signal(self, number: int) -> None:
        if self._asked_by:
            if os.isatty(2):
                os.write(2, b"\x1b[?25h\n")  # the progress bar had hidden the cursor
            end_by_signal(number)
        self._asked_by = number
        if not self._writing:
            raise Stopped(number)
