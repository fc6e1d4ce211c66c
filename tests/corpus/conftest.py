from __future__ import annotations

import sys
from collections.abc import Callable

import pytest


@pytest.fixture
def without(monkeypatch: pytest.MonkeyPatch) -> Callable[[str], None]:
    """Return a function that makes it seem as if a package were not installed."""

    def hide(name: str) -> None:
        for module in [name, *(found for found in sys.modules if found.startswith(f"{name}."))]:
            monkeypatch.setitem(sys.modules, module, None)

    return hide
