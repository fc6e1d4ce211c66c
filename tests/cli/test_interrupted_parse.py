"""`spanlin parse` as a real process: its progress bar on a pseudo-terminal, and what a signal leaves behind."""

from __future__ import annotations

import fcntl
import os
import pty
import signal
import struct
import subprocess
import sys
import termios
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

COMMAND = [sys.executable, "-m", "spanlin", "parse", "--tokenized"]
LINE = b"(TOP (S (NP (NNS Dogs)) (VP (VBP bark)) (. .)))"
WIDE = {**os.environ, "COLUMNS": "120", "TERM": "xterm"}


@pytest.fixture(scope="module")
def long_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("long") / "dogs.txt"
    path.write_text("Dogs bark .\n" * 60_000, encoding="utf-8")
    return path


@contextmanager
def terminal() -> Iterator[tuple[int, int]]:
    """Give the two ends of a pseudo-terminal."""
    ours, theirs = pty.openpty()
    try:
        yield ours, theirs
    finally:
        os.close(ours)


def read_all(terminal_end: int) -> str:
    parts = []
    try:
        while data := os.read(terminal_end, 65536):
            parts.append(data)
    except OSError:  # the other side has gone
        pass
    return b"".join(parts).decode()


def wait_for_output(path: Path) -> None:
    deadline = time.monotonic() + 60
    while path.stat().st_size < 1000:
        assert time.monotonic() < deadline, "nothing was written"
        time.sleep(0.02)


def wait_until_full(pipe: int) -> None:
    deadline = time.monotonic() + 60
    capacity = fcntl.fcntl(pipe, fcntl.F_GETPIPE_SZ)
    waiting = still = 0
    while waiting < capacity - 4096 or still < 10:  # a page may be left half filled, and the writer not at its end yet
        assert time.monotonic() < deadline, "the pipe does not fill"
        time.sleep(0.02)
        before = waiting
        (waiting,) = struct.unpack("i", fcntl.ioctl(pipe, termios.FIONREAD, bytes(4)))
        still = still + 1 if waiting == before else 0


def test_a_terminal_shows_a_bar_with_share_and_rate(tmp_path: Path) -> None:
    source = tmp_path / "few.txt"
    source.write_text("Dogs bark .\n" * 50, encoding="utf-8")
    out = tmp_path / "out"
    with terminal() as (ours, theirs), out.open("wb") as stdout:
        process = subprocess.Popen([*COMMAND, str(source)], stdout=stdout, stderr=theirs, env=WIDE)
        os.close(theirs)
        shown = read_all(ours)
        assert process.wait(60) == 0
    assert "50 sentences, " in shown
    assert "100%" in shown
    assert "/s" in shown
    assert out.read_bytes() == (LINE + b"\n") * 50


def test_a_pipe_as_input_has_no_share_but_a_bar(tmp_path: Path) -> None:
    with terminal() as (ours, theirs), (tmp_path / "out").open("wb") as stdout:
        process = subprocess.Popen(COMMAND, stdin=subprocess.PIPE, stdout=stdout, stderr=theirs, env=WIDE)
        os.close(theirs)
        assert process.stdin is not None
        process.stdin.write(b"Dogs bark .\n" * 3)
        process.stdin.close()
        shown = read_all(ours)
        assert process.wait(60) == 0
    assert "3 sentences, " in shown
    assert "%" not in shown


@pytest.mark.parametrize("quiet", [True, False])
def test_there_is_no_bar_in_a_pipe_nor_when_asked_to_be_quiet(quiet: bool, tmp_path: Path) -> None:
    with terminal() as (ours, theirs), (tmp_path / "out").open("wb") as stdout:
        options = ["--quiet"] if quiet else []
        error = theirs if quiet else subprocess.PIPE
        text = ["--text", "Dogs bark ."]
        process = subprocess.Popen([*COMMAND, *options, *text], stdout=stdout, stderr=error, env=WIDE)
        os.close(theirs)
        shown = read_all(ours) if quiet else (process.communicate()[1] or b"").decode()
        assert process.wait(60) == 0
    assert shown == ""


@pytest.mark.parametrize(("number", "status"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_a_signal_leaves_whole_lines_and_says_how_many(
    number: signal.Signals, status: int, long_file: Path, tmp_path: Path
) -> None:
    out = tmp_path / "out"
    with out.open("wb") as stdout:
        process = subprocess.Popen([*COMMAND, str(long_file)], stdout=stdout, stderr=subprocess.PIPE)
        wait_for_output(out)
        process.send_signal(number)
        _, error = process.communicate(timeout=60)
    assert process.returncode == status
    written = out.read_bytes()
    count = written.count(b"\n")
    assert 0 < count < 60_000
    assert written == (LINE + b"\n") * count
    assert error.decode() == f"spanlin: interrupted: {count:,} sentences written, each whole\n"


def test_a_second_signal_ends_it_though_nobody_reads(long_file: Path) -> None:
    process = subprocess.Popen([*COMMAND, str(long_file)], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert process.stdout is not None
    first = process.stdout.readline()
    wait_until_full(process.stdout.fileno())
    process.send_signal(signal.SIGINT)
    with pytest.raises(subprocess.TimeoutExpired):
        process.wait(0.5)
    process.send_signal(signal.SIGINT)
    assert process.wait(10) == -signal.SIGINT
    assert first == LINE + b"\n"
    process.communicate()


def test_what_is_to_be_ignored_stays_ignored(tmp_path: Path) -> None:
    code = (
        "import signal, sys\n"
        "signal.signal(signal.SIGINT, signal.SIG_IGN)\n"
        "from spanlin.cli.whole_lines import WholeLines\n"
        "with WholeLines(sys.stdout.buffer) as output:\n"
        "    signal.raise_signal(signal.SIGINT)\n"
        "    output.write('still here')\n"
    )
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True)
    assert found.stdout == b"still here\n"
