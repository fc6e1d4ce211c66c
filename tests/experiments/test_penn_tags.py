from __future__ import annotations

import pytest
from experiments.models.en.penn_tags import penn_tags


@pytest.mark.parametrize(
    ("word", "tag", "expected"),
    [
        ("to", "IN", "TO"),
        ("To", "IN", "TO"),
        ("to", "RP", "RP"),
        (";", ",", ":"),
        ("-", ",", ":"),
        ("--", "NFP", ":"),
        ("...", ".", ":"),
        ("?", ",", "."),
        ("!!", ".", "."),
        (",", ".", ","),
        ("-", "HYPH", "HYPH"),
        ("-", "SYM", "SYM"),
        (":)", "NFP", "NFP"),
        ("[", "-LSB-", "-LRB-"),
        ("]", "-RSB-", "-RRB-"),
        ("dog", "NN", "NN"),
    ],
)
def test_tags_follow_the_penn_treebank(word: str, tag: str, expected: str) -> None:
    assert penn_tags([word], [tag]) == (expected,)


def test_straight_quotes_open_and_close_in_turn() -> None:
    words = ['"', "Go", '"', "or", '"', "stay", '"']
    assert penn_tags(words, ["''", "VB", "''", "CC", "''", "VB", "''"])[::2] == ("``", "''", "``", "''")


def test_a_quote_that_stands_alone_keeps_its_tag() -> None:
    assert penn_tags(["Go", '"'], ["VB", "''"]) == ("VB", "''")
