"""Whether anything is written, removed, started or called while an input is read: none of it may be."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

_WRITING = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND
_FORBIDDEN = frozenset(
    [
        *("os.chmod", "os.exec", "os.fork", "os.link", "os.mkdir", "os.posix_spawn", "os.remove", "os.rename"),
        *("os.rmdir", "os.spawn", "os.symlink", "os.system", "os.truncate", "os.utime", "subprocess.Popen"),
        *("pickle.find_class", "socket.bind", "socket.connect", "socket.getaddrinfo", "urllib.Request"),
    ]
)
_found: list[str] = []
_watching = False


class ForbiddenError(BaseException):
    """Something that no input may bring about; no Exception, so that who catches all errors lets it through."""


@contextmanager
def watched() -> Iterator[None]:
    """Raise at the end, and on the spot, if Python is asked for what no input may bring about."""
    global _watching  # noqa: PLW0603 (a hook of the whole process, which can never be taken away)
    _found.clear()
    _watching = True
    try:
        yield
    finally:
        _watching = False
    if _found:
        raise ForbiddenError(_found[0])


def _hook(event: str, arguments: tuple[Any, ...]) -> None:
    if not _watching:
        return
    if event == "open":
        path, _, flags = arguments
        # Python keeps what it has compiled of a module that is imported late.
        if not flags & _WRITING or "__pycache__" in str(path):
            return
    elif event not in _FORBIDDEN or "__pycache__" in str(arguments):
        return
    _found.append(f"{event}{arguments!r}"[:300])
    raise ForbiddenError(_found[-1])


sys.addaudithook(_hook)
