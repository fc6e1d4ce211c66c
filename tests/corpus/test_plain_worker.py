"""The process that parses units one after another, by its answers."""

from __future__ import annotations

from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

from corpus_runs import begin_job, rows, write_corpus
from spanlin.corpus import CorpusOptions
from spanlin.corpus.child_process import ChildProcess
from spanlin.corpus.job import Job
from spanlin.corpus.units import Unit


def ask(job: Job, units: list[Unit]) -> list[dict[str, Any]]:
    task = {"job": asdict(job), "units": [asdict(unit) for unit in units]}
    with ChildProcess("spanlin.corpus.plain_worker", task, leads_group=True) as child:
        found = [answer for answer in child.answers() if "live" not in answer]
        assert child.close() == 0
    return found


def test_each_unit_is_answered_when_it_is_done_and_then_the_end(tmp_path: Path) -> None:
    source = write_corpus(tmp_path / "a.txt", 4)
    job, units = begin_job(source, tmp_path / "out", CorpusOptions(unit_size=150))
    *done, end = ask(job, units)
    assert [answer["record"]["unit"] for answer in done] == [unit.name for unit in units]
    assert {answer["outcome"] for answer in done} == {"parsed"}
    assert end == {"end": True}
    assert sum(answer["record"]["sentences"] for answer in done) == len(rows(tmp_path / "out")) == 8


def test_what_stops_the_run_is_answered_in_one_line(tmp_path: Path) -> None:
    job, units = begin_job(write_corpus(tmp_path / "a.txt", 2), tmp_path / "out")
    stop, end = ask(replace(job, key="other"), units)
    assert stop["stop"].endswith("a worker does not see this folder as it was begun; all machines must share it")
    assert end == {"end": True}
    (tmp_path / "out" / "_corpus.json").write_text("[1]")  # a mistake that is nobody's but ours
    stop, _ = ask(job, units)
    assert stop["stop"].startswith("a worker failed: AttributeError: ")
    assert "\n" not in stop["stop"]
