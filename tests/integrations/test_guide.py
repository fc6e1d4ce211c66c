from __future__ import annotations

import doctest
from pathlib import Path

import pytest

pytest.importorskip("spacy")
pytest.importorskip("nltk")

PAGE = Path(__file__).parents[2] / "docs" / "integrations.md"


@pytest.mark.skipif(not PAGE.exists(), reason="installed without its guides")
def test_the_pages_python_runs_as_it_stands() -> None:
    result = doctest.testfile(str(PAGE), module_relative=False)
    assert result.attempted >= 10
    assert result.failed == 0
