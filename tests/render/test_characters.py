from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spanlin.render.characters import display_width, visible

ACTING = {"Cc", "Zl", "Zp", "Cs"}


@given(st.text(st.one_of(st.characters(), st.sampled_from("\x00\n\x1b\x7f\x85\u2028\u202e\u2066\ud800\ufffe"))))
def test_nothing_acts_and_all_else_stays(text: str) -> None:
    shown = visible(text)
    assert len(shown) == len(text)
    shown.encode()  # no half of a surrogate pair
    for before, after in zip(text, shown, strict=True):
        assert unicodedata.category(after) not in ACTING
        assert unicodedata.bidirectional(after) not in {"LRE", "RLE", "PDF", "LRO", "RLO", "LRI", "RLI", "FSI", "PDI"}
        if before.isprintable():
            assert after == before
    assert visible(shown) == shown


def test_control_characters_have_signs_of_their_own() -> None:
    assert visible("a\x00\t\n\x1b\x7f\x9f") == "a␀␉␊␛␡\ufffd"


@pytest.mark.parametrize(
    ("text", "width"),
    [
        ("", 0),
        ("dog", 3),
        ("né", 2),
        ("ne\u0301", 2),
        ("犬", 2),
        ("ｄｏｇ", 6),
        ("ﾄﾞｸﾞ", 4),
        ("\u1112\u1161\u11ab", 2),  # one syllable of Hangul in three letters
        ("a\u200bb", 2),
    ],
)
def test_width_is_in_columns_of_a_terminal(text: str, width: int) -> None:
    assert display_width(text) == width


@given(st.text(), st.text())
def test_widths_add_up(one: str, two: str) -> None:
    assert display_width(one + two) == display_width(one) + display_width(two)
