from __future__ import annotations

import io
from dataclasses import replace

import pytest
from rich.console import Console

from spanlin.cli import corpus_progress
from spanlin.cli.corpus_progress import CorpusProgressBar, summary
from spanlin.corpus.report import Report, RunProgress

REPORT = Report(
    engine="plain",
    workers="1",
    documents=1_200,
    sentences=3_400,
    words=9,
    failures=0,
    incomplete=0,
    units=5,
    kept=0,
    remade=(),
    bytes=1_250_000,
    new_sentences=3_000,
    seconds=12.34,
    sentences_per_second=243.1,
)


def lines(**changes: object) -> list[str]:
    return list(summary(replace(REPORT, **changes), "out"))  # type: ignore[arg-type]


def test_a_run_without_trouble_is_one_line() -> None:
    assert lines() == [
        "1,200 documents, 3,400 sentences in 5 shards, 1.2 MB; 3,000 sentences in 12.3 s, 243/s",
    ]


def test_what_was_kept_remade_skipped_or_failed_has_a_line_each() -> None:
    found = lines(
        kept=3,
        remade=("a", "b", "c", "d"),
        skipped=2,
        skipped_files=("x.md", "y.md"),
        failures=1_000,
        incomplete=2,
    )
    assert [found[0], found[1], found[2], found[4]] == [
        "3 of 5 units were complete already",
        "4 damaged and rewritten: a, b, c, ...",
        "2 files skipped because their endings are unknown: x.md, y.md; see --input-format",
        "1,000 documents failed, 2 units not read to their end: see _errors.jsonl in out",
    ]
    assert lines(incomplete=1)[-1] == "0 documents failed, 1 units not read to their end: see _errors.jsonl in out"
    assert "1 damaged and rewritten: a" in lines(remade=("a",))


@pytest.mark.parametrize("shown", [True, False])
def test_the_bar_counts_the_unit_under_way_too_and_is_only_there_if_shown(
    shown: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = io.StringIO()
    monkeypatch.setattr(corpus_progress, "Console", lambda stderr: Console(file=text, force_terminal=True, width=200))
    progress = RunProgress(units=4, done=1, documents=1_000, sentences=2_000, failures=1)
    with CorpusProgressBar(progress, shown=shown):
        progress.live.documents, progress.live.sentences, progress.live.failures = 5, 6, 2
    assert ("1,005 documents, 2,006 sentences, " in text.getvalue()) is shown
    assert ("/s, 3 failed, 1/4 units" in text.getvalue()) is shown
    assert bool(text.getvalue()) is shown
