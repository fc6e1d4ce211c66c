from __future__ import annotations

import itertools
import math
from collections.abc import Iterator
from typing import Literal

import pytest
import torch
from torch import Tensor

from spanlin.config.network import LossConfig, NetworkConfig, ScorerConfig
from spanlin.errors import ConfigError
from spanlin.network.partition import tree_log_mass


def trees(left: int, right: int) -> Iterator[list[tuple[int, int, int]]]:
    """Every binary tree over these words, as its splits (left, middle, right)."""
    if right - left == 1:
        yield []
    for middle in range(left + 1, right):
        for one, two in itertools.product(trees(left, middle), trees(middle, right)):
            yield [(left, middle, right), *one, *two]


def summed(left: Tensor | None, right: Tensor | None, word_count: int) -> Tensor:
    scores = []
    for splits in trees(0, word_count):
        score = torch.zeros((), dtype=torch.float64)
        if left is not None:
            score = score + left[word_count - 1, 0] + sum(left[middle - 1, first] for first, middle, _ in splits)
        if right is not None:
            score = score + right[0, word_count - 1] + sum(right[middle, last - 1] for _, middle, last in splits)
        scores.append(score)
    return torch.stack(scores).logsumexp(dim=0)


def boundary_log_probs(words: int, *, seed: int, sides: str) -> tuple[Tensor | None, Tensor | None]:
    torch.manual_seed(seed)
    possible = torch.ones(words, words, dtype=torch.bool).tril()
    logits = 2 * torch.randn(2, 3, words, words, dtype=torch.float64)
    left = logits[0].masked_fill(~possible, -1e4).log_softmax(dim=2).requires_grad_()
    right = logits[1].masked_fill(~possible.T, -1e4).log_softmax(dim=2).requires_grad_()
    return left if sides != "right" else None, right if sides != "left" else None


@pytest.mark.parametrize("sides", ["left", "right", "both"])
def test_the_mass_and_its_gradient_are_those_of_all_trees_added_up(sides: str) -> None:
    left, right = boundary_log_probs(6, seed=len(sides), sides=sides)
    given = [side for side in (left, right) if side is not None]
    counts = torch.tensor([6, 4, 1])
    found = tree_log_mass(left, right, counts)
    expected = torch.stack(
        [
            summed(None if left is None else left[row], None if right is None else right[row], count)
            for row, count in enumerate(counts.tolist())
        ]
    )
    torch.testing.assert_close(found, expected)
    weights = torch.tensor([1.0, -2.0, 3.0], dtype=torch.float64)
    slopes = torch.autograd.grad((found * weights).sum(), given)
    for slope, other in zip(slopes, torch.autograd.grad((expected * weights).sum(), given), strict=True):
        torch.testing.assert_close(slope, other)


def test_legal_sequences_never_have_more_than_all_the_mass() -> None:
    left, _ = boundary_log_probs(9, seed=3, sides="left")
    mass = tree_log_mass(left, None, torch.tensor([9, 2, 1]))
    assert (mass <= 1e-9).all()
    assert mass[0] < -1e-3  # some sequences of nine are illegal
    assert abs(mass[2].item()) < 1e-9  # a word alone has one tree


def test_equal_boundaries_count_the_trees() -> None:
    zeros = torch.zeros(1, 8, 8)
    assert math.isclose(tree_log_mass(zeros, None, torch.tensor([8])).exp().item(), 429, rel_tol=1e-5)


@pytest.mark.parametrize("normalization", ["span", "none"])
def test_normalizing_over_trees_needs_probabilities_of_boundaries(normalization: Literal["span", "none"]) -> None:
    with pytest.raises(
        ConfigError, match=f"needs network.scorer.normalization = 'right-boundary', got '{normalization}'"
    ):
        NetworkConfig(
            loss=LossConfig(objective="trees"), scorer=ScorerConfig(target="left", normalization=normalization)
        )
