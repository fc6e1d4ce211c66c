"""The test between rows: its error rate, a slow twin of its arithmetic, and Student's t."""

from __future__ import annotations

import math
import statistics

import numpy as np
import pytest
from experiments.results import Brackets
from experiments.significance import Difference, compare, holm, t_quantile, two_sided_p

from spanlin.evaluation.counts import Counts
from spanlin.evaluation.significance import compare_counts

SENTENCES = 150


def row(
    generator: np.random.Generator,
    gold: np.ndarray,
    easiness: np.ndarray,
    *,
    seeds: int,
    spread: float,
    shift: float = 0.0,
) -> list[Brackets]:
    """Draw networks of one row. What is easy differs by sentence and by row; how good a network is, by seed."""
    taste = generator.normal(0, 0.3, len(gold))
    found = []
    for _ in range(seeds):
        luck = generator.normal(0, 0.4, len(gold))
        chances = 1 / (1 + np.exp(-(easiness + taste + luck + shift + generator.normal(0, spread))))
        predicted = gold + generator.integers(0, 3, len(gold))
        found.append(brackets(gold, predicted, generator.binomial(gold, chances)))
    return found


def brackets(gold: np.ndarray, predicted: np.ndarray, matched: np.ndarray) -> Brackets:
    return Brackets(
        signature="drawn",
        status=[0] * len(gold),
        length=gold.tolist(),
        gold=gold.tolist(),
        predicted=predicted.tolist(),
        matched=matched.tolist(),
    )


def draw(number: int, *, spread: float, shift: float = 0.0, seeds: int = 3) -> tuple[list[Brackets], list[Brackets]]:
    generator = np.random.default_rng(number)
    gold = generator.integers(1, 40, SENTENCES)
    easiness = generator.normal(2, 0.8, SENTENCES)
    first = row(generator, gold, easiness, seeds=seeds, spread=spread)
    return first, row(generator, gold, easiness, seeds=seeds, spread=spread, shift=shift)


@pytest.mark.parametrize("spread", [0.02, 0.3])
@pytest.mark.parametrize("seeds", [2, 3, 5])
def test_equal_rows_are_told_apart_in_about_one_of_twenty_cases(spread: float, seeds: int) -> None:
    p_values = [found.p_value for n in range(200) if (found := compare(*draw(n, spread=spread, seeds=seeds)))]
    errors = sum(p < 0.05 for p in p_values)
    # With a chance of 5%, more than 19 of 200 come once in a thousand times. Two seeds know little, and err to the safe
    # side.
    assert len(p_values) == 200
    assert errors <= 19
    assert seeds == 2 or errors >= 3


def test_a_test_of_sentences_alone_takes_seeds_for_rows() -> None:
    def added(parts: list[Brackets]) -> list[Counts]:
        columns = zip(*(zip(part.gold, part.predicted, part.matched, strict=True) for part in parts), strict=True)
        return [Counts(*map(sum, zip(*column, strict=True))) for column in columns]

    errors = 0
    for number in range(60):
        first, second = draw(number, spread=0.3)
        errors += compare_counts(added(first), added(second), samples=200).p_value < 0.05
    assert errors > 30  # of 60, where 3 would be right


def test_a_real_difference_is_found() -> None:
    found = [compare(*draw(number, spread=0.02, shift=0.4)) for number in range(20)]
    assert sum(one is not None and one.p_value < 0.05 and one.value > 0 for one in found) >= 18


@pytest.mark.parametrize("number", range(5))
@pytest.mark.parametrize("same_networks", [False, True])
def test_the_variance_is_that_of_its_slow_twin(number: int, same_networks: bool) -> None:
    first, second = draw(number, spread=0.1)
    found = compare(first, second[: 3 if same_networks else 2], same_networks=same_networks)
    assert found is not None
    value, error, freedom = slow_compare(first, second[: 3 if same_networks else 2], same_networks=same_networks)
    assert found == pytest.approx((value, error, freedom), rel=1e-9)


def slow_compare(first: list[Brackets], second: list[Brackets], *, same_networks: bool) -> tuple[float, float, float]:
    """The docstring of `experiments.significance`, a number at a time."""

    def parts(one: Brackets) -> tuple[float, list[float]]:
        total = sum(one.gold) + sum(one.predicted)
        f1 = 200 * sum(one.matched) / total
        columns = zip(one.gold, one.predicted, one.matched, strict=True)
        return f1, [100 * (2 * m - f1 / 100 * (g + p)) / total for g, p, m in columns]

    rows = [[parts(one) for one in each] for each in (first, second)]
    if same_networks:
        pairs = zip(*rows, strict=True)
        rows = [[(b[0] - a[0], [y - x for x, y in zip(a[1], b[1], strict=True)]) for a, b in pairs]]
    signs = [1] if same_networks else [-1, 1]
    value = sum(sign * statistics.fmean(f1 for f1, _ in each) for sign, each in zip(signs, rows, strict=True))
    sentences, seeds, uncertain = 0.0, 0.0, 0.0
    for sentence in range(SENTENCES):
        means = [statistics.fmean(part[sentence] for _, part in each) for each in rows]
        sentences += sum(sign * mean for sign, mean in zip(signs, means, strict=True)) ** 2
        for each, mean in zip(rows, means, strict=True):
            squares = sum((part[sentence] - mean) ** 2 for _, part in each)
            sentences -= squares / (len(each) * (len(each) - 1))
    for each in rows:
        part = statistics.variance(f1 for f1, _ in each) / len(each)
        seeds += part
        uncertain += part**2 / (len(each) - 1)
    variance = max(0.0, sentences) + seeds
    return value, math.sqrt(variance), variance**2 / uncertain


def test_what_cannot_be_tested_has_no_difference() -> None:
    first, second = draw(1, spread=0.1)
    assert compare(first[:1], second) is None
    assert compare(first, []) is None
    assert compare(first, second[:2], same_networks=True) is None
    other = [brackets(np.array([3]), np.array([3]), np.array([2]))] * 2
    assert compare(first, other) is None
    empty = [brackets(np.array([0]), np.array([0]), np.array([0]))] * 2
    assert compare(empty, empty) is None


def test_equal_rows_do_not_differ() -> None:
    first, _ = draw(1, spread=0.1)
    found = compare(first, first, same_networks=True)
    assert found == Difference(0.0, 0.0, 1e6)
    assert found.p_value == 1.0


def test_a_sentence_without_a_tree_counts_in_neither_row() -> None:
    first, second = draw(1, spread=0.1)
    status = [1, *second[0].status[1:]]
    broken = [Brackets(**{**vars(second[0]), "status": status}), *second[1:]]
    without = [
        [brackets(*(np.array(column)[1:] for column in (one.gold, one.predicted, one.matched))) for one in part]
        for part in (first, second)
    ]
    assert compare(first, broken) == compare(*without)


@pytest.mark.parametrize(
    ("t", "freedom", "chance"),
    [(12.7062, 1, 0.05), (4.30265, 2, 0.05), (2.77645, 4, 0.05), (63.6567, 1, 0.01), (3.49950, 7, 0.01), (0, 3, 1)],
)
def test_students_t_is_that_of_the_tables(t: float, freedom: float, chance: float) -> None:
    assert two_sided_p(t, freedom) == pytest.approx(chance, abs=1e-6)
    assert t_quantile(chance, freedom) == pytest.approx(t, abs=1e-4)


def test_with_many_degrees_of_freedom_t_is_normal() -> None:
    for t in (0.5, 1.96, 4.0):
        assert two_sided_p(t, 1e6) == pytest.approx(math.erfc(t / math.sqrt(2)), rel=1e-4)


def test_no_worse_is_one_sided_and_the_interval_is_that_of_the_test() -> None:
    one = Difference(-0.1, 0.05, 10)
    assert one.p_no_worse(0.2) == pytest.approx(two_sided_p(2, 10) / 2)
    assert one.p_no_worse(0.0) == pytest.approx(1 - two_sided_p(2, 10) / 2)
    assert Difference(0.1, 0.0, 10).p_no_worse(0.2) == 0
    low, high = one.interval
    assert Difference(low, 0.05, 10)._replace(value=high - one.value).p_value == pytest.approx(0.05)
    assert one.value - low == pytest.approx(high - one.value)


def test_holm_multiplies_by_the_number_of_tests_that_are_left() -> None:
    assert holm({"a": 0.01, "b": 0.04, "c": 0.02, "d": 0.5}) == pytest.approx(
        {"a": 0.04, "c": 0.06, "b": 0.08, "d": 0.5}
    )
    assert holm({"a": 0.03, "b": 0.03}) == pytest.approx({"a": 0.06, "b": 0.06})
    assert holm({}) == {}
