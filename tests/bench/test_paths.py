from __future__ import annotations

import json
import time
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from xml.etree import ElementTree

import pytest
from bench.__main__ import main
from bench.paths import PathBench, detokenize, read_sentences, write_text
from bench.stage_chart import draw
from click.testing import CliRunner

from bench import paths
from joint_networks import SENTENCES, joint_folder
from spanlin.parser import Parser
from spanlin.text import tokenize


def test_tokens_become_text_that_has_these_tokens() -> None:
    words = ["She", "did", "n't", "say", ":", "``", "Go", "(", "now", ")", "!", "''"]
    assert detokenize(words) == 'She didn\'t say: "Go (now)!"'
    sentences = ["Dogs bark.", "Cats do not.", "Nobody minds.", "Birds sing.", "Fish swim.", "Bees fly."]
    assert [sentence.text for sentence in tokenize(write_text(sentences))] == sentences


def test_no_line_is_taken_twice(tmp_path: Path) -> None:
    (tmp_path / "a").write_text("Dogs bark .\n\nCats sleep .\nDogs bark .\nBirds sing .\n", encoding="utf-8")
    assert read_sentences([tmp_path / "a"], count=2, tokenized=True) == ["Dogs bark.", "Cats sleep."]
    assert read_sentences([tmp_path / "a"] * 2, count=9, tokenized=False) == [
        "Dogs bark .",
        "Cats sleep .",
        "Birds sing .",
    ]


def test_a_path_that_fails_is_reported_and_the_others_run(tmp_path_factory: pytest.TempPathFactory) -> None:
    said: list[str] = []
    bench = PathBench(
        str(joint_folder(tmp_path_factory)), "", ["Dogs bark."], processes=0, seconds=60.0, log=said.append
    )

    def failing(parser: Parser) -> Iterator[str]:
        yield "one"
        raise MemoryError("too much")

    failed = bench.measure("bad", failing, words="new")
    assert failed.error == "MemoryError: too much"
    good = bench.measure("good", lambda parser: parser.stream_brackets("Dogs bark. Cats sleep."), words="new")
    assert (good.error, good.sentences) == ("", 2)
    assert good.rate > 0
    assert said[0].startswith("bad, one process: failed: MemoryError")
    bench._end = 0.0
    assert bench.measure("late", failing, words="new").error == "no time left"


def test_the_command_has_a_figure_for_every_path_and_draws_the_stages(
    tmp_path: Path, tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(paths, "_STAGE_SENTENCES", 20)
    (tmp_path / "text").write_text("\n".join(" ".join(words) for words in SENTENCES), encoding="utf-8")
    arguments = ["paths", "--text", str(tmp_path / "text"), "--model", str(joint_folder(tmp_path_factory))]
    arguments += ["--processes", "2", "--json", str(tmp_path / "json"), "--chart", str(tmp_path / "svg")]
    result = CliRunner().invoke(main, [*arguments, "--count", "20", "--plain-count", "20"])
    assert result.exit_code == 0, result.output
    figures = json.loads((tmp_path / "json").read_text(encoding="utf-8"))
    assert [one["path"] for one in figures["paths"] if "error" in one] == []
    assert set(paths._TARGETS) <= {one["path"] for one in figures["paths"]}
    assert all(one["sentences_per_second"] > 0 for one in figures["paths"])
    assert {one["processes"] for one in figures["paths"]} == {0, 2}
    chart = ElementTree.fromstring((tmp_path / "svg").read_text(encoding="utf-8"))
    assert len(list(chart.iter("{http://www.w3.org/2000/svg}title"))) == 3 + 3 + 4 + 4 + 4 + 4


def test_a_corpus_that_is_over_before_anyone_looked_is_timed_from_its_start(
    tmp_path: Path, tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(paths, "parse_corpus", lambda *_, **__: SimpleNamespace(sentences=7))
    model = str(joint_folder(tmp_path_factory))
    bench = PathBench(model, "", ["Dogs bark ."], processes=0, seconds=100, log=lambda _: None)
    begun = time.monotonic()
    figure = bench.measure_corpus(["Dogs bark ."], tmp_path)
    assert (figure.sentences, figure.error) == (7, "")
    assert figure.seconds <= time.monotonic() - begun


def test_a_chart_has_the_paths_whose_stages_were_measured() -> None:
    stages = [
        {"stage": "text to sentences and words", "cold": 30.0, "warm": 12.0},
        {"stage": "words to pieces and rows", "cold": 18.0, "warm": 2.0},
        {"stage": "bracket lines", "cold": None, "warm": 2.0},
    ]
    drawn = draw({"stages": stages})
    assert ">50 µs</text>" in drawn
    assert "Parquet" not in drawn
