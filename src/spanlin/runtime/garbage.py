"""Python's search for garbage, put off while many objects are made that are all kept."""

from __future__ import annotations

import gc
import threading
from collections.abc import Iterator
from contextlib import contextmanager

_switch = threading.Lock()


@contextmanager
def no_collections() -> Iterator[None]:
    """Let nothing be searched for garbage meanwhile; for short stretches, such as one batch.

    After every so many new objects, Python goes through all that it has. Where torch is loaded, that takes a tenth of a
    second, and the parses of a few batches are as many. If several threads are in such stretches, searches go on when
    the first of them ends.
    """
    with _switch:  # or one that saw it off could switch it off again after the other had switched it on
        was_enabled = gc.isenabled()
        gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            with _switch:
                gc.enable()
