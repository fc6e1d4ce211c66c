from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spanlin.trees.shapes import SHAPES, word_shape


@given(st.text())
def test_every_word_has_one_of_the_shapes_and_only_capitals_count(word: str) -> None:
    assert 0 <= word_shape(word) < SHAPES
    assert (word_shape(word) == 0) == (word == word.lower())


@pytest.mark.parametrize(
    ("shape", "words"),
    [
        (0, ["", "dog", "42", "日本", "-"]),
        (1, ["Dog", "Ça", "U.s."]),
        (2, ["I", "A.", "'S", "7B"]),
        (3, ["NATO", "U.S.", "A1B"]),
        (4, ["mRNA", "iPhone", "McDonald", "'Tis"]),
    ],
)
def test_shapes_of_some_words(shape: int, words: list[str]) -> None:
    assert [word_shape(word) for word in words] == [shape] * len(words)
