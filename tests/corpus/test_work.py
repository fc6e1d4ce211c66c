"""One worker and one unit: its shard, its record, and what makes the whole run stop."""

from __future__ import annotations

import gzip
import hashlib
import io
from dataclasses import replace
from pathlib import Path

import pytest

from corpus_runs import begin_job, rows, write_corpus
from spanlin.corpus import CorpusOptions
from spanlin.corpus.child_process import Watchdog
from spanlin.corpus.documents import DocumentOptions
from spanlin.corpus.inputs import find_inputs
from spanlin.corpus.job import begin_output, make_job
from spanlin.corpus.records import UnitFiles
from spanlin.corpus.units import cut_into_units
from spanlin.corpus.work import Worker
from spanlin.errors import CorpusError
from spanlin.parser import Parser


def test_a_record_tells_size_hash_and_counts_of_its_shard(tmp_path: Path) -> None:
    job, (unit,) = begin_job(write_corpus(tmp_path / "a.txt", 3), tmp_path / "out")
    record, outcome = Worker(job).run(unit)
    shard = (tmp_path / "out" / record.shard).read_bytes()
    assert (record.size, record.sha256) == (len(shard), hashlib.sha256(shard).hexdigest())
    found = rows(tmp_path / "out")
    assert (record.documents, record.sentences, record.failures) == (3, len(found), 0) == (3, 6, 0)
    assert record.words == sum(len(row["tokens"]) for row in found)
    assert (outcome, record.incomplete, record.run) == ("parsed", False, job.run)
    assert UnitFiles(job, unit).attempts() == 0
    assert not (tmp_path / "out" / "_units" / "part-000000-000000.errors.jsonl").exists()


def test_a_shard_of_a_worker_that_died_before_it_told_is_of_this_run(tmp_path: Path) -> None:
    write_corpus(tmp_path / "a.txt", 3)
    files = find_inputs([str(tmp_path / "a.txt")], input_format=None, outside="")
    made = [
        make_job(str(tmp_path / "out"), files, model="en", threads=1, device="", options=CorpusOptions())
        for _ in range(2)
    ]
    begin_output(*made[0])
    (unit,) = cut_into_units(files, unit_size=1 << 20)
    jobs = [job for job, _ in made]
    outcomes = [Worker(job).run(unit).outcome for job in (jobs[0], jobs[0], jobs[1])]
    assert outcomes == ["parsed", "parsed", "kept"]


def test_places_are_those_of_documents_that_can_be_parsed(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_bytes(b"One.\n\xff\n\nTwo.\n" + b"x" * 50 + b"\n")
    options = CorpusOptions(documents=DocumentOptions(longest_document=20))
    job, (unit,) = begin_job(tmp_path / "a.txt", tmp_path / "out", options)
    assert Worker(job).places(unit) == [0, 8]
    (tmp_path / "b.txt.gz").write_bytes(gzip.compress(b"One.\nTwo.\n")[:-9])
    job, (unit,) = begin_job(tmp_path / "b.txt.gz", tmp_path / "other")
    assert Worker(job).places(unit) == [0, 5]


def test_a_rehearsal_reads_only_what_it_is_told_and_keeps_nothing(tmp_path: Path) -> None:
    job, (unit,) = begin_job(write_corpus(tmp_path / "a.txt", 4), tmp_path / "out")
    read: list[int] = []
    worker = Worker(job, on_document=read.append)
    places = worker.places(unit)
    before = sorted((tmp_path / "out").rglob("*"))
    worker.rehearse(unit, places[1:3])
    assert read == places[1:3]
    assert sorted((tmp_path / "out").rglob("*")) == before


def test_loading_the_model_does_not_count_against_the_time_limit(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    calls: list[str] = []

    class RecordingWatchdog(Watchdog):
        def pat(self, *, at_least: float = 0.0) -> None:
            calls.append(f"pat {max(self.seconds, at_least):g}")

        def rest(self) -> None:
            calls.append("rest")

    job, (unit,) = begin_job(write_corpus(tmp_path / "a.txt", 1), tmp_path / "out")
    worker = Worker(job, watchdog=RecordingWatchdog(0.5, reports_to=io.StringIO()))
    load = worker._load

    def load_and_note() -> Parser:
        calls.append("load")
        return load()

    monkeypatch.setattr(worker, "_load", load_and_note)
    worker.rehearse(unit, worker.places(unit))
    assert calls[:4] == ["pat 900", "load", "rest", "pat 0.5"]
    assert calls[-1] == "rest"


def test_what_is_left_out_fails_for_the_reason_given(tmp_path: Path) -> None:
    job, (unit,) = begin_job(write_corpus(tmp_path / "a.txt", 3), tmp_path / "out")
    worker = Worker(job)
    first, second, third = worker.places(unit)
    record = worker.write(unit, UnitFiles(job, unit), left_out={second: "it is deadly"})
    assert (record.documents, record.failures, record.incomplete) == (2, 1, False)
    assert b'"reason": "it is deadly"' in (tmp_path / "out" / "_units" / f"{unit.name}.errors.jsonl").read_bytes()
    assert [row["document"].rpartition(":")[2] for row in rows(tmp_path / "out")[::2]] == [str(first), str(third)]


def test_a_worker_that_sees_another_folder_or_model_stops(tmp_path: Path) -> None:
    job, (unit,) = begin_job(write_corpus(tmp_path / "a.txt", 2), tmp_path / "out")
    with pytest.raises(
        CorpusError, match="out: a worker does not see this folder as it was begun; all machines must share"
    ):
        Worker(replace(job, key="other")).run(unit)
    with pytest.raises(CorpusError, match="en: a worker has another model of this name; give all machines the same"):
        Worker(replace(job, model_hash="other")).run(unit)
    (tmp_path / "out" / "_corpus.json").unlink()
    with pytest.raises(CorpusError, match="does not see this folder as it was begun"):
        Worker(job).run(unit)
