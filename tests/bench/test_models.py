from __future__ import annotations

from itertools import count
from pathlib import Path
from typing import Any

import pytest
from bench.__main__ import main
from click.testing import CliRunner

from bench import models


def test_models_take_turns_and_medians_are_compared_with_the_first() -> None:
    turns = []
    numbers = count(1)

    def measure(model: str, file: Path, *, seconds: float) -> dict[str, Any]:
        turns.append((model, str(file), seconds))
        rate = next(numbers) * (10.0 if model == "small" else 1.0)
        facts = {"machine": "here", "threads": 2, "sentences": 5, "mean_words": 4.0}
        return dict.fromkeys(models.MEASURED, 0.5) | facts | {"rate": rate}

    found = models.in_turn(["large", "small"], Path("lines.txt"), rounds=3, seconds=2.0, measure=measure)
    assert turns == [("large", "lines.txt", 2.0), ("small", "lines.txt", 2.0)] * 3
    assert found["models"]["large"]["rates"] == [1.0, 3.0, 5.0]
    assert found["models"]["small"]["rates"] == [20.0, 40.0, 60.0]
    assert found["models"]["small"]["rate"] == 40.0
    assert found["models"]["small"]["times_the_first"] == pytest.approx(40 / 3)
    assert found["rounds"] == 3


def test_a_model_that_is_not_there_is_a_one_line_error(tmp_path: Path) -> None:
    (tmp_path / "lines.txt").write_text("Dogs bark .\n")
    command = ["models", "--model", "no-such", "--lines", str(tmp_path / "lines.txt"), "--seconds", "0.1"]
    result = CliRunner().invoke(main, command)
    assert result.exit_code == 1
    assert result.stderr.startswith("Error: no-such: spanlin: no-such: no such model; ")
    assert result.stderr.count("\n") == 1
