"""Errors keep what they know, also on their way out of another process."""

from __future__ import annotations

import pickle
from collections.abc import Iterator

import pytest

import spanlin.errors
from spanlin.errors import (
    ConlluError,
    ConstraintError,
    LinearizationError,
    ServiceBusyError,
    SpanlinError,
    TreeSyntaxError,
)

MADE: list[SpanlinError] = [
    TreeSyntaxError("this bracket closes nothing", source="a.txt", line=3, column=7),
    ConlluError("no tab", source="a.conllu", line=9),
    LinearizationError("no tree has these", sentence=2),
    ConstraintError("they cross"),
    ServiceBusyError("try again", status=503, code="overloaded", request_id="x"),
]


def family(kind: type[SpanlinError]) -> Iterator[type[SpanlinError]]:
    yield kind
    for below in kind.__subclasses__():
        if below.__module__ == "spanlin.errors":
            yield from family(below)


def test_the_drawing_has_every_error_below_the_one_it_is_a_kind_of() -> None:
    drawn: list[tuple[str, str]] = []
    above: dict[int, str] = {}
    for line in (spanlin.errors.__doc__ or "").splitlines():
        name, place = line.lstrip("│├└─ ").partition(" ")[0], len(line) - len(line.lstrip("│├└─ "))
        if name.endswith("Error"):
            above[place] = name
            drawn.append((name, above.get(place - 4, "Exception")))
    assert sorted(drawn) == sorted((kind.__name__, kind.__bases__[0].__name__) for kind in family(SpanlinError))


@pytest.mark.parametrize(
    "error", [*MADE, *(kind("one line") for kind in family(SpanlinError) if kind not in map(type, MADE))], ids=repr
)
def test_an_error_comes_back_from_another_process_as_it_was(error: SpanlinError) -> None:
    again = pickle.loads(pickle.dumps(error))
    assert type(again) is type(error)
    assert (str(again), vars(again)) == (str(error), vars(error))


def test_a_place_is_in_front_of_the_message_and_known_apart() -> None:
    syntax, conllu, linear, constraint, _ = MADE
    assert str(syntax) == "a.txt:3:7: this bracket closes nothing"
    assert str(conllu) == "a.conllu:9: no tab"
    assert str(linear) == "sentence 3: no tree has these"  # people count from 1
    assert (vars(linear)["sentence"], vars(linear)["problem"]) == (2, "no tree has these")
    assert str(constraint) == "they cross"
