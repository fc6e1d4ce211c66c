"""Where line breaks end a sentence, and how a text that comes in parts is cut there."""

from __future__ import annotations

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spanlin.text.lines import Cut, last_cut, segments, stretches

WIDE = "This line is about as wide as an editor would make it, some seventy"
rows = st.sampled_from(["", " ", "a", "Dogs", "- x", "1. y", "# Title", "| a |", "---", WIDE, f"{WIDE},"])
texts = st.lists(st.tuples(rows, st.sampled_from(["\n", "\r\n", "\r", "\x0c", "\u2028"])), max_size=30).map(
    lambda parts: "".join(itertools.chain.from_iterable(parts))
)


def cut(text: str) -> list[str]:
    return [text[start:end] for start, end in segments(text)]


@given(texts)
def test_between_segments_is_nothing_but_line_breaks_and_blanks(text: str) -> None:
    at = 0
    for start, end in segments(text):
        assert at <= start <= end
        assert not text[at:start].strip()
        at = end
    assert not text[at:].strip()


@given(texts, st.integers(1, 9))
def test_stretches_are_the_whole_text_and_end_where_segments_do(text: str, size: int) -> None:
    parts = [text[place : place + size] for place in range(0, len(text), size)]
    found = list(stretches(parts))
    assert "".join(stretch.text for stretch in found) == text
    words = ["".join(part.split()) for part in cut(text)]
    assert [word for stretch in found if (word := "".join(stretch.text.split()))] == [word for word in words if word]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (f"{WIDE}\nwrapped here.", 1),
        (f"{WIDE}\nWrapped here.", 1),
        ("A short line\nAnother", 2),
        ("a short line\nand more of it", 1),
        ("A short line,\nAnother", 1),
        ("Shopping:\n- eggs\n* milk\n(a) bread\n[x] tea", 5),
        ("one\n1. two\n2.1 three", 3),
        (f"{WIDE}\n2. is not the number of an item here", 1),
        ("# Title\nits text", 2),
        ("text of a\n---\nrule", 3),
        ("| a |\n|---|\n| b |", 3),
        ("one\n \t\ntwo", 2),
        ("one\x0ctwo\u2029three", 3),
        ("one\rTwo\x85Three\u2028Four", 4),
    ],
)
def test_a_break_ends_a_sentence_if_no_editor_would_wrap_there(text: str, expected: int) -> None:
    assert len([part for part in cut(text) if part.strip()]) == expected


def test_lines_too_long_to_be_wrapped_are_paragraphs() -> None:
    long_line = "Some words that fill a line " * 10
    assert len(cut(f"{long_line}\n{long_line}\n{long_line}")) == 3


def test_what_is_complete_comes_out_before_the_next_part_is_read() -> None:
    given_lines = iter(["Dogs bark.\n", "\n", "Cats sleep.\n"])
    found = stretches(given_lines)
    assert next(found).text == "Dogs bark.\n\n"
    assert list(given_lines) == ["Cats sleep.\n"]


def test_a_long_paragraph_comes_in_blocks_that_need_not_end_a_sentence() -> None:
    found = list(stretches([f"{WIDE}\n"] * 1_200))
    assert len(found) > 2
    assert [stretch.is_end for stretch in found[:2]] == [False, False]
    assert found[-1].is_end


@pytest.mark.parametrize(
    ("text", "cut"),
    [
        ("", None),
        ("Dogs bark.", None),
        ("Dogs bark.\nCats sleep.\n", None),  # the next line may show that the first two are wrapped text
        ("Dogs bark.\n\n", None),  # more blank lines may come
        ("Dogs bark.\n\nCats", Cut(12)),
        ("Dogs bark.\n\nCats sleep.\n \nBirds sing.\n\n", Cut(26)),
        ("Dogs bark.\x0cCats", Cut(11)),
    ],
)
def test_a_text_can_be_cut_after_its_last_blank_line(text: str, cut: Cut | None) -> None:
    assert last_cut(text) == cut


def test_a_paragraph_can_be_cut_after_a_block_that_ends_a_sentence() -> None:
    line = "Dogs bark, and cats sleep.\n"
    cut = last_cut(line * 1000)
    assert cut == Cut(500 * len(line), len(line) - 1)
    assert last_cut(line * 1000, width=90) == Cut(500 * len(line), 90)
    assert last_cut("dogs bark, and cats sleep,\n" * 1000) is None
