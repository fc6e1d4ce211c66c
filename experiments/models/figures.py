"""The scores of the English models, side by side, as a record that README and docs take their numbers from.

    python -m experiments.models.figures

Reads `models/NAME/figures.json`, which `experiments.models.build` writes as `runs/NAME-figures.json` when it packages a
model, and `models/en/figures-0.1.0.json`, the same dev sets scored with the `en` that was in the package before. Writes
`records/english-models.json`.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
RECORD = HERE.parent / "records" / "english-models.json"
ROWS = {
    "en": "en/figures.json",
    "en-small": "en-small/figures.json",
    "en-base": "en-base/figures.json",
    "en before": "en/figures-0.1.0.json",
}
TREES = ("craft", "craft as annotated", "genia", "gum", "masc", "wsj-sample", "wsj-sample-rest")
DEPENDENCIES = ("ewt, dependencies", "gum, dependencies")


def record(folder: Path = HERE) -> dict[str, Any]:
    """Return the record of the models whose figures are there."""
    figures = {
        name: json.loads((folder / file).read_text(encoding="utf-8"))
        for name, file in ROWS.items()
        if (folder / file).exists()
    }
    with_arcs = {name: found for name, found in figures.items() if found.get("dependencies")}
    short = [name.removesuffix(", dependencies") for name in DEPENDENCIES]
    return {
        "about": "Dev scores of the English models as packaged, int8, on the words of the treebanks",
        "date": max(found["date"] for found in figures.values()),
        "machine": {"cpu": "any: the scores do not depend on it"},
        "command": "python -m experiments.models.build experiments/models/NAME models/NAME --step package",
        "source": "experiments/models/*/figures*.json, by python -m experiments.models.figures",
        "values": {name: {"megabytes": found["megabytes"]} for name, found in figures.items()},
        "tables": {
            "f1": _table(figures, "treebanks", "f1", TREES, TREES),
            "tags": _table(figures, "treebanks", "tagging_accuracy", TREES, TREES),
            "ece": _table(figures, "treebanks", "calibration_error", TREES, TREES, decimals=3),
            "las": _table(with_arcs, "dependencies", "las", DEPENDENCIES, short),
            "uas": _table(with_arcs, "dependencies", "uas", DEPENDENCIES, short),
            "upos": _table(with_arcs, "dependencies", "universal_tags", DEPENDENCIES, short),
            "arc-ece": _table(with_arcs, "dependencies", "calibration_error", DEPENDENCIES, short, decimals=3),
        },
    }


def _table(
    figures: dict[str, Any],
    kind: str,
    key: str,
    names: tuple[str, ...],
    columns: tuple[str, ...] | list[str],
    *,
    decimals: int = 2,
) -> dict[str, Any]:
    """Return a table of one figure: a row for each model, a column for each dev set."""
    return {
        "columns": ["model", *columns],
        "decimals": [None, *(decimals for _ in columns)],
        "rows": [[model, *(found[kind][name][key] for name in names)] for model, found in figures.items()],
    }


def main() -> None:
    """Write the record."""
    RECORD.write_text(json.dumps(record(), indent=1) + "\n", encoding="utf-8")
    print(RECORD)


if __name__ == "__main__":
    main()
