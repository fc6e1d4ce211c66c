"""What the plain engine makes of its worker's answers."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pytest

from corpus_runs import begin_job, write_corpus
from spanlin.corpus import CorpusOptions
from spanlin.corpus.job import Job
from spanlin.corpus.plain_engine import run_plainly
from spanlin.corpus.records import UnitRecord
from spanlin.corpus.units import Unit
from spanlin.corpus.work import Live
from spanlin.errors import CorpusError


@pytest.fixture
def given(tmp_path: Path) -> tuple[Job, list[Unit]]:
    source = write_corpus(tmp_path / "a.txt", 6)
    return begin_job(source, tmp_path / "out", CorpusOptions(unit_size=150))


def answer(unit: Unit) -> dict[str, Any]:
    record = UnitRecord(unit=unit.name, shard=f"{unit.name}.jsonl", size=0, sha256="")
    return {"record": asdict(record), "outcome": "parsed"}


class Workers:
    """Stands in for `ChildProcess`: worker after worker gives its list of answers and is gone."""

    def __init__(self, *answers: list[dict[str, Any]]) -> None:
        self.answers_of_each = list(answers)
        self.asked: list[list[str]] = []
        self.terminated = 0
        self.has_started = True

    def __call__(self, module: str, task: dict[str, Any], *, leads_group: bool) -> Workers:
        assert (module, leads_group) == ("spanlin.corpus.plain_worker", True)
        self.asked.append([unit["name"] for unit in task["units"]])
        return self

    def __enter__(self) -> Workers:
        return self

    def __exit__(self, *details: object) -> None: ...

    def answers(self) -> Iterator[dict[str, Any]]:
        yield from self.answers_of_each.pop(0)

    def terminate(self, seconds: float) -> None:
        self.terminated += 1

    def close(self) -> int:
        return 1


def test_a_worker_that_dies_is_replaced_by_one_that_gets_what_is_left(
    given: tuple[Job, list[Unit]], monkeypatch: pytest.MonkeyPatch
) -> None:
    job, units = given
    workers = Workers([answer(units[0]), {"live": {"sentences": 7}}], [], [*map(answer, units[1:]), {"end": True}])
    monkeypatch.setattr("spanlin.corpus.plain_engine.ChildProcess", workers)
    live = Live()
    done = [found.record.unit for found in run_plainly(units, job, live)]
    names = [unit.name for unit in units]
    assert done == names
    assert workers.asked == [names, names[1:], names[1:]]
    assert live.sentences == 7
    assert workers.terminated == 0


def test_a_reason_to_stop_ends_the_run_and_the_worker(
    given: tuple[Job, list[Unit]], monkeypatch: pytest.MonkeyPatch
) -> None:
    job, units = given
    workers = Workers([answer(units[0]), {"stop": "the disk is full"}, {"end": True}])
    monkeypatch.setattr("spanlin.corpus.plain_engine.ChildProcess", workers)
    running = run_plainly(units, job, Live())
    assert next(running).record.unit == units[0].name
    with pytest.raises(CorpusError, match=r"^the disk is full$"):
        next(running)
    assert workers.terminated == 1


def test_a_worker_that_never_starts_is_an_error_and_not_tried_for_ever(
    given: tuple[Job, list[Unit]], monkeypatch: pytest.MonkeyPatch
) -> None:
    job, units = given
    workers = Workers([])
    workers.has_started = False
    monkeypatch.setattr("spanlin.corpus.plain_engine.ChildProcess", workers)
    with pytest.raises(CorpusError, match=r"a separate process did not start \(status 1\)"):
        next(run_plainly(units, job, Live()))
