from __future__ import annotations

from pathlib import Path

import pytest
from bench.__main__ import main
from click.testing import CliRunner

from bench import browser
from generated_treebank import generate_trees
from spanlin.trees.brackets import write_trees


@pytest.fixture
def data(tmp_path: Path) -> Path:
    for name, seed in (("one", 1), ("two", 2)):
        (tmp_path / name).mkdir()
        write_trees(generate_trees(30, seed=seed), tmp_path / name / "dev.txt")
    return tmp_path


def test_gold_trees_are_spread_over_the_treebanks(data: Path) -> None:
    found = browser.read_gold(data, ["one", "two"], 20)
    wanted = [tree for seed in (1, 2) for tree in generate_trees(30, seed=seed)[::3]]
    assert list(map(str, found)) == list(map(str, wanted))


def test_a_treebank_that_has_fewer_gives_what_it_has(data: Path) -> None:
    assert len(browser.read_gold(data, ["one"], 1000)) == 30


def test_times_are_medians_in_milliseconds() -> None:
    found = browser._times({"times": [1.0, 2.04, 30.0], "firstTree": 500.0})
    assert found == {"warm_p50_ms": 2.0, "warm_p90_ms": 24.4, "first_tree_ms": 500.0}


def test_without_a_sentence_of_25_words_nothing_is_measured(data: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(browser, "TIMED_WORDS", 1000)
    done = CliRunner().invoke(main, ["browser", "--data", str(data), "--treebank", "one"])
    assert done.exit_code == 1
    assert "no sentence has 1000 words: give more" in done.output


def test_a_model_that_the_page_has_not_is_told(data: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "page").mkdir()
    lines = (f'<meta name="spanlin-model" content="models/{name}" data-bytes="3">\n' for name in ("small", "large"))
    (tmp_path / "page" / "index.html").write_text("".join(lines))
    monkeypatch.setattr(browser, "WEB", tmp_path)
    monkeypatch.setattr(browser, "TIMED_WORDS", len(browser.read_gold(data, ["one"], 10)[0].words))
    assert browser._models_of_page() == ["small", "large"]
    with pytest.raises(browser.BrowserError, match="the page has no model en, only small, large: build it again"):
        browser.measure([tmp_path / "en"], browser.read_gold(data, ["one"], 10), calls=1, log=print)


def test_a_package_that_was_not_built_is_told(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(browser, "WEB", tmp_path)
    with pytest.raises(browser.BrowserError, match="npm run page"):
        browser._run_script({})
