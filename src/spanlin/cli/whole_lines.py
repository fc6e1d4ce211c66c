"""Output that is never cut inside a line, also when Ctrl-C or a termination signal ends the command."""

from __future__ import annotations

import os
import signal
from types import FrameType
from typing import Any, BinaryIO

_SIGNALS = (signal.SIGINT, signal.SIGTERM)


class Stopped(BaseException):
    """Someone asked the command to end; it is no error, so nothing but the command itself catches it."""

    def __init__(self, number: int) -> None:
        super().__init__(number)
        self.exit_status = 128 + number


class WholeLines:
    """A writer of records, each flushed whole; inside its `with`, the first signal to end raises Stopped between two.

    A second signal ends the process at once, should whoever reads the output have stopped reading.
    """

    def __init__(self, stream: BinaryIO) -> None:
        self.written = 0
        self._stream = stream
        self._writing = False
        self._asked_by = 0
        self._before: dict[int, Any] = {}

    def __enter__(self) -> WholeLines:
        for number in _SIGNALS:
            # What whoever started us wants ignored (nohup, a shell's background job) stays ignored.
            if signal.getsignal(number) is signal.SIG_IGN:
                continue
            try:
                self._before[number] = signal.signal(number, self._on_signal)
            except ValueError:  # outside the main thread nobody sends us any
                break
        return self

    def __exit__(self, *details: object) -> None:
        for number, handler in self._before.items():
            signal.signal(number, handler)

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

    def _on_signal(self, number: int, frame: FrameType | None) -> None:
        if self._asked_by:
            if os.isatty(2):
                os.write(2, b"\x1b[?25h\n")  # the progress bar had hidden the cursor
            signal.signal(number, signal.SIG_DFL)
            os.kill(os.getpid(), number)
        self._asked_by = number
        if not self._writing:
            raise Stopped(number)
