from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spanlin.decimals import round_all


@pytest.mark.parametrize("decimals", [4, 6])
@given(values=st.lists(st.floats(0, 1)))
def test_probabilities_are_rounded_as_one_by_one(decimals: int, values: list[float]) -> None:
    found = round_all(values, decimals)
    for value, rounded in zip(values, found, strict=True):
        is_tie = abs((value * 10**decimals) % 1 - 0.5) < 1e-9
        assert rounded == round(value, decimals) or is_tie
    assert round_all(found, decimals) == found


def test_middles_go_to_the_even_side_as_with_round() -> None:
    assert round_all([0.0078125, 0.0234375], 6) == [round(0.0078125, 6), round(0.0234375, 6)] == [0.007812, 0.023438]


def test_what_is_not_finite_stays() -> None:
    found = round_all([0.5, -math.inf, math.nan], 6)
    assert found[:2] == [0.5, -math.inf]
    assert math.isnan(found[2])
