"""What the scores of dependencies are made of: counts of words that are right, and their ratios."""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter
from collections.abc import Callable, Iterator
from typing import NamedTuple

from spanlin.evaluation.counts import Counts
from spanlin.evaluation.ud_alignment import Alignment
from spanlin.evaluation.ud_text import Stretch, UDWord

PUNCTUATION = "PUNCT"


class UDCounts(NamedTuple):
    """Items of the gold file, of the predicted one, and those that are right; ratios are percentages, or None.

    `aligned` counts the gold items whose word is in both files; it is None for tokens, sentences and words.
    """

    gold: int
    predicted: int
    correct: int
    aligned: int | None = None

    # 100 times the ratio, not the ratio of 100 times: the same digits as the official evaluation's.
    @property
    def precision(self) -> float | None:
        """The percentage of predicted items that are right."""
        return 100 * (self.correct / self.predicted) if self.predicted else None

    @property
    def recall(self) -> float | None:
        """The percentage of gold items that are found."""
        return 100 * (self.correct / self.gold) if self.gold else None

    @property
    def f1(self) -> float | None:
        """The harmonic mean of precision and recall."""
        items = self.gold + self.predicted
        return 100 * (2 * self.correct / items) if items else None

    @property
    def aligned_accuracy(self) -> float | None:
        """The percentage of aligned items that are right."""
        return 100 * (self.correct / self.aligned) if self.aligned else None


PairTest = Callable[[UDWord, UDWord], bool]
Filter = Callable[[UDWord], bool]


def count_stretches(gold: list[Stretch], predicted: list[Stretch]) -> UDCounts:
    """Count stretches of text that are in both; no two of one file start at the same place."""
    ends = dict(gold)
    return UDCounts(len(gold), len(predicted), sum(ends.get(start) == end for start, end in predicted))


class PairCounter:
    """Counts the words that are right by one test or another."""

    def __init__(self, alignment: Alignment) -> None:
        self._alignment = alignment
        self._gold, self._predicted = alignment.gold.words, alignment.predicted.words

    def count(self, test: PairTest, only: Filter | None = None) -> UDCounts:
        """Count by a test; with `only`, among the words that pass, the gold word deciding for a pair."""
        correct = sum(self._right(test, only))
        pairs = self._alignment.pairs
        if only is None:
            return UDCounts(len(self._gold), len(self._predicted), correct, len(pairs))
        gold, predicted = (sum(map(only, words)) for words in (self._gold, self._predicted))
        return UDCounts(gold, predicted, correct, sum(only(self._gold[place]) for place, _ in pairs))

    def count_without_punctuation(self, test: PairTest) -> UDCounts:
        """Count among words that are not punctuation; whether an aligned predicted word is, its gold word decides."""
        gold_of = self._alignment.gold_of
        predicted = sum(
            _is_no_punctuation(self._gold[gold_of[place]] if place in gold_of else word)
            for place, word in enumerate(self._predicted)
        )
        return self.count(test, _is_no_punctuation)._replace(predicted=predicted)

    def by_relation(self, test: PairTest) -> dict[str, Counts]:
        """Count by relation, the most frequent gold one first."""
        matched: Counter[str] = Counter()
        for (place, _), is_right in zip(self._alignment.pairs, self._right(test), strict=True):
            matched[self._gold[place].relation] += is_right
        gold, predicted = (Counter(word.relation for word in words) for words in (self._gold, self._predicted))
        names = sorted(gold.keys() | predicted.keys(), key=lambda name: (-gold[name], -predicted[name], name))
        return {name: Counts(gold[name], predicted[name], matched[name]) for name in names}

    def by_sentence(self, test: PairTest) -> tuple[Counts, ...]:
        """Count by gold sentence; a predicted word belongs to that in which it starts."""
        ends = [sentence.end for sentence in self._alignment.gold.sentences]
        gold, predicted, matched = (
            Counter(bisect_right(ends, word.place.start) for word in words)
            for words in (
                self._gold,
                self._predicted,
                (
                    self._gold[place]
                    for (place, _), is_right in zip(self._alignment.pairs, self._right(test), strict=True)
                    if is_right
                ),
            )
        )
        return tuple(Counts(gold[number], predicted[number], matched[number]) for number in range(len(ends)))

    def _right(self, test: PairTest, only: Filter | None = None) -> Iterator[bool]:
        """Yield for each aligned pair whether it passes and is right."""
        for gold_place, predicted_place in self._alignment.pairs:
            gold = self._gold[gold_place]
            yield (only is None or only(gold)) and test(gold, self._predicted[predicted_place])


def _is_no_punctuation(word: UDWord) -> bool:
    return word.upos != PUNCTUATION
