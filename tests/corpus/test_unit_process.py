"""The process that parses one unit and may die of it, by its answers."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import Any

from corpus_runs import begin_job, rows, write_corpus
from spanlin.corpus.child_process import ChildProcess
from spanlin.corpus.job import Job
from spanlin.corpus.records import UnitRecord
from spanlin.corpus.units import Unit
from spanlin.corpus.work import Worker


def ask(job: Job, unit: Unit, **task: Any) -> list[dict[str, Any]]:
    with ChildProcess("spanlin.corpus.unit_process", {"job": asdict(job), "unit": asdict(unit), **task}) as child:
        found = list(child.answers())
        assert child.close() == 0
    return found


def test_the_place_of_each_document_comes_before_the_record(tmp_path: Path) -> None:
    job, (unit,) = begin_job(write_corpus(tmp_path / "a.txt", 3), tmp_path / "out")
    places = Worker(job).places(unit)
    rehearsed = ask(job, unit, only=places[:2])
    assert rehearsed == [{"document": places[0]}, {"document": places[1]}, {"record": ""}]
    assert rows(tmp_path / "out") == []
    *read, last = ask(job, unit, left_out=[[places[1], "deadly"]])
    assert read == [{"document": places[0]}, {"document": places[2]}]
    record = UnitRecord.from_json(last["record"])
    assert (record.documents, record.failures) == (2, 1)
    assert len(rows(tmp_path / "out")) == 4


def test_a_shard_that_cannot_be_written_stops_the_run_and_all_else_fails_the_unit(tmp_path: Path) -> None:
    job, (unit,) = begin_job(write_corpus(tmp_path / "a.txt", 1), tmp_path / "out")
    (tmp_path / "out" / "part-000000-000000.jsonl" / "in the way").mkdir(parents=True)
    *_, last = ask(job, unit, left_out=[])
    assert "part-000000-000000.jsonl: cannot be written: " in last["stop"]
    assert list((tmp_path / "out" / "_temporary").iterdir()) == []
    (failed,) = ask(job, unit)  # a task that says neither what to do nor what to leave out
    assert failed == {"failed": "'left_out'"}
