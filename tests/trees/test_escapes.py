from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spanlin.trees.escapes import escape_word, unescape_word
from strategies import words


@given(st.one_of(words, st.text(alphabet="-LRBU0028() \n", max_size=24)))
def test_unescape_word_inverts_escape_word(word: str) -> None:
    written = escape_word(word)
    assert unescape_word(written) == word
    assert written
    assert not set(written) & set("()\n\t\r\f\v")
    assert written == written.strip(" ")


@pytest.mark.parametrize(
    ("word", "written"),
    [
        ("(", "-LRB-"),
        (")", "-RRB-"),
        ("word(s)", "word-LRB-s-RRB-"),
        ("New York", "New York"),
        (" ", "-U0020-"),
        ("a  b", "a-U0020--U0020-b"),
        ("", "-U-"),
        ("-LRB-", "-U002D-LRB-"),
        ("-LCB-", "-LCB-"),
        ("IFN-U937", "IFN-U937"),
        ("x-U", "x-U"),
        (r"1\/2", r"1\/2"),
        ("no\N{NO-BREAK SPACE}break", "no\N{NO-BREAK SPACE}break"),
        ("👩‍👩‍👧", "👩‍👩‍👧"),
    ],
)
def test_words_are_written_the_treebank_way(word: str, written: str) -> None:
    assert escape_word(word) == written


def test_a_code_point_that_does_not_exist_is_no_escape() -> None:
    assert unescape_word("-UFFFFFF-") == "-UFFFFFF-"
