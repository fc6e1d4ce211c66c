"""A short seeded run of the fuzzer in tests/fuzz, which needs nothing but this package."""

from __future__ import annotations

import random

import pytest

from fuzz.bracket_checks import check_reading, random_input


@pytest.mark.parametrize("seed", range(4))
def test_any_bytes_are_trees_or_our_own_error(seed: int) -> None:
    generator = random.Random(seed)
    tree_count = 0
    for number in range(1000):
        raw = random_input(generator)
        try:
            tree_count += check_reading(raw)
        except Exception as error:
            raise AssertionError(f"input {number} of seed {seed}: {raw!r}") from error
    assert tree_count > 500  # else the inputs are too broken to test anything
