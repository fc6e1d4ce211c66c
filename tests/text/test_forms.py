from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spanlin.text.forms import read_sentence
from spanlin.text.tokens import Sentence


@given(st.text())
def test_tokens_are_what_stands_between_blanks_at_its_place(line: str) -> None:
    found = read_sentence(line.replace("-", "_"), "tokenized")
    assert list(found.words) == line.replace("-", "_").split()
    assert [line.replace("-", "_")[start:end] for start, end in found.offsets] == list(found.words)


@given(st.text())
def test_a_line_is_one_sentence_of_all_that_is_visible_in_it(line: str) -> None:
    found = read_sentence(line, "lines")
    assert [line[start:end] for start, end in found.offsets] == list(found.words)
    assert found.text == (line[found.start : found.end] if found.words else "")


def test_a_line_is_not_cut_where_a_text_would_be() -> None:
    assert read_sentence("Dogs bark. Cats don't.", "lines").words == ("Dogs", "bark", ".", "Cats", "do", "n't", ".")


def test_escaped_brackets_become_brackets_only_in_tokens() -> None:
    found = read_sentence("  -LRB- a-RRB- ", "tokenized")
    assert (found.words, found.offsets, found.text) == (("(", "a)"), ((2, 7), (8, 14)), "-LRB- a-RRB-")
    assert "-LRB-" in "".join(read_sentence("-LRB-", "lines").words)


@pytest.mark.parametrize("form", ["lines", "tokenized"])
@pytest.mark.parametrize("line", ["", " \t\n"])
def test_a_line_without_words_is_a_sentence_without_words(line: str, form: str) -> None:
    assert read_sentence(line, form) == Sentence((), (), (), "")  # type: ignore[arg-type]
