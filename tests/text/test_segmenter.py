from __future__ import annotations

import io
import re
import subprocess
import sys
import unicodedata
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spanlin.errors import ConfigError
from spanlin.text import Sentence, iter_sentences, tokenize, tokenize_sentence
from text.nasty_inputs import NASTY_INPUTS

MARKS = "\u200b\u200e\u200f\u202a\u202b\u202c\u202d\u202e\ufeff" + "".join(map(chr, range(0x2060, 0x2070)))
PARTS = [
    *" \n\t.,;:!?'\"’“”()[]-–—/@#$%&*+<>=_1aAiI…",
    "\r\n", "\n\n", "n't", "'s", "Mr.", "U.S.", "No.", "...", "http://", "www.", "x@y.org", "[4]", "1,000", "B.", "The",
    "cannot", "gonna", "non-", "\u0301", "\u200d", "😀", "🇬🇧", "。", "א", "\ufeff", "\x00", "\x0c", "\u2028", "\ud800",
]  # fmt: skip
texts = st.one_of(st.text(max_size=80), st.lists(st.sampled_from(PARTS), max_size=40).map("".join))


def is_blank(char: str) -> bool:
    return char.isspace() or unicodedata.category(char) == "Cc" or char in MARKS


def assert_faithful(text: str, sentences: list[Sentence]) -> None:
    """Nothing is lost, changed, doubled or out of order."""
    tokens = [token for sentence in sentences for token in sentence.tokens]
    for token in tokens:
        assert token.text
        assert text[token.start : token.end] == token.text
        assert not any(map(is_blank, token.text))
    between = "".join(text[left.end : right.start] for left, right in pairwise(tokens))
    assert all(left.end <= right.start for left, right in pairwise(tokens))
    outside = between + (text[: tokens[0].start] + text[tokens[-1].end :] if tokens else text)
    assert all(map(is_blank, outside))
    assert all(sentence.words for sentence in sentences)
    for sentence in sentences:
        assert sentence.text == text[sentence.start : sentence.end]


@given(texts, st.booleans())
def test_every_visible_character_is_in_one_token_that_slices_the_text(text: str, split_hyphens: bool) -> None:
    assert_faithful(text, tokenize(text, split_hyphens=split_hyphens))


@pytest.mark.parametrize("text", NASTY_INPUTS, ids=range(len(NASTY_INPUTS)))
def test_nasty_input_is_read_faithfully(text: str) -> None:
    assert_faithful(text, tokenize(text))
    assert_faithful(text, tokenize(text, split_hyphens=False))


def test_there_are_two_hundred_different_nasty_inputs() -> None:
    assert len(NASTY_INPUTS) == len(set(NASTY_INPUTS)) == 200


@given(texts, texts)
def test_paragraphs_are_read_as_if_each_were_alone(first: str, second: str) -> None:
    gap = f"{first}\n\n"
    moved = [
        Sentence(s.words, tuple(x + len(gap) for x in s.starts), tuple(x + len(gap) for x in s.ends), s.text)
        for s in tokenize(second)
    ]
    assert tokenize(gap + second) == tokenize(first) + moved


@given(texts)
def test_lines_give_the_same_sentences_as_the_text(text: str) -> None:
    assert list(iter_sentences(io.StringIO(text, newline=""))) == tokenize(text)


@given(texts)
def test_the_tokens_of_one_sentence_are_those_of_the_text_without_line_breaks(text: str) -> None:
    flat = re.sub(r"[\n\r\x0b\x0c\x1c-\x1e\x85\u2028\u2029]", " ", text)
    tokens = [token for sentence in tokenize(flat) for token in sentence.tokens]
    assert list(tokenize_sentence(text)) == tokens
    shifted = tokenize_sentence(text, offset=7)
    assert [token.start - 7 for token in shifted] == [token.start for token in tokens]


@given(texts, st.integers(1, 20))
def test_no_sentence_is_longer_than_allowed_and_cutting_changes_no_token(text: str, longest: int) -> None:
    cut = tokenize(text, longest_sentence=longest)
    assert all(len(sentence.words) <= longest for sentence in cut)
    assert [t for s in cut for t in s.tokens] == [t for s in tokenize(text) for t in s.tokens]


@given(texts)
def test_reading_twice_gives_the_same(text: str) -> None:
    assert tokenize(text) == tokenize(text)


def test_a_long_sentence_is_cut_after_a_comma() -> None:
    sentences = tokenize("a b c d e f, g h i j", longest_sentence=9)
    assert [" ".join(sentence.words) for sentence in sentences] == ["a b c d e f ,", "g h i j"]


def test_a_sentence_length_below_one_is_refused() -> None:
    with pytest.raises(ConfigError, match="longest_sentence must be at least 1, got 0"):
        tokenize("a", longest_sentence=0)


UNITS = [
    "a", "(", "'", ".", "\n", "a.", "a-", "111,", "1.", "a@", "http://(", "www.", "&#1", "<a", ":)", "?A", "ab.The",
    "n'", "in'", "[1]", "Mr. ", "\r", "a\n", "。", "😀\u200d", "a\u0301", "#1", "-1", "8)", "”", "+1-", "a&",
]  # fmt: skip


def test_no_long_input_makes_it_hang() -> None:
    # In linear time all of it takes seconds; one expression that looks back or ahead without end takes many minutes.
    code = f"from spanlin.text import tokenize\nfor unit in {UNITS!r}:\n    tokenize(unit * 40_000)\n"
    subprocess.run([sys.executable, "-c", code], check=True, timeout=150)
