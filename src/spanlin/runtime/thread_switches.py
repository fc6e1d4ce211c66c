"""Threads that take turns more often, while one of them drives a GPU."""

from __future__ import annotations

import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager

_SECONDS = 0.0002
_lock = threading.Lock()
_users = 0
_before = 0.0


@contextmanager
def quick_switches() -> Iterator[None]:
    """Let no thread keep Python's lock for longer than a fifth of a millisecond while another waits for it.

    A thread that drives a GPU gives up the lock at every call into torch. With Python's usual five milliseconds it
    would wait that long to get it back, a dozen times a batch, if another one reads text meanwhile.
    """
    global _users, _before  # noqa: PLW0603 (what is switched is the interpreter's own)
    with _lock:
        if not _users:
            _before = sys.getswitchinterval()
            sys.setswitchinterval(min(_before, _SECONDS))
        _users += 1
    try:
        yield
    finally:
        with _lock:
            _users -= 1
            if not _users:
                sys.setswitchinterval(_before)
