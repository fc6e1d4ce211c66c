from __future__ import annotations

import io
import itertools
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spanlin.errors import ConfigError, SpanlinError
from spanlin.text import iter_sentences, lines, streaming, tokenize

WORDS = [
    *("a", "dogs", "Dogs", "bark", "The", "I", "Betty", "asked", "asked.", "said", "“Yes?”", '"No!"', "end.", "Stop."),
    *("U.S.", "Mr.", "p.", "No.", "7", "1.", "2.1.", "J.", "etc.", "wait...", "[4]", ")", "”", "—", "--", "him.It"),
    *("who?Me", "你好。世界", "well,", "(so", "-", "#", "|", "*", "www.x.org/a_b", "it's", "cannot", "e.g.", "Fig."),
    *("B.", "plan", "\u200b", "\x00"),
]
BREAKS = ["\n"] * 6 + ["\r\n", "\r", "\x0b", "\x85", "\n\n", "\n \t\n", "\r\r", "\x0c", "\u2029", "\n\n\n"]
rows = st.builds(" ".join, st.lists(st.sampled_from(WORDS), max_size=14))
texts = st.builds(
    lambda parts: "".join(itertools.chain.from_iterable(parts)),
    st.lists(st.tuples(rows, st.sampled_from(BREAKS)), max_size=40),
)


@pytest.fixture(scope="module")
def small_blocks() -> Iterator[None]:
    """Few lines are a block, and the shortest look behind a sentence that its rules allow is enough."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(lines, "_BLOCK_LINES", 3)
        patch.setattr(lines, "_BLOCK_CHARACTERS", 150)
        patch.setattr(streaming, "_LOOKAHEAD", 100)
        yield


@pytest.mark.usefixtures("small_blocks")
@given(text=texts, longest=st.integers(1, 30))
def test_lines_of_long_paragraphs_give_the_sentences_of_the_whole_text(text: str, longest: int) -> None:
    expected = tokenize(text, longest_sentence=longest)
    for newline in ("", "\n"):
        given_lines = io.StringIO(text, newline=newline)
        assert list(iter_sentences(given_lines, longest_sentence=longest)) == expected


@pytest.mark.usefixtures("small_blocks")
@given(text=texts, data=st.data())
def test_however_a_text_is_cut_its_sentences_are_the_same(text: str, data: st.DataObject) -> None:
    places = sorted(data.draw(st.lists(st.integers(0, len(text)), max_size=30)))
    parts = [text[left:right] for left, right in itertools.pairwise([0, *places, len(text)])]
    assert list(iter_sentences(parts)) == tokenize(text)


LONG = {
    "prose": "The dog barked at the cat, and the cat ran up a tree. It was\n",
    "prose of one sentence a line": "It was late and the dog barked at the cat that had run up a tree.\n",
    "a paragraph a line": "It was late. " * 40 + "\n",
    "a list of words": "word\n",
    "numbers": "1,234\n",
    "a sentence without an end": "and the dog barked at the cat that had run up a tree because it was late\n",
}


@pytest.mark.parametrize("line", LONG.values(), ids=LONG.keys())
def test_the_first_sentence_comes_out_long_before_the_last_line_is_read(line: str) -> None:
    read = 0

    def endless() -> Iterator[str]:
        nonlocal read
        while True:
            read += 1
            yield line

    sentences = iter_sentences(endless())
    next(sentences)
    assert read <= 2_500
    for _ in range(1_000):
        last = next(sentences)
    assert read * len(line) - last.end <= 200_000, "what is read ahead does not grow"


@pytest.mark.parametrize("line", LONG.values(), ids=LONG.keys())
def test_a_long_paragraph_gives_the_same_sentences_by_lines(line: str) -> None:
    text = line * (300_000 // len(line))
    assert list(iter_sentences(io.StringIO(text))) == tokenize(text)


def test_a_paragraph_comes_out_at_the_blank_line_behind_it() -> None:
    given_lines = iter(["Dogs bark.\n", "\n", "Cats sleep.\n", "  \n", "Never read.\n"])
    sentences = iter_sentences(given_lines)
    assert next(sentences).words == ("Dogs", "bark", ".")
    assert next(sentences).words == ("Cats", "sleep", ".")
    assert list(given_lines) == ["Never read.\n"]


def test_a_text_is_read_as_before_and_a_bad_limit_is_an_error() -> None:
    assert list(iter_sentences("Dogs bark. Cats sleep.")) == tokenize("Dogs bark. Cats sleep.")
    for given_text in ("Dogs bark.", ["Dogs bark.\n"]):
        with pytest.raises(ConfigError, match="longest_sentence must be at least 1, got 0"):
            list(iter_sentences(given_text, longest_sentence=0))


@pytest.mark.parametrize(
    ("given_text", "said"),
    [
        (None, "give a string, or an open text file, not NoneType"),
        (b"Dogs bark.", "give a string, or an open text file, not bytes"),
        (["Dogs\n", b"bark."], "line 2 of the text is not a string but of type bytes: open the file as text"),
        ([["Dogs", "bark"]], "line 1 of the text is not a string but of type list"),
    ],
)
def test_what_is_not_text_is_an_error(given_text: Any, said: str) -> None:
    with pytest.raises(SpanlinError, match=said):
        list(iter_sentences(given_text))
