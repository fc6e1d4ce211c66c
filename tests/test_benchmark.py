from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import pytest

from spanlin import benchmark
from spanlin.benchmark import SAMPLE, Benchmark, measure
from spanlin.errors import SpanlinError
from spanlin.text import tokenize


class Clocked:
    """A parser whose work takes 2 ms a sentence in a stream and, by itself, 5 ms, and each 100th sentence 105 ms."""

    def __init__(self) -> None:
        self.seconds = 0.0
        self.alone = 0
        self.folder = SimpleNamespace(path=Path("models/clocked"))
        self.backend = SimpleNamespace(precision="int8", device="cpu")
        self.is_closed = False

    def close(self) -> None:
        self.is_closed = True

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
    started: list[Path] = []

    def start(path: Path, *_: object) -> tuple[float, float]:
        started.append(path)
        return 1.5, 30.0

    monkeypatch.setattr(benchmark, "_start", start)
    found = measure(Path("en"), sentences=[["Dogs", "bark"], [], ["Cats", "sleep", "all", "day"]], seconds=9)
    assert started == [Path("models/clocked").absolute()]  # the folder, not what has its name
    assert clocked.is_closed
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


MEASURED = Benchmark(
    model="en",
    precision="int8",
    device="cpu",
    threads=2,
    machine="a machine",
    sentences=4_500,
    mean_words=21.96,
    rate=1_234.4,
    rate_one_by_one=99.6,
    latency_p50=5.04,
    latency_p99=105.0,
    start_seconds=0.456,
    start_memory_mb=None,
    peak_memory_mb=300.4,
    load_before=0.2,
)


def test_the_table_has_rounded_figures_and_warns_of_a_busy_machine() -> None:
    lines = MEASURED.to_text().splitlines()
    assert lines[2:] == [
        "sentences            4,500, 22.0 words on average",
        "many at a time       1,234 sentences/s on 2 threads",
        "one by one           100 sentences/s; p50 5.0 ms, p99 105.0 ms",
        "start to first tree  0.46 s",
        "peak memory          300 MB",
    ]
    busy = replace(MEASURED, load_before=1.26, threads=1, peak_memory_mb=None).to_text().splitlines()
    assert busy[-1] == "note                 the machine was busy before (load 1.3): expect more when it is not"
    assert busy[3].endswith(" on 1 thread")
    on_gpu = replace(MEASURED, device="cuda:0").to_text().splitlines()
    assert on_gpu[3] == "many at a time       1,234 sentences/s on cuda:0"
    assert busy[6] == "peak memory          not reported by this system"


def test_the_json_has_every_figure_unrounded() -> None:
    found = json.loads(MEASURED.to_json())
    assert (found["rate"], found["start_memory_mb"], found["load_before"]) == (1_234.4, None, 0.2)
