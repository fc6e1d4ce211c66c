"""Parsing in several processes gives what one process gives, in order, whatever happens; and none is left behind."""

from __future__ import annotations

import errno
import gc
import itertools
import os
import re
import signal
import subprocess
import sys
import threading
import time
import weakref
from collections.abc import Iterator
from multiprocessing import Pipe
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings

from joint_networks import SENTENCES
from spanlin.errors import ConfigError, DecodingError, LinearizationError, ProcessError, SpanlinError
from spanlin.host import processes as processes_module
from spanlin.host import tasks
from spanlin.host.processes import HostProcesses, usual_processes
from spanlin.parsed import Parsed
from spanlin.parser import Parser
from spanlin.runtime.options import ParseOptions
from text.nasty_inputs import NASTY_INPUTS
from text.test_streaming import texts

TEXT = "\n\n".join(" ".join(words) for words in SENTENCES)
OPTIONS = [
    ParseOptions(),
    ParseOptions(decoder="cky"),
    ParseOptions(decoder="joint", joint_words=6),
    ParseOptions(k_best=3),
    ParseOptions(marginals=True, scores=True),
]


def content(parses: list[Parsed]) -> list[Any]:
    return [(parsed.to_json(), parsed.sentence) for parsed in parses]


@pytest.mark.parametrize("options", OPTIONS, ids=str)
def test_sentences_get_the_same_parses_in_the_same_order(alone: Parser, shared: Parser, options: ParseOptions) -> None:
    given_words = [*SENTENCES[:8], [], *SENTENCES[8:10]]
    expected = alone.parse_tokens(given_words, options)
    found = shared.parse_tokens(given_words, options)
    assert found == expected
    assert content(found) == content(expected)


@settings(max_examples=15, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(text=texts)
def test_a_text_gets_the_same_sentences_and_parses(alone: Parser, shared: Parser, text: str) -> None:
    expected = alone.parse(text)
    assert content(shared.parse(text)) == content(expected)
    assert content(list(shared.stream(text.splitlines(keepends=True)))) == content(expected)
    assert list(shared.stream_brackets(text)) == [parsed.brackets() for parsed in expected]


def test_odd_texts_get_the_same_parses(alone: Parser, shared: Parser) -> None:
    few = NASTY_INPUTS[::3]
    assert list(map(content, shared.parse(few))) == list(map(content, alone.parse(few)))
    together = "\n\n".join(few)
    assert list(shared.stream_brackets(together)) == list(alone.stream_brackets(together))


def test_what_is_made_of_parses_is_made_there(alone: Parser, shared: Parser) -> None:
    expected = list(alone.stream_made(TEXT, Parsed.to_json_line))
    assert expected == [parsed.to_json_line() for parsed in alone.parse(TEXT)]
    assert list(shared.stream_made(TEXT, Parsed.to_json_line)) == expected
    assert len(set(shared.stream_made(TEXT, _process))) <= 2
    assert os.getpid() not in shared.stream_made(TEXT, _process)


def _process(parsed: Parsed) -> int:
    return os.getpid()


def test_items_stay_beside_their_results(alone: Parser, shared: Parser) -> None:
    items = [(number, words) for number, words in enumerate(SENTENCES)]
    lines = list(alone.bracket_lines(SENTENCES))
    assert list(shared.bracket_items(iter(items), lambda item: item[1])) == list(zip(items, lines, strict=True))
    found = list(shared.parse_items(iter(items), lambda item: item[1]))
    assert [(item, parsed.brackets()) for item, parsed in found] == list(zip(items, lines, strict=True))


def test_parses_are_whole_without_the_batch_they_came_with(shared: Parser) -> None:
    parses = shared.parse_tokens(SENTENCES[:6])
    names = ("numbers", "constituents", "span_chances", "tag_chances")
    arrays = [getattr(parsed._record, name) for parsed in parses for name in names]
    assert all(array.base is None for array in arrays)
    assert not any(np.shares_memory(one, other) for one, other in itertools.combinations(arrays, 2))


@pytest.mark.parametrize(
    ("sentences", "problem"),
    [
        ([*SENTENCES[:7], "a string"], r"sentences\[7\] is a string"),
        ([*SENTENCES[:7], ["a", 3]], r"sentences\[7\]\[1\]: a word is a string"),
        ([*SENTENCES[:7], None], r"sentences\[7\] is None"),
        ([*SENTENCES[:7], ["a", lambda: 0]], r"sentences\[7\]\[1\]: a word is a string"),  # which nobody can send
    ],
)
def test_what_is_no_sentence_is_named_with_its_number_in_the_whole_input(
    shared: Parser, sentences: list[Any], problem: str
) -> None:
    for parse in (shared.parse_tokens, lambda given: list(shared.bracket_lines(given))):
        with pytest.raises(SpanlinError, match=f"^{problem}"):
            parse(sentences)


def test_what_a_process_fails_at_is_done_here_and_logged(
    alone: Parser, shared: Parser, caplog: pytest.LogCaptureFixture
) -> None:
    assert shared.processes is not None
    before = shared.processes.done_again
    assert list(shared.stream_made(TEXT, _make_here)) == [str(parsed) for parsed in alone.parse(TEXT)]
    assert shared.processes.done_again > before
    shared.processes.done_again = before  # of the other tests, none may do anything again
    assert "a process failed, so this one does its work, more slowly: ZeroDivisionError: " in caplog.text
    caplog.clear()
    with pytest.raises(SpanlinError):
        shared.parse_tokens(["a string"])
    assert not caplog.text


def _make_here(parsed: Parsed) -> str:
    if Path(sys.argv[0]).name == "worker.py":
        raise ZeroDivisionError("not here")
    return str(parsed)


def test_an_error_of_a_sentence_has_its_number_in_the_whole_input(shared: Parser) -> None:
    plain = [words for words, parsed in zip(SENTENCES, shared.parse_tokens(SENTENCES), strict=True) if parsed.certified]
    odd = [words for words in SENTENCES if words not in plain]
    with pytest.raises(LinearizationError) as caught:
        shared.parse_tokens([*plain, *plain, *plain, *odd], ParseOptions(decoder="strict"))
    found = re.match(r"sentence (\d+) \('(.*?)(?: \.\.\.)?'\): no tree has", str(caught.value))
    assert found is not None
    assert " ".join([*plain, *plain, *plain, *odd][int(found[1]) - 1]).startswith(found[2])
    assert int(found[1]) > 3 * len(plain)


def test_impossible_options_are_refused_before_anything_is_read(shared: Parser) -> None:
    with pytest.raises(DecodingError, match="root label"):
        shared.stream_tokens(iter([]), ParseOptions(root_label="NO SUCH"))


def test_memory_does_not_grow_with_the_input_and_a_stream_may_be_left(alone: Parser, shared: Parser) -> None:
    read = 0

    def endless() -> Iterator[list[str]]:
        nonlocal read
        while True:
            read += 1
            yield SENTENCES[read % len(SENTENCES)]

    lines = shared.bracket_lines(endless())
    for _ in range(50):
        next(lines)
    lines.close()
    assert read < 50 + 3 * (2 + 4 + 2 * 3)
    assert shared.parse_tokens(SENTENCES[:4]) == alone.parse_tokens(SENTENCES[:4])


def test_all_blocks_before_an_error_are_parsed(alone: Parser, shared: Parser) -> None:
    def broken() -> Iterator[list[str]]:
        yield from SENTENCES[:8]  # three blocks, the last not full
        raise OSError("the disk is gone")

    lines = shared.bracket_lines(broken())
    assert list(itertools.islice(lines, 8)) == list(alone.bracket_lines(SENTENCES[:8]))
    with pytest.raises(OSError, match="the disk is gone"):
        next(lines)


def test_streams_may_run_side_by_side(alone: Parser, shared: Parser) -> None:
    expected = list(alone.bracket_lines(SENTENCES))
    first, second = shared.bracket_lines(SENTENCES), shared.stream_tokens(SENTENCES)
    pairs = list(zip(first, second, strict=True))
    assert [line for line, _ in pairs] == expected
    assert [parsed.brackets() for _, parsed in pairs] == expected


def test_few_sentences_start_no_process_and_many_do(
    shared: Parser, alone: Parser, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert shared.processes is not None
    parser = Parser(alone.folder, alone.backend, workers=1, processes=1)
    assert parser.processes is not None
    started: list[HostProcesses] = []
    monkeypatch.setattr(HostProcesses, "start", lambda self: started.append(self))  # noqa: PLW0108 (it is a method)
    list(parser.bracket_lines(SENTENCES))
    assert not started
    monkeypatch.setattr(processes_module, "_LARGE", 10)
    assert list(parser.bracket_lines(SENTENCES)) == list(alone.bracket_lines(SENTENCES))
    assert started


def test_a_process_that_is_killed_ends_the_stream_with_one_line_and_the_next_stream_works(alone: Parser) -> None:
    parser = Parser(alone.folder, alone.backend, workers=1, processes=1)
    assert parser.processes is not None
    parser.processes.wait()
    running = parser.processes._running
    assert running is not None
    os.kill(running._processes[0].pid, signal.SIGKILL)
    with pytest.raises(ProcessError, match=r"^a process that reads text for the parser was killed by signal 9: "):
        list(parser.bracket_lines(SENTENCES))
    assert list(parser.bracket_lines(SENTENCES)) == list(alone.bracket_lines(SENTENCES))
    parser.close()


def test_closing_ends_the_processes_and_they_start_again_when_needed(alone: Parser) -> None:
    parser = Parser(alone.folder, alone.backend, workers=1, processes=1)
    assert parser.processes is not None
    for _ in range(2):
        parser.processes.wait()
        running = parser.processes._running
        assert running is not None
        parser.close()
        assert [process.poll() for process in running._processes] == [0]


def test_a_process_that_connects_as_all_are_told_to_end_ends_too(alone: Parser) -> None:
    running = processes_module._Running(alone.folder, alone.backend, 0)
    running._give_up(ProcessError("one has ended"))
    before = set(threading.enumerate())
    mine, its = Pipe()
    running._welcome(its)
    for thread in set(threading.enumerate()) - before:
        thread.join(10)
        assert not thread.is_alive()
    mine.close()
    running.close()


def test_what_cannot_be_started_is_done_without(
    alone: Parser, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(processes_module, "_LARGE", 5)
    monkeypatch.setattr(tasks, "BLOCK_SENTENCES", 3)
    started: list[subprocess.Popen[bytes]] = []
    start = processes_module._start

    def start_one(*given: Any) -> subprocess.Popen[bytes]:
        if started:
            raise BlockingIOError(errno.EAGAIN, "Resource temporarily unavailable")
        started.append(start(*given))
        return started[0]

    monkeypatch.setattr(processes_module, "_start", start_one)
    parser = Parser(alone.folder, alone.backend, workers=1, processes=2)
    assert list(parser.bracket_lines(SENTENCES)) == list(alone.bracket_lines(SENTENCES))
    reason = "processes that read text cannot be started: [Errno 11] Resource temporarily unavailable"
    assert caplog.messages == [f"this process does all the work, more slowly: {reason}"]
    assert [process.poll() for process in started] == [0]
    assert parser.processes is not None
    with pytest.raises(ProcessError, match=f"^{re.escape(reason)}$"):
        parser.processes.start()


def test_processes_that_were_ended_are_not_kept(alone: Parser) -> None:
    processes = HostProcesses(alone.folder, alone.backend, 0)
    processes.start()
    running = weakref.ref(processes._running)
    processes.close()
    processes.close()
    limit = time.monotonic() + 10
    while running() is not None and time.monotonic() < limit:  # its thread has to end first
        time.sleep(0.01)
        gc.collect()
    assert running() is None


_ABANDONED = """
import sys
from spanlin.parser import Parser
parser = Parser.load(sys.argv[1], threads=1, processes=2)
parser.processes.wait()
print(*[process.pid for process in parser.processes._running._processes], flush=True)
lines = parser.bracket_lines(["She", "sleeps"] for _ in range(100_000))
next(lines)
if sys.argv[2] == "wait":
    sys.stdin.read()
"""


@pytest.mark.parametrize("end", ["exit", "SIGKILL", "SIGINT"])
def test_no_process_outlives_its_parent(alone: Parser, end: str) -> None:
    how = "exit" if end == "exit" else "wait"
    child = subprocess.Popen(
        [sys.executable, "-c", _ABANDONED, str(alone.folder.path), how],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )
    assert child.stdout is not None
    pids = [int(pid) for pid in child.stdout.readline().split()]
    assert len(pids) == 2
    if end != "exit":
        os.kill(child.pid, getattr(signal, end))
    child.wait(60)
    child.communicate()
    limit = time.monotonic() + 30
    while any(map(_is_alive, pids)) and time.monotonic() < limit:
        time.sleep(0.05)
    assert not any(map(_is_alive, pids))


def _is_alive(pid: int) -> bool:
    try:
        return b") Z " not in Path(f"/proc/{pid}/stat").read_bytes()
    except OSError:
        return False


def test_processes_pay_beside_a_gpu_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(processes_module, "available_cores", lambda: 16)
    assert (usual_processes("cuda:0"), usual_processes("cpu"), usual_processes("")) == (14, 0, 0)
    monkeypatch.setattr(processes_module, "available_cores", lambda: 3)
    assert usual_processes("cuda") == 0


@pytest.mark.parametrize("processes", [-1, 2.5, "two", True])
def test_processes_are_a_number(alone: Parser, processes: Any) -> None:
    with pytest.raises(ConfigError, match=r"^processes is "):
        Parser.load(alone.folder.path, processes=processes)
