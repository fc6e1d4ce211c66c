from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from spanlin.benchmark import SAMPLE, measure
from spanlin.cli.main import main
from spanlin.errors import SpanlinError
from spanlin.text import tokenize


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
    assert found["rate"] > found["rate_one_by_one"] > 1
    assert 0 < found["latency_p50"] <= found["latency_p99"]
    assert 0 < found["start_seconds"] < 60
    assert found["start_memory_mb"] > 20


def test_the_sample_is_as_long_as_the_help_says() -> None:
    sentences = tokenize(SAMPLE)
    assert len(sentences) >= 20
    assert 21 < sum(len(sentence.words) for sentence in sentences) / len(sentences) < 23


def test_sentences_without_words_are_an_error() -> None:
    with pytest.raises(SpanlinError, match="there is no sentence with words to measure on: give some"):
        measure(sentences=[[]], seconds=0.1)
