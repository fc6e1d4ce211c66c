from __future__ import annotations

import itertools
import random
from collections.abc import Sequence

import pytest

from spanlin.errors import EvaluationError
from spanlin.evaluation import COLLINS, NK, Score, SentenceScore, Status, compare_scores


def score_of(counts: Sequence[tuple[int, int, int] | None]) -> Score:
    """Return a score with these gold, predicted and matched brackets; None for a sentence in error."""
    sentences = tuple(
        SentenceScore(Status.VALID, 10, *row) if row else SentenceScore(Status.ERROR, 10) for row in counts
    )
    return Score(parameters=COLLINS, sentences=sentences, by_label={}, by_length={})


def drawn(seed: int, sentence_count: int, share: float) -> Score:
    rng = random.Random(seed)
    golds = [random.Random(number).randint(5, 20) for number in range(sentence_count)]
    return score_of([(gold, gold, sum(rng.random() < share for _ in range(gold))) for gold in golds])


def test_the_interval_holds_the_score_and_shrinks_with_more_sentences() -> None:
    few, many = drawn(1, 50, 0.9), drawn(1, 2000, 0.9)
    widths = []
    for score in (few, many):
        interval = score.bootstrap()
        assert interval is not None
        assert score.f1 is not None
        assert interval.low < score.f1 < interval.high
        widths.append(interval.high - interval.low)
    assert widths[0] > 3 * widths[1]


def test_the_interval_has_the_width_of_the_normal_approximation() -> None:
    # With ten brackets a sentence, F1 is a mean of independent sentence scores.
    rng = random.Random(7)
    matches = [sum(rng.random() < 0.8 for _ in range(10)) for _ in range(400)]
    interval = score_of([(10, 10, matched) for matched in matches]).bootstrap(samples=4000)
    assert interval is not None
    mean = sum(matches) / 400
    deviation = (sum((matched - mean) ** 2 for matched in matches) / 400) ** 0.5
    assert interval.low == pytest.approx(10 * (mean - 1.96 * deviation / 20), abs=0.15)
    assert interval.high == pytest.approx(10 * (mean + 1.96 * deviation / 20), abs=0.15)


def test_the_interval_depends_on_nothing_but_the_seed() -> None:
    score = drawn(3, 40, 0.9)
    assert score.bootstrap(seed=1) == score.bootstrap(seed=1)
    assert score.bootstrap(seed=1) != score.bootstrap(seed=2)
    assert score.interval == score.bootstrap()


def test_there_is_no_interval_without_brackets() -> None:
    assert score_of([]).interval is None
    assert score_of([(0, 0, 0), None]).interval is None


def test_draws_without_brackets_are_drawn_again() -> None:
    interval = score_of([(0, 0, 0)] * 30 + [(2, 2, 1)]).bootstrap(samples=50)
    assert interval is not None
    assert (interval.low, interval.high) == (50.0, 50.0)


def test_p_value_is_the_exact_one_of_all_exchanges() -> None:
    first = [(5, 4, 2), (6, 6, 5), (3, 5, 3), (8, 7, 4), (4, 4, 1), (5, 6, 5)]
    second = [(5, 5, 4), (6, 5, 5), (3, 3, 3), (8, 8, 7), (4, 5, 2), (5, 6, 4)]

    def difference(exchange: tuple[int, ...]) -> float:
        sides = [
            [row[swap ^ side] for row, swap in zip(zip(first, second, strict=True), exchange, strict=True)]
            for side in (0, 1)
        ]
        scores = [200 * sum(r[2] for r in side) / (sum(r[0] for r in side) + sum(r[1] for r in side)) for side in sides]
        return abs(scores[1] - scores[0])

    seen = difference((0,) * 6)
    exchanges = list(itertools.product((0, 1), repeat=6))
    exact = sum(difference(exchange) >= seen - 1e-9 for exchange in exchanges) / len(exchanges)
    comparison = compare_scores(score_of(first), score_of(second), samples=40_000)
    assert comparison.p_value == pytest.approx(exact, abs=0.01)
    assert comparison.difference == pytest.approx(seen)


def test_as_many_exchanges_are_drawn_as_asked_for_however_many_sentences() -> None:
    # As much won as lost: no exchange makes a smaller difference than the one seen, which is none.
    first, second = score_of([(9, 9, 5), (9, 9, 6)] * 400), score_of([(9, 9, 6), (9, 9, 5)] * 400)
    for samples in (1, 2500, 5000, 7001):  # drawn 2,500 at once
        assert compare_scores(first, second, samples=samples).p_value == 1.0


def test_equal_predictions_do_not_differ() -> None:
    comparison = compare_scores(drawn(1, 50, 0.8), drawn(1, 50, 0.8))
    assert (comparison.difference, comparison.p_value) == (0.0, 1.0)


def test_a_clear_difference_is_significant_and_noise_is_not() -> None:
    clear = compare_scores(drawn(1, 300, 0.80), drawn(2, 300, 0.90))
    assert clear.difference > 5
    assert clear.p_value == pytest.approx(1 / 10_001)
    assert compare_scores(drawn(1, 300, 0.85), drawn(2, 300, 0.85)).p_value > 0.05


def test_sentences_in_error_on_either_side_are_left_out() -> None:
    comparison = compare_scores(score_of([(2, 2, 2), None, (2, 2, 1)]), score_of([(2, 2, 1), (2, 2, 2), None]))
    assert (comparison.compared, comparison.left_out) == (1, 2)
    assert (comparison.first_f1, comparison.second_f1) == (100.0, 50.0)


def test_scores_of_different_sentences_cannot_be_compared() -> None:
    with pytest.raises(EvaluationError, match="scores of 1 and 2 sentences cannot be compared"):
        compare_scores(score_of([(1, 1, 1)]), score_of([(1, 1, 1)] * 2))


def test_scores_with_different_parameters_cannot_be_compared() -> None:
    other = Score(parameters=NK, sentences=(), by_label={}, by_length={})
    with pytest.raises(EvaluationError, match="scores with different parameters cannot be compared"):
        compare_scores(score_of([]), other)


def test_nothing_scored_cannot_be_compared() -> None:
    with pytest.raises(EvaluationError, match="nothing is scored in both predictions"):
        compare_scores(score_of([None]), score_of([(1, 1, 1)]))
