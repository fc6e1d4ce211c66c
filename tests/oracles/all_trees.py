"""Slow, obvious twins of the decoders: every rule as the paper prints it, every optimum by looking at all trees."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import cache

import numpy as np

from spanlin.trees.tree import Span


@cache
def all_trees(word_count: int) -> tuple[tuple[Span, ...], ...]:
    """All binary trees over so many words; item k-1 of each is the span split at k."""

    def over(left: int, right: int) -> list[dict[int, Span]]:
        if right - left == 1:
            return [{}]
        return [
            {**one, k: Span(left, right), **two}
            for k in range(left + 1, right)
            for one in over(left, k)
            for two in over(k, right)
        ]

    return tuple(tuple(tree[k] for k in range(1, word_count)) for tree in over(0, word_count))


@cache
def all_tree_arrays(word_count: int) -> tuple[np.ndarray, np.ndarray]:
    """The left and right ends of `all_trees`, each [trees, n - 1]."""
    ends = np.array(all_trees(word_count), dtype=np.int64).reshape(len(all_trees(word_count)), word_count - 1, 2)
    return ends[:, :, 0], ends[:, :, 1]


def all_tree_log_probs(left: np.ndarray | None, right: np.ndarray | None, word_count: int) -> np.ndarray:
    """The log-probabilities [..., trees] of `all_trees` under scores [..., n, n], the root's terms included."""
    lefts, rights = all_tree_arrays(word_count)
    splits = np.arange(1, word_count)
    total: np.ndarray = np.zeros(len(lefts))
    if left is not None:
        total = total + left[..., splits - 1, lefts].sum(axis=-1) + left[..., -1, :1]
    if right is not None:
        total = total + right[..., splits, rights - 1].sum(axis=-1) + right[..., 0, -1:]
    return total


@cache
def all_tree_membership(word_count: int) -> np.ndarray:
    """Whether a tree has a span, [trees, n + 1, n + 1], one-word spans included."""
    lefts, rights = all_tree_arrays(word_count)
    membership = np.zeros((len(lefts), word_count + 1, word_count + 1), dtype=bool)
    membership[np.arange(len(lefts))[:, np.newaxis], lefts, rights] = True
    membership[:, np.arange(word_count), np.arange(1, word_count + 1)] = True
    return membership


def log_sum_exp(values: np.ndarray) -> np.ndarray:
    highest = values.max(axis=-1, keepdims=True)
    sums: np.ndarray = np.log(np.exp(values - highest).sum(axis=-1)) + highest[..., 0]
    return sums


def obeys(tree: Iterable[Span], word_count: int, required: Iterable[Span], forbidden: Iterable[Span]) -> bool:
    spans = set(tree) | {Span(i, i + 1) for i in range(word_count)}
    return spans.issuperset(required) and spans.isdisjoint(forbidden)


Choice = Callable[[Sequence[int], int, int], int]


def strict_choice(d: Sequence[int], i: int, j: int) -> int:
    """Algorithm 2, line 5; an empty maximum is a ValueError."""
    return max(k for k in range(i + 1, j) if d[k - 1] == i)


def largest_choice(d: Sequence[int], i: int, j: int) -> int:
    return max(k for k in range(i + 1, j) if d[k - 1] <= i)


def argmin_choice(d: Sequence[int], i: int, j: int) -> int:
    smallest = min(d[k - 1] for k in range(i + 1, j))
    return max(k for k in range(i + 1, j) if d[k - 1] == smallest)


CHOICES: dict[str, Choice] = {"strict": strict_choice, "largest": largest_choice, "argmin": argmin_choice}


def recursive_tree(left_boundaries: Sequence[int], choose: Choice) -> tuple[Span, ...]:
    """Algorithm 2 with its line 5 replaced by `choose`."""
    by_split: dict[int, Span] = {}

    def visit(i: int, j: int) -> None:
        if j - i > 1:
            k = choose(left_boundaries, i, j)
            by_split[k] = Span(i, j)
            visit(i, k)
            visit(k, j)

    visit(0, len(left_boundaries))
    return tuple(by_split[k] for k in range(1, len(left_boundaries)))


def mirrored_tree(tree: Sequence[Span], word_count: int) -> tuple[Span, ...]:
    """The tree of the sentence read backwards."""
    return tuple(Span(word_count - right, word_count - left) for left, right in reversed(tree))
