"""Which predicted word is which gold word, by their places in the text they share.

Words that are tokens are the same if they cover the same characters. The words of a multi-word token have no places of
their own: wherever either file has one, the smallest stretch that no multi-word token sticks out of is aligned by the
longest common subsequence of its words' forms, in lower case. This is the CoNLL 2018 shared task's alignment.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from spanlin.errors import EvaluationError
from spanlin.evaluation.ud_text import UDText, UDWord

_SHOWN = 20


@dataclass(frozen=True, eq=False)
class Alignment:
    """Two files over one text; `pairs` are places of words, gold and predicted, and `gold_of` maps the latter back."""

    gold: UDText
    predicted: UDText
    pairs: list[tuple[int, int]]
    gold_of: dict[int, int]


def align(gold: UDText, predicted: UDText) -> Alignment:
    """Return the alignment; an EvaluationError if the files are not of the same text."""
    if gold.characters != predicted.characters:
        raise EvaluationError(_difference(gold, predicted))
    pairs = list(_Aligner(gold.words, predicted.words).pairs())
    return Alignment(gold, predicted, pairs, {predicted_word: gold_word for gold_word, predicted_word in pairs})


class _Aligner:
    """Two lists of words, with the place that has been reached in each."""

    def __init__(self, gold: Sequence[UDWord], predicted: Sequence[UDWord]) -> None:
        self._sides = (gold, predicted)
        self._at = [0, 0]

    def pairs(self) -> Iterator[tuple[int, int]]:
        while (words := self._current()) is not None:
            if words[0].in_multi_word_token or words[1].in_multi_word_token:
                yield from self._pairs_around_multi_word_token(words)
            elif words[0].place == words[1].place:
                yield self._at[0], self._at[1]
                self._at = [self._at[0] + 1, self._at[1] + 1]
            else:
                self._at[0 if words[0].place.start <= words[1].place.start else 1] += 1

    def _current(self) -> tuple[UDWord, UDWord] | None:
        if self._at[0] < len(self._sides[0]) and self._at[1] < len(self._sides[1]):
            return self._sides[0][self._at[0]], self._sides[1][self._at[1]]
        return None

    def _pairs_around_multi_word_token(self, words: tuple[UDWord, UDWord]) -> Iterator[tuple[int, int]]:
        side = 0 if words[0].in_multi_word_token else 1
        other = words[1 - side]
        end = words[side].place.end
        # A word of the other file that only leads into the token is not part of the stretch.
        if not other.in_multi_word_token and other.place.start < words[side].place.start:
            self._at[1 - side] += 1
        starts = tuple(self._at)
        while not (self._is_beyond(0, end) and self._is_beyond(1, end)):
            side = self._earlier_side()
            word = self._sides[side][self._at[side]]
            if word.in_multi_word_token:
                end = max(end, word.place.end)
            self._at[side] += 1
        gold, predicted = (
            [word.form.lower() for word in words[start:stop]]
            for words, start, stop in zip(self._sides, starts, self._at, strict=True)
        )
        for gold_place, predicted_place in _common_subsequence(gold, predicted):
            yield starts[0] + gold_place, starts[1] + predicted_place

    def _is_beyond(self, side: int, end: int) -> bool:
        if self._at[side] >= len(self._sides[side]):
            return True
        word = self._sides[side][self._at[side]]
        return word.place.start >= end if word.in_multi_word_token else word.place.end > end

    def _earlier_side(self) -> int:
        """Return the file whose next word starts first; the gold one of equal ones."""
        words = self._current()
        if words is None:
            return 0 if self._at[0] < len(self._sides[0]) else 1
        return 0 if words[0].place.start <= words[1].place.start else 1


def _common_subsequence(one: Sequence[str], two: Sequence[str]) -> Iterator[tuple[int, int]]:
    """Yield the places of a longest common subsequence; in O(len(one) * len(two))."""
    longest = [[0] * (len(two) + 1) for _ in range(len(one) + 1)]  # of what starts at these places
    for i in reversed(range(len(one))):
        for j in reversed(range(len(two))):
            matched = longest[i + 1][j + 1] + 1 if one[i] == two[j] else 0
            longest[i][j] = max(matched, longest[i + 1][j], longest[i][j + 1])
    i = j = 0
    while i < len(one) and j < len(two):
        if one[i] == two[j]:
            yield i, j
            i, j = i + 1, j + 1
        elif longest[i][j] == longest[i + 1][j]:
            i += 1
        else:
            j += 1


def _difference(gold: UDText, predicted: UDText) -> str:
    one, two = gold.characters, predicted.characters
    same = min(len(one), len(two))
    place = next((place for place in range(same) if one[place] != two[place]), same)
    shown = [
        f"{text.characters[place : place + _SHOWN]!r} in sentence {_sentence_at(text, place)} of {text.name}"
        for text in (gold, predicted)
    ]
    return f"the texts differ: {' and '.join(shown)}; score predictions for the same text"


def _sentence_at(text: UDText, place: int) -> int:
    return next((number for number, one in enumerate(text.sentences, start=1) if place < one.end), len(text.sentences))
