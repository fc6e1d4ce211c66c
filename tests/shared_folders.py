"""Folders that take long to make, made once for all workers of pytest-xdist."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

try:
    import fcntl
except ImportError:  # not on every system; each worker then makes its own
    fcntl = None  # type: ignore[assignment]


def made_once(name: str, make: Callable[[Path], object], factory: pytest.TempPathFactory) -> Path:
    """Return the folder of this name that `make` has made at the path it was given, now or in another worker."""
    root = factory.getbasetemp()
    if "PYTEST_XDIST_WORKER" in os.environ and fcntl is not None:
        root = root.parent  # which the workers of a run share
    folder = root / "shared" / name
    folder.parent.mkdir(exist_ok=True)
    with (folder.parent / f"{name}.lock").open("w") as lock:
        if fcntl is not None:
            fcntl.flock(lock, fcntl.LOCK_EX)  # given up when the file is closed, or its process ends
        if not folder.exists():
            made = factory.mktemp("making") / name
            make(made)
            made.rename(folder)
    return folder
