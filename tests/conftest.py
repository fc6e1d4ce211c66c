"""For all tests: Ctrl-C means what it means at a terminal, also where a shell started pytest in the background."""

from __future__ import annotations

import signal


def pytest_configure() -> None:
    # Such shells have it ignored, and every process that is started from here would inherit that.
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)
