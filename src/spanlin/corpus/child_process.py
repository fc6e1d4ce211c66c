"""Separate processes that run a module of ours: started, given one task, watched, and ended with their parent.

A task and each answer is a line of JSON, on the child's stdin and stdout. `ChildProcess` is the parent's side and
`ParentProcess` the child's; a child's `Watchdog` ends it when it is stuck.
"""

from __future__ import annotations

import faulthandler
import json
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from typing import Any, TextIO

from spanlin.errors import CorpusError

_TIMED_OUT = "Timeout ("  # what faulthandler writes first


class ChildProcess:
    """A separate process that runs a module of ours with one task; a `with` makes sure that it ends.

    If it `leads_group`, signals sent to this process's group do not reach it, and it ends together with all that it
    started.
    """

    def __init__(self, module: str, task: dict[str, Any], *, leads_group: bool = False) -> None:
        self.has_started = False
        self.timed_out = False
        self._leads_group = leads_group
        self._process = subprocess.Popen(
            [sys.executable, "-m", module],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            encoding="utf-8",
            # It finds what this process finds, also in another folder, and where Ray has changed the path.
            env=os.environ | {"PYTHONPATH": os.pathsep.join(os.path.abspath(place) for place in sys.path)},
            start_new_session=leads_group,
        )
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._input, self._output = self._process.stdin, self._process.stdout
        # Its input stays open: it ends when this process is gone, and then so does the child. If the child is gone
        # already, whoever reads its answers will notice.
        with suppress(BrokenPipeError):
            self._input.write(json.dumps(task) + "\n")
            self._input.flush()

    def __enter__(self) -> ChildProcess:
        return self

    def __exit__(self, *details: object) -> None:
        self.kill()
        self.close()

    def answers(self) -> Iterator[dict[str, Any]]:
        """Yield its answers until it ends, dies or runs out of time; `timed_out` then says so."""
        for line in self._output:
            if line.startswith(_TIMED_OUT):
                self.timed_out = True
                self.kill()
                return
            if not line.endswith("\n"):  # it died in the middle of an answer
                return
            answer: dict[str, Any] = json.loads(line)
            if "started" in answer:
                self.has_started = True
            else:
                yield answer

    def wait(self, seconds: float | None = None) -> int | None:
        """Return its exit status, or None if it still runs after so many seconds."""
        with suppress(subprocess.TimeoutExpired):
            return self._process.wait(seconds)
        return None

    def terminate(self, seconds: float) -> None:
        """Ask it to clean up and end, and wait so many seconds for that."""
        self._process.terminate()
        self.wait(seconds)

    def kill(self) -> None:
        """Kill it, with its group if it leads one."""
        if self._leads_group:
            end_group(self._process.pid)
        else:
            self._process.kill()

    def close(self) -> int:
        """Close its input and output, which ends it if it still runs, and return its exit status."""
        self._output.close()
        with suppress(BrokenPipeError):
            self._input.close()
        return self._process.wait()


class ParentProcess:
    """What started this process: gives it a task, takes its answers, and ends it by going away.

    What libraries print on stdout goes nowhere from here on. `on_end` is called when the parent is gone.
    """

    def __init__(self, *, on_end: Callable[[], None] = lambda: os._exit(1)) -> None:
        self.stream: TextIO = os.fdopen(os.dup(1), "w", encoding="utf-8")
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        self._lock = threading.Lock()
        self.answer(started=True)
        self.task: dict[str, Any] = json.loads(sys.stdin.readline())

        def wait() -> None:
            sys.stdin.read()
            on_end()

        threading.Thread(target=wait, daemon=True).start()

    def answer(self, **answer: Any) -> None:
        """Send an answer; threads may do so side by side."""
        with self._lock:
            self.stream.write(json.dumps(answer) + "\n")
            self.stream.flush()


def exit_when_terminated() -> None:
    """Raise SystemExit in this process when its parent asks it to end."""
    signal.signal(signal.SIGTERM, lambda number, frame: sys.exit())


def end_group(leader: int) -> None:
    """Kill a process with all that it started on this machine, some of which would outlive it."""
    with suppress(ProcessLookupError):
        if sys.platform != "win32" and hasattr(os, "killpg"):
            os.killpg(leader, signal.SIGKILL)
        else:  # without groups; on Windows, this cannot be caught
            os.kill(leader, signal.SIGTERM)


def did_not_start(status: int) -> CorpusError:
    """Return the error for a child that ended before it said that it had started."""
    return CorpusError(f"a separate process did not start (status {status}): is the installation of spanlin complete?")


def describe_status(status: int) -> str:
    """Return how a process ended, in words.

    >>> describe_status(1), describe_status(-9)
    ('ended with status 1', 'killed by SIGKILL')
    """
    if status >= 0:
        return f"ended with status {status}"
    try:
        return f"killed by {signal.Signals(-status).name}"
    except ValueError:
        return f"killed by signal {-status}"


class Watchdog:
    """Ends this process with status 1 if it is not patted for so many seconds, whatever it is stuck in.

    It is a thread that does not need Python's lock, so it also works when a library holds that forever. Before the end,
    the stream `reports_to` gets a line by which `ChildProcess` knows that time ran out.
    """

    def __init__(self, seconds: float, *, reports_to: TextIO | None = None) -> None:
        self.seconds = seconds
        self._stream = reports_to or open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115 (open as long as this is)
        self._patted = -1.0

    def pat(self, *, at_least: float = 0.0) -> None:
        """Start, or start again; this is cheap to call often. `at_least` is for what may take longer than the rest."""
        now = time.monotonic()
        if self._patted < 0 or now - self._patted > min(1.0, self.seconds / 10):
            self._patted = now
            faulthandler.dump_traceback_later(max(self.seconds, at_least), exit=True, file=self._stream)

    def rest(self) -> None:
        """Stop until the next pat."""
        self._patted = -1.0
        faulthandler.cancel_dump_traceback_later()
