"""For all tests: each worker of pytest-xdist has one core, and Ctrl-C means what it means at a terminal."""

from __future__ import annotations

import gc
import os
import signal
import sys
from collections.abc import Generator

import pytest

# Before torch is imported, here and in every process that a test starts: the workers have all cores busy already, and
# small tensors gain nothing from more threads.
os.environ.setdefault("OMP_NUM_THREADS", "1")

if "mutmut" in sys.modules:  # mutmut 3.8 asks for a name that pytest 9.2 has no more
    pytest.Item._nodeid = property(lambda item: item.nodeid)  # type: ignore[attr-defined]

try:
    import hypothesis
except ImportError:  # then there are no tests that need it either
    pass
else:
    # Enough for any example on a busy machine, too little for one that hangs.
    hypothesis.settings.register_profile("busy", deadline=10_000)
    hypothesis.settings.load_profile("busy")

_MOST_WORKERS = 8  # each takes about 1 GB of memory


def pytest_configure() -> None:
    # Shells that start pytest in the background have it ignored, and so would every process started from here.
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, object, object]:
    """Collect garbage while tests run, not while they are imported: nothing of that is ever given up."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.enable()
        gc.freeze()


@pytest.hookimpl(optionalhook=True)  # the light install is tested without pytest-xdist
def pytest_xdist_auto_num_workers() -> int:
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    return min(cores or 1, _MOST_WORKERS)
