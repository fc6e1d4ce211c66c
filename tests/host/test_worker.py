"""What the process beside answers to a task."""

from __future__ import annotations

from multiprocessing import Pipe

import pytest

from joint_networks import SENTENCES
from spanlin.host.tasks import Answer, Brackets, TaskError, TokenBlock
from spanlin.host.worker import do_task
from spanlin.parser import Parser


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
