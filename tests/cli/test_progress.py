from __future__ import annotations

import io

import pytest
from rich.console import Console

from spanlin.cli import progress
from spanlin.cli.progress import ParseProgress, PolledBar


@pytest.fixture
def text(monkeypatch: pytest.MonkeyPatch) -> io.StringIO:
    """What a terminal gets."""
    found = io.StringIO()
    monkeypatch.setattr(progress, "Console", lambda stderr: Console(file=found, force_terminal=True, width=200))
    return found


def test_sentences_are_counted_and_bytes_are_the_share(text: io.StringIO) -> None:
    with ParseProgress(shown=True, total_bytes=200) as bar:
        for place in range(1, 1_235):
            bar.advance(min(place, 100))
    assert "1,234 sentences, " in text.getvalue()
    assert " 50%" in text.getvalue()


def test_at_the_end_all_is_done_though_blank_lines_follow_the_last_sentence(text: io.StringIO) -> None:
    with ParseProgress(shown=True, total_bytes=200) as bar:
        bar.advance(150)
        bar.finish()
    assert "✓" in text.getvalue()
    assert "100%" in text.getvalue()


def test_without_a_known_size_there_is_no_share(text: io.StringIO) -> None:
    with ParseProgress(shown=True, total_bytes=None) as bar:
        bar.advance(150)
        bar.finish()
    assert "1 sentences, " in text.getvalue()
    assert "%" not in text.getvalue()


def test_nothing_is_written_if_not_shown(text: io.StringIO) -> None:
    with ParseProgress(shown=False, total_bytes=200) as bar:
        bar.advance(150)
        bar.finish()
    assert text.getvalue() == ""


def test_a_bar_asks_for_its_figures_when_it_is_drawn() -> None:
    bar = PolledBar(console=Console(file=io.StringIO(), force_terminal=True))
    asked: list[int] = []
    bar.before = lambda: asked.append(1)
    bar.get_renderable()
    bar.get_renderable()
    assert len(asked) == 2
