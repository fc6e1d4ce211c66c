"""What the process beside answers to a task."""

from __future__ import annotations

import pickle
from collections.abc import Callable
from multiprocessing import Pipe

import pytest

from joint_networks import SENTENCES
from spanlin.host.tasks import Answer, Brackets, Made, TaskError, TokenBlock
from spanlin.host.worker import do_task
from spanlin.parsed import Parsed
from spanlin.parser import Parser
from spanlin.runtime.options import ParseOptions


def test_a_task_is_answered_with_its_result_or_with_an_error_and_the_next_one_is_done(alone: Parser) -> None:
    mine, its = Pipe()
    lines = list(alone.bracket_lines(SENTENCES[:2]))
    for _ in range(2):
        mine.send((Brackets(), TokenBlock([["a", 3]])))  # type: ignore[list-item]
        do_task(its, alone)
        error, answer = mine.recv()
        assert answer is None
        assert "a word is a string" in str(error)
        assert error.is_mistake
        mine.send((Brackets(), TokenBlock(list(SENTENCES[:2]))))
        do_task(its, alone)
        assert mine.recv() == (None, Answer(2, lines))
    mine.close()
    with pytest.raises(EOFError):
        do_task(its, alone)


def test_what_is_nobodys_mistake_is_an_error_of_the_process(alone: Parser) -> None:
    mine, its = Pipe()
    mine.send((Brackets(), None))
    do_task(its, alone)
    error, _ = mine.recv()
    assert (type(error), error.is_mistake) == (TaskError, False)
    assert str(error).startswith("AttributeError: 'NoneType' object has no attribute")


def _make_function(parsed: Parsed) -> Callable[[], Parsed]:
    return lambda: parsed


def test_a_task_that_cannot_be_read_or_whose_result_cannot_be_sent_is_an_error_and_the_next_one_is_done(
    alone: Parser,
) -> None:
    mine, its = Pipe()
    made = pickle.dumps((Made(_make_function, ParseOptions()), TokenBlock(list(SENTENCES[:1]))))
    unknown = made.replace(b"_make_function", b"_make_no_thing")
    for data, problem in ((unknown, "AttributeError: Can't get attribute '_make_no_thing'"), (made, "lambda")):
        mine.send_bytes(data)
        do_task(its, alone)
        error, answer = mine.recv()
        assert answer is None
        assert problem in str(error)
        assert not error.is_mistake
    mine.send((Brackets(), TokenBlock([])))
    do_task(its, alone)
    assert mine.recv() == (None, Answer(0, []))
