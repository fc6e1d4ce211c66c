from __future__ import annotations

import json
from pathlib import Path

from click.testing import CliRunner

from spanlin.cli.main import main


def run(*arguments: str) -> str:
    result = CliRunner().invoke(main, ["bench", "--seconds", "0.2", "--threads", "1", *arguments])
    assert result.exit_code == 0, result.stderr
    return result.stdout


def test_the_table_has_a_line_for_each_figure() -> None:
    lines = dict(line.split("  ", 1) for line in run().splitlines())
    assert lines["model"].strip() == "en, int8"
    assert {"machine", "sentences", "many at a time", "one by one", "start to first tree", "peak memory"} <= set(lines)
    assert lines["many at a time"].endswith("sentences/s on 1 thread")


def test_json_has_plausible_figures_of_the_given_sentences(tmp_path: Path) -> None:
    path = tmp_path / "sentences.txt"
    path.write_text("Dogs bark .\n\nCats sleep all day .\n", encoding="utf-8")
    found = json.loads(run("--json", str(path)))
    assert found["mean_words"] == 4.0
    assert found["sentences"] >= 2
    assert found["rate"] > 1
    assert found["rate_one_by_one"] > 1
    assert 0 < found["latency_p50"] <= found["latency_p99"]
    assert 0 < found["start_seconds"] < 60
    assert found["start_memory_mb"] > 20
