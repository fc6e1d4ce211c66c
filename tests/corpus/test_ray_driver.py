"""What Ray's driver does around Ray: an actor's answers, and errors before anything runs."""

from __future__ import annotations

import json
import threading
from dataclasses import asdict, replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from corpus_runs import begin_job, rows, write_corpus
from spanlin.corpus import CorpusOptions, ray_driver
from spanlin.corpus.child_process import ChildProcess
from spanlin.corpus.ray_driver import UnitActor
from spanlin.corpus.ray_engine import RaySettings
from spanlin.corpus.records import UnitRecord
from spanlin.errors import CorpusError


@pytest.fixture
def unwatched(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let actors run in this process without a watchdog, which would end all tests."""
    monkeypatch.setattr(ray_driver, "Watchdog", lambda seconds: None)


@pytest.mark.usefixtures("unwatched")
def test_an_actor_answers_one_line_and_one_time_per_unit(tmp_path: Path) -> None:
    source = write_corpus(tmp_path / "a.txt", 4)
    job, units = begin_job(source, tmp_path / "out", CorpusOptions(unit_size=150))
    found = UnitActor(job)({"unit": [unit.to_json() for unit in units]})
    answers = [json.loads(line) for line in found["done"]]
    assert [UnitRecord(**answer["record"]).unit for answer in answers] == [unit.name for unit in units]
    assert {answer["outcome"] for answer in answers} == {"parsed"}
    assert len(rows(tmp_path / "out")) == 8
    assert all(seconds > 0 for seconds in found["seconds"])
    assert len(found["seconds"]) == len(units)


@pytest.mark.usefixtures("unwatched")
def test_an_actor_answers_why_the_run_must_stop(tmp_path: Path) -> None:
    job, (unit,) = begin_job(write_corpus(tmp_path / "a.txt", 1), tmp_path / "out")
    (line,) = UnitActor(replace(job, key="other"))({"unit": [unit.to_json()]})["done"]
    assert "a worker does not see this folder as it was begun" in json.loads(line)["stop"]


@pytest.mark.parametrize(
    ("resources", "settings", "room"),
    [
        ({"CPU": 8.0}, RaySettings(), (8, 8)),
        ({"CPU": 8.0}, RaySettings(cpus_per_worker=3), (2, 2)),
        ({"CPU": 2.0}, RaySettings(cpus_per_worker=0.5), (4, 4)),
        ({"CPU": 8.0, "GPU": 2.0}, RaySettings(gpus_per_worker=0.5), (4, 4)),
        ({"CPU": 8.0}, RaySettings(gpus_per_worker=1), None),
        ({}, RaySettings(), None),
    ],
)
def test_there_are_as_many_workers_as_fit(
    resources: dict[str, float], settings: RaySettings, room: tuple[int, int] | None
) -> None:
    if room is not None:
        assert ray_driver._room(resources, settings) == room
        return
    with pytest.raises(CorpusError, match=r"there is no room for a worker of 1 CPUs and [01] GPUs: Ray has [08] and 0"):
        ray_driver._room(resources, settings)


class Answers:
    """A data set that gives rows and then, unless it is None, raises an error."""

    def __init__(self, rows: list[dict[str, Any]], error: BaseException | None = None) -> None:
        self._rows = rows
        self._error = error

    def iter_rows(self) -> Any:
        yield from self._rows
        if self._error is not None:
            raise self._error


RAY = SimpleNamespace(nodes=lambda: [{"NodeID": "a", "Alive": True}, {"NodeID": "b", "Alive": False}])


def test_rows_come_in_order_and_an_error_of_ray_is_one_line() -> None:
    given = [{"done": "1", "seconds": 0.1}, {"done": "2", "seconds": 0.1}]
    assert list(ray_driver._rows(RAY, Answers(given))) == given
    running = ray_driver._rows(RAY, Answers(given[:1], RuntimeError("an actor died\nand much more")))
    assert next(running) == given[0]
    with pytest.raises(CorpusError, match=r"^Ray failed: an actor died$"):
        next(running)


@pytest.mark.parametrize("is_lost", [True, False])
def test_a_long_silence_ends_the_rows_only_if_a_machine_is_lost(is_lost: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ray_driver, "_LOOK_AFTER", 0.01)
    monkeypatch.setattr(ray_driver, "_LONG_SILENCE", 0.05)
    looks = iter([["a", "b"]] + [["a"] if is_lost else ["a", "b", "c"]] * 1000)
    ray = SimpleNamespace(nodes=lambda: [{"NodeID": name, "Alive": True} for name in next(looks)])
    has_come = threading.Event()

    class Slow:
        def iter_rows(self) -> Any:
            assert has_come.wait(60)
            yield {"done": "1", "seconds": 0.1}

    late = threading.Timer(0.5, has_come.set)
    if not is_lost:
        late.start()
    found = list(ray_driver._rows(ray, Slow()))
    has_come.set()
    assert found == ([] if is_lost else [{"done": "1", "seconds": 0.1}])


def test_a_cluster_that_is_not_there_is_a_reason_to_stop(tmp_path: Path) -> None:
    pytest.importorskip("ray")
    job, units = begin_job(write_corpus(tmp_path / "a.txt", 1), tmp_path / "out")
    settings = RaySettings(address="127.0.0.1:1")
    task = {"job": asdict(job), "units": [asdict(unit) for unit in units], "settings": asdict(settings)}
    with ChildProcess("spanlin.corpus.ray_driver", task, leads_group=True) as child:
        stop, end = child.answers()
    assert stop == {
        "stop": "no Ray cluster at 127.0.0.1:1: Connection refused; is it the address that `ray start --head` printed?"
    }
    assert end == {"end": True}
