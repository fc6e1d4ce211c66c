from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from types import SimpleNamespace

import pytest
from click.testing import CliRunner

from spanlin import benchmark
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
    assert found["rate"] > 1
    assert found["rate_one_by_one"] > 1
    assert 0 < found["latency_p50"] <= found["latency_p99"]
    assert 0 < found["start_seconds"] < 60
    assert found["start_memory_mb"] > 20


class Clocked:
    """A parser whose work takes 2 ms a sentence in a stream and, by itself, 5 ms, and each 100th sentence 105 ms."""

    def __init__(self) -> None:
        self.seconds = 0.0
        self.alone = 0
        self.folder = SimpleNamespace(path=Path("models/clocked"), precision="int8")
        self.backend = SimpleNamespace(precision="int8", device="cpu")

    def bracket_lines(self, sentences: Iterable[Sequence[str]]) -> Iterator[str]:
        if isinstance(sentences, list):  # one by itself
            self.alone += 1
            self.seconds += 0.105 if self.alone % 100 == 0 else 0.005
            yield from (" ".join(words) for words in sentences)
            return
        for words in sentences:
            self.seconds += 0.002
            yield " ".join(words)


def test_rates_and_latencies_are_those_of_the_clock(monkeypatch: pytest.MonkeyPatch) -> None:
    clocked = Clocked()
    monkeypatch.setattr(benchmark, "time", SimpleNamespace(perf_counter=lambda: clocked.seconds))
    monkeypatch.setattr(benchmark, "Parser", SimpleNamespace(load=lambda *_, **__: clocked))
    monkeypatch.setattr(benchmark, "_start", lambda *_: (1.5, 30.0))
    found = measure(sentences=[["Dogs", "bark"], [], ["Cats", "sleep", "all", "day"]], seconds=9)
    assert found.mean_words == 3.0
    assert found.sentences == 4500  # nine seconds of them, at the rate of the warm-up
    assert found.rate == pytest.approx(500)
    assert found.rate_one_by_one == pytest.approx(1000 / 6, rel=0.01)  # the mean is 6 ms
    assert found.latency_p50 == pytest.approx(5)
    assert found.latency_p99 == pytest.approx(105)
    assert (found.start_seconds, found.start_memory_mb) == (1.5, 30.0)


def test_the_sample_is_as_long_as_the_help_says() -> None:
    sentences = tokenize(SAMPLE)
    assert len(sentences) >= 20
    assert 21 < sum(len(sentence.words) for sentence in sentences) / len(sentences) < 23


def test_sentences_without_words_are_an_error() -> None:
    with pytest.raises(SpanlinError, match="there is no sentence with words to measure on: give some"):
        measure(sentences=[[]], seconds=0.1)
