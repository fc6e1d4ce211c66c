"""The lists contradict neither each other nor the rules that look words up in them."""

from __future__ import annotations

import itertools

from spanlin.text import vocabulary as found

ABBREVIATIONS = (
    found.LEADING_ABBREVIATIONS,
    found.NUMBERED_ABBREVIATIONS,
    found.TRAILING_ABBREVIATIONS,
    found.AMBIGUOUS_ABBREVIATIONS,
)
AFFIXES = (found.HYPHEN_PREFIXES, found.HYPHEN_SUFFIXES)


def test_an_abbreviation_is_of_one_kind() -> None:
    for one, two in itertools.combinations(ABBREVIATIONS, 2):
        assert not one & two


def test_words_shortened_in_lower_case_are_abbreviations_in_any_case() -> None:
    assert found.SHORTENED_WORDS < found.AMBIGUOUS_ABBREVIATIONS | found.NUMBERED_ABBREVIATIONS


def test_words_are_in_the_case_in_which_they_are_looked_up() -> None:
    for words in (*ABBREVIATIONS, found.SHORTENED_WORDS, *AFFIXES, found.CLIPPED_WORDS, found.UNITS):
        assert {word.lower() for word in words} == words
    assert all(word[0].isupper() for word in found.SENTENCE_STARTERS | found.FIRST_PERSON)
    assert not any("’" in word for word in found.SENTENCE_STARTERS)  # they are looked up with a plain apostrophe


def test_abbreviations_are_without_their_last_full_stop() -> None:
    assert not [word for words in ABBREVIATIONS for word in words if word.endswith(".")]


def test_a_fused_word_is_cut_inside_and_short_enough_to_be_looked_up() -> None:
    for word, cut in found.FUSED_WORDS.items():
        assert 0 < cut < len(word) < 10
