"""The record of the English models has what their figures have."""

from __future__ import annotations

import json
from pathlib import Path

from experiments.models import figures


def test_the_record_is_what_the_figures_make() -> None:
    assert json.loads(figures.RECORD.read_text(encoding="utf-8")) == figures.record()


def test_a_model_without_dependencies_has_no_row_for_them(tmp_path: Path) -> None:
    def scores(value: float) -> dict[str, float]:
        return {"f1": value, "tagging_accuracy": value, "calibration_error": value / 1000}

    arcs = {"las": 3.0, "uas": 4.0, "universal_tags": 5.0, "calibration_error": 0.006}
    found = {"date": "2026-11-18", "megabytes": 1.5, "treebanks": {name: scores(1.0) for name in figures.TREES}}
    with_arcs = found | {"date": "2026-11-19", "dependencies": dict.fromkeys(figures.DEPENDENCIES, arcs)}
    for name, content in (("en/figures.json", with_arcs), ("en/figures-0.1.0.json", found)):
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(json.dumps(content), encoding="utf-8")
    made = figures.record(tmp_path)
    assert made["date"] == "2026-11-19"
    assert [row[0] for row in made["tables"]["f1"]["rows"]] == ["en", "en before"]
    assert made["tables"]["las"] == {
        "columns": ["model", "ewt", "gum"],
        "decimals": [None, 2, 2],
        "rows": [["en", 3.0, 3.0]],
    }
