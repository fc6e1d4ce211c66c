"""Placeholders in prose, whatever their values."""

from __future__ import annotations

import pytest
from experiments.placeholders import MissingValueError, Placeholders, listed, public_methods, wrapped

from spanlin.errors import EvaluationError


def double(number: str, form: str = "d") -> str:
    if number == "none":
        raise MissingValueError("not measured")
    return format(2 * int(number), form)


TEXT = Placeholders(
    {"double": double},
    has_setting=lambda *setting: setting == ("a", "b.c", "1"),
    is_run=lambda rows, treebank: rows == "a,b",
)


def test_values_are_put_in_place() -> None:
    assert TEXT.fill("{double:2} and {double:3:.1f}", "here") == "4 and 6.0"


def test_mistakes_are_named_with_their_place() -> None:
    with pytest.raises(EvaluationError, match=r"here: \{treble:2\}: no such kind of value; known: double"):
        TEXT.fill("so {treble:2}", "here")
    with pytest.raises(EvaluationError, match=r"here: \{double:1:d:d\}: 3 is not its number of arguments"):
        TEXT.fill("so {double:1:d:d}", "here")


def test_only_what_is_not_measured_yet_may_be_left_out() -> None:
    text = "One {double:1}.\n\nTwo {double:none}.\n\n- Three {double:3}.\n- Four {double:none}."
    missing = "*Not told yet: here: {double:none}: not measured.*"
    assert TEXT.fill_paragraphs(text, "here") == f"One 2.\n\n{missing}\n\n- Three 6.\n- {missing}"
    with pytest.raises(EvaluationError, match=r"here: \{double:none\}: not measured"):
        TEXT.fill(text, "here")
    with pytest.raises(EvaluationError, match="no such kind"):
        TEXT.fill_paragraphs("{treble:1}", "here")


def test_conditions_decide_what_is_told() -> None:
    text = (
        "{when:a:b.c:1} One.\n\n{unless:a:b.c:1} Two.\n\n- {when:a:b.c:2} Three.\n- {unless:a:b.c:2} Four {double:2}."
    )
    assert TEXT.fill(text, "here") == "One.\n\n- Four 4."
    assert TEXT.fill("- {run:a,b:c} Five.\n- {run:a:c} {double:none}", "here") == "- Five."


@pytest.mark.parametrize("text", ["{train,dev}.txt", "a {b} c", '{"a": 1}'])
def test_braces_that_are_no_placeholder_stay(text: str) -> None:
    assert TEXT.fill(text, "here") == text


def test_lines_are_filled_again_but_for_tables_and_code() -> None:
    words = " ".join(["word"] * 40)
    assert all(len(line) <= 120 for line in wrapped(f"{words}\n\n- {words}\n- {words}").splitlines())
    assert wrapped("- a\n  b\n- c") == "- a b\n- c"
    for kept in ("| a |\n| b |", "```sh\na\nb\n```", "# A\nb"):
        assert wrapped(kept) == kept


def test_lists_read_as_in_a_sentence() -> None:
    names = ["a", "b", "c"]
    assert [listed(names[:count]) for count in range(4)] == ["none", "a", "a and b", "a, b and c"]


def test_public_methods_are_kinds() -> None:
    class Some:
        def __init__(self) -> None:
            self.value = "1"

        def one_value(self) -> str:
            return self.value

        def _other(self) -> str:
            return ""

    assert {name: kind() for name, kind in public_methods(Some()).items()} == {"one-value": "1"}
