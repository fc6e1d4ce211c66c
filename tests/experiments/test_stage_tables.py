from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from experiments.kept_figures import KeptFigures


def of_host(stages: dict[str, tuple[float | None, float]]) -> dict[str, Any]:
    trees_alone = {"dependencies": False, "stages": [{"stage": "JSON", "cold": None, "warm": 1.0}]}
    found = [{"stage": name, "cold": cold, "warm": warm} for name, (cold, warm) in stages.items()]
    return {"models": [trees_alone, {"dependencies": True, "stages": found}]}


def test_stages_stand_beside_what_they_took_before(tmp_path: Path) -> None:
    before = of_host({"JSON": (None, 76.88), "text": (31.31, 12.69)})
    after = of_host({"text": (22.93, 7.83), "JSON": (None, 66.49), "packed": (None, 4.18)})
    (tmp_path / "2026-11-18-host-before.json").write_text(json.dumps(before))
    (tmp_path / "2026-11-19-host.json").write_text(json.dumps(after))
    assert KeptFigures(bench=tmp_path).stages("host-before", "host").splitlines()[2:] == [
        "| text | 31.3 | 22.9 | 12.7 | 7.8 |",
        "| JSON |  |  | 76.9 | 66.5 |",
        "| packed |  |  |  | 4.2 |",
    ]
