from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from experiments.kept_figures import KeptFigures

from spanlin.errors import EvaluationError


def of_model(different: int, size: int) -> dict[str, Any]:
    way = {"warm_p50_ms": 7.6, "first_tree_ms": 3908.5, "second_visit_ms": 2800.7, "different": different, "f1": 90.5}
    return {"page_bytes": size, "python": {"f1": 90.54}, "node": way, "chromium": {**way, "different": different + 1}}


@pytest.fixture
def kept(tmp_path: Path) -> KeptFigures:
    models = {"en-small": of_model(1200, 20_400_000), "en": of_model(57, 40_616_969)}
    found = {"sentences": 2000, "page_model": "en-small", "models": models}
    (tmp_path / "2026-11-18-browser.json").write_text(json.dumps(found))
    return KeptFigures(bench=tmp_path)


def test_each_model_has_its_rows_of_trees(kept: KeptFigures) -> None:
    assert kept.browser("trees").splitlines() == [
        "| model | 2,000 dev sentences, in | trees that differ | F1 |",
        "| --- | --- | ---: | ---: |",
        "| `en-small` | Python |  | 90.54 |",
        "| `en-small` | Node | 1,200 | 90.50 |",
        "| `en-small` | Chromium | 1,201 | 90.50 |",
        "| `en` | Python |  | 90.54 |",
        "| `en` | Node | 57 | 90.50 |",
        "| `en` | Chromium | 58 | 90.50 |",
    ]


def test_each_model_has_a_row_of_times_and_bytes(kept: KeptFigures) -> None:
    rows = kept.browser("speed").splitlines()[2:]
    assert rows == ["| `en-small` | 8 | 8 | 20,400,000 | 3.9 | 2.8 |", "| `en` | 8 | 8 | 40,616,969 | 3.9 | 2.8 |"]


def test_the_first_visit_is_that_of_the_model_that_the_page_opens_with(kept: KeptFigures) -> None:
    assert (kept.browser("model"), kept.browser("megabytes")) == ("en-small", "20")


def test_what_is_not_measured_is_an_error(kept: KeptFigures) -> None:
    with pytest.raises(EvaluationError, match="nothing is told of colours: choose one of trees, speed"):
        kept.browser("colours")
