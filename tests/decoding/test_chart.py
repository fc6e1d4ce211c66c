"""A sentence's chart does not depend on how many other sentences are in its batch, though its place in memory does."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from oracles.random_decoding import pad, random_log_probs
from spanlin.decoding.chart import best_split, descend, fill_chart, highest, log_sum
from spanlin.decoding.scores import FloatArray

FEW, MANY = 3, 40  # either side of where the order in memory changes
KINDS = ["plain", "ties", "sharp"]


def sides(kind: str, count: int, words: int) -> tuple[FloatArray, FloatArray]:
    generator = np.random.default_rng(words)
    left, right = (random_log_probs(generator, count, words, kind, side=side) for side in ("left", "right"))
    return left, right


@pytest.mark.parametrize("combine", [highest, log_sum])
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("words", [1, 2, 9, 30])
def test_a_chart_is_the_same_to_the_last_bit_in_any_batch(
    words: int, kind: str, combine: Callable[[FloatArray], FloatArray]
) -> None:
    left, right = sides(kind, MANY, words)
    many = fill_chart(left, right, None, combine)
    few = fill_chart(left[:FEW], right[:FEW], None, combine)
    for name in ("spans", "left_children", "right_children"):
        np.testing.assert_array_equal(getattr(many, name)[:FEW], getattr(few, name))
    for place in (0, MANY - 1):
        one = fill_chart(left[place : place + 1], right[place : place + 1], None, combine)
        np.testing.assert_array_equal(many.spans[place], one.spans[0])


@pytest.mark.parametrize("combine", [highest, log_sum])
def test_padding_changes_no_bit_of_a_chart(combine: Callable[[FloatArray], FloatArray]) -> None:
    left, right = sides("plain", MANY, 12)
    own = fill_chart(left, right, None, combine)
    padded = fill_chart(pad(left, 20, 0.0), pad(right, 20, 0.0), None, combine)
    is_span = np.add.outer(np.arange(13), np.arange(13)) <= 12  # by left end and width
    np.testing.assert_array_equal(padded.spans[:, :13, :13][:, is_span], own.spans[:, is_span])


@pytest.mark.parametrize("kind", KINDS)
def test_of_equal_trees_the_same_is_taken_in_any_batch(kind: str) -> None:
    left, right = sides(kind, MANY, 14)
    together = descend(fill_chart(left, right, None, highest), np.arange(MANY), np.full(MANY, 14), best_split)
    for place in range(MANY):
        chart = fill_chart(left[[place]], right[[place]], None, highest)
        alone = descend(chart, np.array([0]), np.array([14]), best_split)
        assert all((one[place] == other[0]).all() for one, other in zip(together, alone, strict=True))


@pytest.mark.parametrize("count", [FEW, MANY])
def test_scores_of_less_precision_are_added_in_full(count: int) -> None:
    left, right = (side.astype(np.float32) for side in sides("plain", count, 12))
    wide = fill_chart(left.astype(np.float64), right.astype(np.float64), None, highest)
    np.testing.assert_array_equal(fill_chart(left, right, None, highest).spans, wide.spans)
