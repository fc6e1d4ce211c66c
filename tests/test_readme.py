from __future__ import annotations

import doctest
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent


@pytest.mark.skipif(not (ROOT / "docs").exists(), reason="installed without its README and guides")
@pytest.mark.parametrize("page", ["README.md", "docs/parsing.md"])
def test_a_pages_python_runs_as_it_stands(page: str) -> None:
    result = doctest.testfile(str(ROOT / page), module_relative=False)
    assert result.attempted >= 5
    assert result.failed == 0
