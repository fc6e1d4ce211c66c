"""Blocks of a text have its sentences."""

from __future__ import annotations

import itertools
import pickle
from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spanlin.errors import SpanlinError
from spanlin.text import iter_sentences, tokenize
from spanlin.text.blocks import text_blocks
from text.nasty_inputs import NASTY_INPUTS
from text.test_streaming import LONG, small_blocks, texts  # noqa: F401 (a fixture)


@pytest.mark.usefixtures("small_blocks")
@given(text=texts, size=st.integers(1, 400))
def test_blocks_of_any_size_have_the_sentences_of_the_text(text: str, size: int) -> None:
    expected = tokenize(text)
    for given_text in (text, text.splitlines(keepends=True), [text]):
        blocks = [pickle.loads(pickle.dumps(block)) for block in text_blocks(given_text, characters=size)]
        assert [sentence for block in blocks for sentence in block.sentences()] == expected


@pytest.mark.parametrize("blanks", ["", "\n", "\n\n", " "])
def test_odd_texts_have_the_same_sentences_in_blocks(blanks: str) -> None:
    text = blanks.join(NASTY_INPUTS)
    blocks = list(text_blocks(text, characters=500))
    assert [sentence for block in blocks for sentence in block.sentences()] == tokenize(text)


@pytest.mark.parametrize("line", LONG.values(), ids=LONG.keys())
def test_a_paragraph_without_an_end_comes_in_blocks_too(line: str) -> None:
    read = 0

    def endless() -> Iterator[str]:
        nonlocal read
        while True:
            read += 1
            yield line

    blocks = text_blocks(endless(), characters=10_000)
    found = [sentence for block in itertools.islice(blocks, 8) for sentence in block.sentences()]
    assert read <= 20_000
    assert found == list(itertools.islice(iter_sentences(endless()), len(found)))


def test_a_block_is_the_text_as_it_stands_and_no_sentence_is_read_to_find_its_end(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def never(*_: object, **__: object) -> Iterator[object]:
        raise AssertionError("a sentence was read")

    paragraph = "Dogs bark, and cats sleep.\n\n"
    monkeypatch.setattr("spanlin.text.blocks.read_sentences", never)
    monkeypatch.setattr("spanlin.text.blocks.text_parts", never)
    blocks = list(text_blocks((paragraph * 1000).splitlines(keepends=True), characters=100))
    assert "".join(block.text for block in blocks) == paragraph * 1000
    assert {len(block.text) for block in blocks[:-1]} == {3 * len(paragraph)}
    assert [block.offset for block in blocks] == list(range(0, 1000 * len(paragraph), 3 * len(paragraph)))


def test_what_is_no_text_is_refused() -> None:
    with pytest.raises(SpanlinError, match="line 2 of the text is not a string"):
        list(text_blocks(["a\n", 3]))  # type: ignore[list-item]
    assert [sentence for block in text_blocks("") for sentence in block.sentences()] == []
