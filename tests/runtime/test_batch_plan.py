from __future__ import annotations

import itertools
from collections.abc import Iterator

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from spanlin.runtime.batch_plan import cheapest_batches, full_batches

LENGTHS = st.lists(st.integers(1, 12), max_size=9).map(lambda lengths: np.array(sorted(lengths, reverse=True), int))


def cost(lengths: np.ndarray, counts: list[int], overhead: int) -> int:
    starts = np.cumsum([0, *counts[:-1]])
    return sum(overhead + count * int(lengths[start]) for start, count in zip(starts, counts, strict=True))


def all_plans(total: int) -> Iterator[list[int]]:
    """Every way to cut a row of sentences into batches."""
    for size in range(total):
        for cuts in itertools.combinations(range(1, total), size):
            yield np.diff([0, *cuts, total]).tolist()


def is_allowed(lengths: np.ndarray, counts: list[int], tokens: int, most: int) -> bool:
    starts = np.cumsum([0, *counts[:-1]])
    return all(
        count == 1 or (count * lengths[start] <= tokens and count <= (most or count))
        for start, count in zip(starts, counts, strict=True)
    )


@given(LENGTHS, st.integers(1, 40), st.integers(1, 20), st.integers(0, 3))
def test_no_other_batches_cost_less(lengths: np.ndarray, tokens: int, overhead: int, most: int) -> None:
    found = cheapest_batches(lengths, tokens=tokens, overhead=overhead, most=most)
    assert sum(found) == len(lengths)
    if not len(lengths):
        return
    assert is_allowed(lengths, found, tokens, most)
    plans = (plan for plan in all_plans(len(lengths)) if is_allowed(lengths, plan, tokens, most))
    assert cost(lengths, found, overhead) == min(cost(lengths, plan, overhead) for plan in plans)


@given(LENGTHS, st.integers(1, 40), st.integers(0, 3))
def test_full_batches_have_no_room_left(lengths: np.ndarray, tokens: int, most: int) -> None:
    found = full_batches(lengths, tokens=tokens, most=most)
    assert sum(found) == len(lengths)
    if not found:
        return
    assert is_allowed(lengths, found, tokens, most)
    for start, count in zip(np.cumsum([0, *found[:-1]]), found[:-1], strict=False):
        assert count == most or (count + 1) * lengths[start] > tokens


@pytest.mark.parametrize(
    ("overhead", "expected"), [(1, [1, 1, 3]), (5, [2, 3]), (100, [5])], ids=["cheap", "dear", "very dear"]
)
def test_batches_are_the_larger_the_more_each_costs(overhead: int, expected: list[int]) -> None:
    assert cheapest_batches(np.array([12, 10, 3, 3, 3]), tokens=100, overhead=overhead) == expected
