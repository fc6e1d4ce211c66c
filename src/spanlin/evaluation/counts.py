"""The counts that scores are made of: added up over sentences first, divided once at the end."""

from __future__ import annotations

from collections.abc import Sequence
from enum import IntEnum
from typing import NamedTuple


class Counts(NamedTuple):
    """Brackets in the gold trees, in the predicted trees, and in both; ratios are percentages or None.

    >>> Counts(gold=4, predicted=2, matched=1).precision
    50.0
    """

    gold: int
    predicted: int
    matched: int

    @property
    def precision(self) -> float | None:
        """The percentage of predicted brackets that are gold; None if there are none."""
        return ratio(100.0 * self.matched, self.predicted)

    @property
    def recall(self) -> float | None:
        """The percentage of gold brackets that are predicted; None if there are none."""
        return ratio(100.0 * self.matched, self.gold)

    @property
    def f1(self) -> float | None:
        """The harmonic mean of precision and recall; None if there is no bracket on either side."""
        return ratio(200.0 * self.matched, self.gold + self.predicted)


class Status(IntEnum):
    """What became of a sentence, numbered as in EVALB's column Stat."""

    VALID = 0
    ERROR = 1  # the words differ
    SKIPPED = 2  # nothing was predicted


class SentenceScore(NamedTuple):
    """The counts of one pair of trees; all but `length` are 0 unless it is valid.

    `length` is in gold words, those without length left out; `word_count` is in words that were compared. `problem`
    says why a sentence is in error, in EVALB's words.
    """

    status: Status
    length: int
    gold: int = 0
    predicted: int = 0
    matched: int = 0
    unlabelled_matched: int = 0
    crossing: int = 0
    word_count: int = 0
    correct_tags: int = 0
    problem: str = ""


class Totals(NamedTuple):
    """The counts of a set of sentences; ratios are None where there is nothing to divide by."""

    sentences: int
    errors: int
    skipped: int
    brackets: Counts
    unlabelled: Counts
    complete: int
    crossing: int
    without_crossing: int
    two_or_less_crossing: int
    word_count: int
    correct_tags: int

    @property
    def valid(self) -> int:
        """The number of sentences that are scored."""
        return self.sentences - self.errors - self.skipped

    @property
    def complete_match(self) -> float | None:
        """The percentage of valid sentences whose brackets are all right."""
        return ratio(100.0 * self.complete, self.valid)

    @property
    def average_crossing(self) -> float | None:
        """The number of predicted brackets a valid sentence that cross a gold one."""
        return ratio(1.0 * self.crossing, self.valid)

    @property
    def no_crossing(self) -> float | None:
        """The percentage of valid sentences in which no predicted bracket crosses a gold one."""
        return ratio(100.0 * self.without_crossing, self.valid)

    @property
    def two_or_less(self) -> float | None:
        """The percentage of valid sentences in which at most two predicted brackets cross a gold one."""
        return ratio(100.0 * self.two_or_less_crossing, self.valid)

    @property
    def tagging_accuracy(self) -> float | None:
        """The percentage of compared words whose tag is right."""
        return ratio(100.0 * self.correct_tags, self.word_count)


def add_up(sentences: Sequence[SentenceScore]) -> Totals:
    """Return the sums over the sentences."""
    valid = [sentence for sentence in sentences if sentence.status is Status.VALID]
    gold = sum(sentence.gold for sentence in valid)
    predicted = sum(sentence.predicted for sentence in valid)
    return Totals(
        sentences=len(sentences),
        errors=sum(sentence.status is Status.ERROR for sentence in sentences),
        skipped=sum(sentence.status is Status.SKIPPED for sentence in sentences),
        brackets=Counts(gold, predicted, sum(sentence.matched for sentence in valid)),
        unlabelled=Counts(gold, predicted, sum(sentence.unlabelled_matched for sentence in valid)),
        complete=sum(sentence.gold == sentence.predicted == sentence.matched for sentence in valid),
        crossing=sum(sentence.crossing for sentence in valid),
        without_crossing=sum(sentence.crossing == 0 for sentence in valid),
        two_or_less_crossing=sum(sentence.crossing <= 2 for sentence in valid),
        word_count=sum(sentence.word_count for sentence in valid),
        correct_tags=sum(sentence.correct_tags for sentence in valid),
    )


def ratio(part: float, whole: float) -> float | None:
    """Return part / whole, or None where there is no whole: never NaN."""
    return part / whole if whole else None
