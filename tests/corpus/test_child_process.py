"""Separate processes: they take a task and answer, and end with their parent, when asked to, or when they are stuck."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from spanlin.corpus.child_process import ChildProcess, describe_status

Start = Callable[..., ChildProcess]
_PATIENCE = 60.0


@pytest.fixture
def start(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Start:
    """Return a function that starts a child with some code, after it has taken its task as `parent`."""
    monkeypatch.syspath_prepend(tmp_path)

    def start_child(code: str, task: dict[str, Any] | None = None, *, leads_group: bool = False) -> ChildProcess:
        (tmp_path / "child_of_test.py").write_text(
            "import os, signal, subprocess, sys, time\n"
            "from spanlin.corpus.child_process import ParentProcess, Watchdog, exit_when_terminated\n"
            f"parent = ParentProcess()\n{code}\n"
        )
        return ChildProcess("child_of_test", task or {}, leads_group=leads_group)

    return start_child


def is_alive(process: int) -> bool:
    try:
        return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def test_a_task_is_taken_and_answered(start: Start) -> None:
    with start("print('noise')\nparent.answer(twice=2 * parent.task['number'])", {"number": 21}) as child:
        assert list(child.answers()) == [{"twice": 42}]
        assert child.has_started
        assert not child.timed_out
        assert child.close() == 0


def test_answers_end_where_the_child_dies(start: Start) -> None:
    code = (
        "parent.answer(a=1)\nparent.stream.write('{\"b\"')\nparent.stream.flush()\nos.kill(os.getpid(), signal.SIGKILL)"
    )
    with start(code) as child:
        assert list(child.answers()) == [{"a": 1}]
        assert describe_status(child.close()) == "killed by SIGKILL"


def test_a_child_that_fails_early_has_not_started(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.executable", "/bin/false")
    with ChildProcess("spanlin.corpus.unit_process", {"large": "x" * 1_000_000}) as child:
        assert list(child.answers()) == []
        assert not child.has_started
        assert child.close() == 1


def test_a_child_ends_when_its_parent_is_gone(start: Start) -> None:
    with start("time.sleep(600)") as child:
        assert child.wait(0.1) is None
        assert child.close() == 1


def test_a_child_is_killed_when_it_is_left(start: Start) -> None:
    with start("parent.answer(process=os.getpid())\ntime.sleep(600)") as child:
        process = next(child.answers())["process"]
    assert not is_alive(process)
    assert child.wait() == -9


@pytest.mark.skipif(not hasattr(os, "killpg"), reason="there are no groups of processes here")
def test_the_leader_of_a_group_takes_it_along(start: Start) -> None:
    code = "parent.answer(process=subprocess.Popen(['sleep', '600']).pid)\ntime.sleep(600)"
    with start(code, leads_group=True) as child:
        process = next(child.answers())["process"]
        assert is_alive(process)
    deadline = time.monotonic() + _PATIENCE
    while is_alive(process):
        assert time.monotonic() < deadline
        time.sleep(0.05)


def test_a_child_that_is_asked_to_end_can_clean_up(start: Start, tmp_path: Path) -> None:
    code = (
        "exit_when_terminated()\n"
        "try:\n    parent.answer(ready=True)\n    time.sleep(600)\nfinally:\n    open(parent.task['path'], 'w').close()"
    )
    with start(code, {"path": str(tmp_path / "clean")}) as child:
        assert next(child.answers()) == {"ready": True}
        child.terminate(_PATIENCE)
        assert child.wait() == 0
    assert (tmp_path / "clean").exists()


def test_a_child_that_is_stuck_is_out_of_time(start: Start) -> None:
    with start("Watchdog(0.5, reports_to=parent.stream).pat()\nparent.answer(a=1)\ntime.sleep(600)") as child:
        assert list(child.answers()) == [{"a": 1}]
        assert child.timed_out


def test_what_may_take_longer_has_a_time_limit_of_its_own(start: Start) -> None:
    code = "Watchdog(0.2, reports_to=parent.stream).pat(at_least=600)\ntime.sleep(1)\nparent.answer(a=1)"
    with start(code) as child:
        assert list(child.answers()) == [{"a": 1}]
        assert not child.timed_out


def test_a_process_that_does_something_is_not_ended() -> None:
    code = (
        "import time; from spanlin.corpus.child_process import Watchdog; dog = Watchdog(3)\n"
        "for _ in range(40): dog.pat(); time.sleep(0.1)\n"
        "dog.rest(); time.sleep(4); print('alive')"
    )
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert (found.returncode, found.stdout) == (0, "alive\n")
