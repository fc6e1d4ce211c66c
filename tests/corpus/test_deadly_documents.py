"""Documents that kill the process that parses them: found, left out, listed; the others are all there."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from corpus_runs import begin_job, deadly_environment, errors, rows, run, write_corpus
from spanlin.corpus import CorpusOptions, parse_corpus
from spanlin.corpus.deadly_documents import MOST_ATTEMPTS, parse_separately, search
from spanlin.errors import CorpusError


@given(st.sets(st.integers(0, 40)), st.sets(st.integers(0, 40)))
def test_what_is_deadly_is_found(places: set[int], deadly: set[int]) -> None:
    calls = 0

    def dies(some: Sequence[int]) -> bool:
        nonlocal calls
        calls += 1
        return any(place in deadly for place in some)

    assert search(sorted(places), dies) == places & deadly
    assert calls <= 1 + 2 * 6 * len(places & deadly)


def test_what_is_deadly_only_together_is_not_found() -> None:
    assert search([1, 2, 3, 4], lambda some: len(some) > 1) == set()


def test_poison_is_left_out_and_all_else_is_there(tmp_path: Path) -> None:
    environment = deadly_environment(tmp_path)
    source = write_corpus(tmp_path / "a.txt", 30, extra={7: "This is POISON.", 21: "A FAILURE, this."})
    command: list[str | Path] = [source, tmp_path / "out", "--engine", "plain", "--unit-size", "250", "--threads", "1"]
    first = run(command, env=environment)
    assert first.returncode == 0, first.stderr
    assert not list((tmp_path / "out" / "_units").glob("*.begun"))
    found = errors(tmp_path / "out")
    lines = source.read_text().splitlines(keepends=True)
    assert [entry["place"] for entry in found] == [len("".join(lines[:number])) for number in (7, 21)]
    assert [entry["reason"] for entry in found] == [
        "the parser dies of it: killed by SIGKILL",
        "the parser dies of it: the parser failed: MemoryError: too much for us",
    ]
    assert len(rows(tmp_path / "out")) == 2 * 28
    report = json.loads((tmp_path / "out" / "_report.json").read_text())
    assert (report["documents"], report["failures"], report["incomplete"]) == (28, 2, 0)


def test_a_document_without_end_is_left_out_and_all_else_is_there(tmp_path: Path) -> None:
    source = write_corpus(tmp_path / "a.txt", 30, extra={4: "This is ENDLESS.", 6: "So is this: ENDLESS."})
    command: list[str | Path] = [
        source,
        tmp_path / "out",
        "--engine",
        "plain",
        "--unit-size",
        "800",
        "--time-limit",
        "6",
    ]
    found = run(command, env=deadly_environment(tmp_path))
    assert found.returncode == 0, found.stderr
    lines = source.read_text().splitlines(keepends=True)
    assert errors(tmp_path / "out") == [
        {
            "file": str(source),
            "place": len("".join(lines[:number])),
            "reason": "no sentence in 6 seconds, the time limit",
        }
        for number in (4, 6)
    ]
    assert len(rows(tmp_path / "out")) == 2 * 28
    report = json.loads((tmp_path / "out" / "_report.json").read_text())
    assert (report["documents"], report["failures"], report["incomplete"]) == (28, 2, 0)


def test_a_unit_that_has_killed_too_many_workers_is_given_up(tmp_path: Path) -> None:
    source = write_corpus(tmp_path / "a.txt", 3)
    options = CorpusOptions()
    parse_corpus([str(source)], str(tmp_path / "out"), options=options, engine="plain")
    units = tmp_path / "out" / "_units"
    (units / "part-000000-000000.json").unlink()
    (units / "part-000000-000000.begun").write_text(str(MOST_ATTEMPTS))
    report = parse_corpus([str(source)], str(tmp_path / "out"), options=options, engine="plain")
    assert (report.sentences, report.incomplete) == (0, 1)
    (entry,) = errors(tmp_path / "out")
    assert entry == {
        "file": str(source),
        "place": f"bytes 0-{source.stat().st_size}",
        "reason": f"given up: its worker died {MOST_ATTEMPTS} times",
    }
    again = parse_corpus([str(source)], str(tmp_path / "out"), options=options, engine="plain")
    assert (again.sentences, again.incomplete) == (6, 0)


def test_a_shard_that_a_separate_process_cannot_write_is_not_the_fault_of_a_unit(tmp_path: Path) -> None:
    job, (unit,) = begin_job(write_corpus(tmp_path / "a.txt", 1), tmp_path / "out")
    (tmp_path / "out" / "part-000000-000000.jsonl" / "in the way").mkdir(parents=True)
    with pytest.raises(CorpusError, match=r"part-000000-000000\.jsonl: cannot be written: "):
        parse_separately(job, unit)


def test_a_separate_process_that_does_not_start_is_not_the_fault_of_a_unit(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    source = write_corpus(tmp_path / "a.txt", 3)
    out = tmp_path / "out"
    parse_corpus([str(source)], str(out), engine="plain")
    (out / "_units" / "part-000000-000000.json").unlink()
    (out / "_units" / "part-000000-000000.begun").write_text("1")
    monkeypatch.setattr("sys.executable", "/bin/false")
    with pytest.raises(
        CorpusError, match=r"a separate process did not start \(status 1\): is the installation of spanlin complete"
    ):
        parse_corpus([str(source)], str(out), engine="plain")
