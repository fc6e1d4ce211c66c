"""The figures of a run, and its report."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from corpus_runs import begin_job, errors, write_corpus
from spanlin.corpus import CorpusOptions
from spanlin.corpus.records import Outcome, UnitFiles, UnitRecord
from spanlin.corpus.report import RunProgress, finish
from spanlin.corpus.work import UnitDone


def record(unit: str = "part-000000-000000", *, failures: int = 0, incomplete: bool = False) -> UnitRecord:
    return UnitRecord(
        unit=unit,
        shard=f"{unit}.jsonl",
        size=100,
        sha256="",
        documents=2,
        sentences=5,
        words=30,
        failures=failures,
        incomplete=incomplete,
    )


def test_units_add_up_and_only_what_was_parsed_now_counts_for_the_rate(monkeypatch: pytest.MonkeyPatch) -> None:
    progress = RunProgress(started=0.0)
    outcomes: list[Outcome] = ["kept", "parsed", "remade"]
    for number, outcome in enumerate(outcomes):
        progress.live.sentences = 3
        progress.add(UnitDone(record(str(number), failures=number, incomplete=number == 2), outcome))
        assert progress.live.sentences == 0
    assert (progress.done, progress.kept, progress.remade) == (3, 1, ["2.jsonl"])
    assert (progress.documents, progress.sentences, progress.words, progress.bytes) == (6, 15, 90, 300)
    assert (progress.failures, progress.incomplete, progress.new_sentences) == (3, 1, 10)
    monkeypatch.setattr("time.monotonic", lambda: 5.0)
    progress.live.sentences = 2
    assert (progress.seconds, progress.rate) == (5.0, (10 + 2) / 5.0)


def test_errors_of_units_are_joined_in_their_order_and_the_report_is_written(tmp_path: Path) -> None:
    source = write_corpus(tmp_path / "a.txt", 10)
    job, units = begin_job(source, tmp_path / "out", CorpusOptions(unit_size=150))
    assert len(units) >= 4
    records = {}
    progress = RunProgress(engine="plain", workers="1", units=len(units), skipped=tuple(map(str, range(12))))
    for number, unit in enumerate(units):
        records[unit.name] = record(unit.name, failures=number == 3, incomplete=number == 1)
        progress.add(UnitDone(records[unit.name], "parsed"))
        if number in (1, 2, 3):  # of the second, a start before this one left some
            job.write(json.dumps({"unit": number}).encode() + b"\n", *UnitFiles(job, unit).errors)
    report = finish(job, progress, units, dict(reversed(records.items())))
    assert errors(tmp_path / "out") == [{"unit": 1}, {"unit": 3}]
    assert (report.units, report.failures, report.incomplete) == (len(units), 1, 1)
    assert (report.skipped, report.skipped_files) == (12, tuple(map(str, range(10))))
    written = (tmp_path / "out" / "_report.json").read_text()
    assert json.loads(written) == json.loads(json.dumps(report.to_json()))
    assert written.endswith("\n")
