from __future__ import annotations

import dataclasses

import pytest

from spanlin.text import Sentence, Token, tokenize


def test_a_sentence_knows_its_tokens_and_its_place() -> None:
    (_, second) = tokenize("One. Two!")
    assert second.tokens == (Token("Two", 5, 8), Token("!", 8, 9))
    assert (second.start, second.end, second.words) == (5, 9, ("Two", "!"))


def test_a_sentence_counts_from_the_start_of_the_text_it_is_in() -> None:
    sentence = Sentence(("Dogs", "bark"), (10, 15), (14, 19), "Dogs bark")
    assert sentence.offsets == ((10, 14), (15, 19))
    assert sentence.tokens == (Token("Dogs", 10, 14), Token("bark", 15, 19))
    assert (sentence.start, sentence.end) == (10, 19)


def test_equal_sentences_are_one_and_cannot_be_changed() -> None:
    one, two = tokenize("Dogs bark."), tokenize("Dogs bark.")
    assert len({*one, *two}) == 1
    with pytest.raises(dataclasses.FrozenInstanceError):
        one[0].words = ()  # type: ignore[misc]
