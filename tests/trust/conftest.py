"""What holds for all tests of hostile input."""

from __future__ import annotations

import gc
from collections.abc import Iterator

import pytest


@pytest.fixture(autouse=True)
def heap_of_its_own() -> Iterator[None]:
    """Let time limits be those of what is tested, not of walking through what thousands of other tests left behind."""
    gc.freeze()
    yield
    gc.unfreeze()
