"""Whether anybody opens a file: the kernel tells (inotify), where times of access may be switched off (noatime)."""

from __future__ import annotations

import ctypes
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

_ACCESSED, _OPENED = 0x1, 0x20  # IN_ACCESS and IN_OPEN of <sys/inotify.h>


class Watch:
    """A file's openings and readings since the watch began, by any process and any library."""

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor

    def noticed(self) -> bool:
        """Return whether there was one since this was asked last."""
        try:
            return bool(os.read(self._descriptor, 1 << 16))
        except BlockingIOError:
            return False


@contextmanager
def watched(path: Path) -> Iterator[Watch]:
    """Watch a file as long as the block lasts; where the system cannot, the test is skipped."""
    if sys.platform != "linux":
        pytest.skip("only Linux tells who opens a file")
    libc = ctypes.CDLL(None, use_errno=True)
    descriptor = libc.inotify_init1(os.O_NONBLOCK | os.O_CLOEXEC)
    try:
        if descriptor < 0 or libc.inotify_add_watch(descriptor, os.fsencode(path), _ACCESSED | _OPENED) < 0:
            raise OSError(ctypes.get_errno(), "inotify cannot be used", str(path))
        yield Watch(descriptor)
    finally:
        if descriptor >= 0:
            os.close(descriptor)
