from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from spanlin.evaluation.counts import Counts, SentenceScore, Status, add_up


@given(st.integers(0, 9), st.integers(0, 9), st.integers(0, 9))
def test_f1_is_the_harmonic_mean_or_none(gold: int, predicted: int, matched: int) -> None:
    counts = Counts(gold, predicted, min(gold, predicted, matched))
    assert (counts.precision is None, counts.recall is None) == (not predicted, not gold)
    assert (counts.f1 is None) == (not gold and not predicted)
    if counts.precision and counts.recall and counts.f1:
        assert abs(counts.f1 - 2 / (1 / counts.precision + 1 / counts.recall)) < 1e-9
    elif counts.f1 is not None:
        assert counts.f1 == 0


def test_only_valid_sentences_add_to_the_counts() -> None:
    right = SentenceScore(Status.VALID, 4, 3, 3, 3, 3, 0, 4, 4)
    wrong = SentenceScore(Status.VALID, 5, 4, 2, 1, 2, 2, 5, 3)
    crossing = SentenceScore(Status.VALID, 5, 4, 4, 1, 1, 3, 5, 5)
    totals = add_up([right, wrong, crossing, SentenceScore(Status.ERROR, 7), SentenceScore(Status.SKIPPED, 8)])
    assert (totals.sentences, totals.valid, totals.errors, totals.skipped) == (5, 3, 1, 1)
    assert totals.brackets == Counts(gold=11, predicted=9, matched=5)
    assert totals.unlabelled == Counts(gold=11, predicted=9, matched=6)
    assert totals.complete_match == 100 / 3
    assert (totals.average_crossing, totals.no_crossing, totals.two_or_less) == (5 / 3, 100 / 3, 200 / 3)
    assert totals.tagging_accuracy == 100 * 12 / 14


def test_a_sentence_without_brackets_on_either_side_is_complete() -> None:
    assert add_up([SentenceScore(Status.VALID, 1, word_count=1)]).complete_match == 100.0


def test_of_nothing_no_ratio_is_formed() -> None:
    totals = add_up([])
    ratios = (totals.complete_match, totals.average_crossing, totals.no_crossing, totals.two_or_less)
    assert {*ratios, totals.tagging_accuracy, totals.brackets.f1} == {None}
