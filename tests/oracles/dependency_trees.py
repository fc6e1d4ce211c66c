"""All dependency trees over a few words, found by trying every choice of heads; no algorithm."""

from __future__ import annotations

import itertools
from functools import cache

import numpy as np


def reaches_root(heads: tuple[int, ...], word: int) -> bool:
    for _ in heads:
        word = heads[word - 1]
        if word == 0:
            return True
    return False


def has_crossing_arcs(heads: tuple[int, ...]) -> bool:
    """Whether two arcs cross, with 0 as a place before the first word."""
    arcs = [(min(word, head), max(word, head)) for word, head in enumerate(heads, start=1)]
    return any(a < c < b < d for (a, b), (c, d) in itertools.permutations(arcs, 2))


@cache
def all_dependency_trees(word_count: int) -> tuple[np.ndarray, np.ndarray]:
    """The heads [trees, n] of every tree with one root, and which of them are projective."""
    trees = [
        heads
        for heads in itertools.product(range(word_count + 1), repeat=word_count)
        if heads.count(0) == 1 and all(reaches_root(heads, word) for word in range(1, word_count + 1))
    ]
    return np.array(trees), np.array([not has_crossing_arcs(heads) for heads in trees])


def tree_scores(log_probs: np.ndarray, *, projective: bool = False) -> np.ndarray:
    """The score of every tree under [n, n + 1] scores; -inf for those that are not projective, if they should be."""
    trees, are_projective = all_dependency_trees(len(log_probs))
    scores: np.ndarray = log_probs[np.arange(len(log_probs)), trees].sum(axis=1)
    return np.where(are_projective, scores, -np.inf) if projective else scores


def random_arc_scores(generator: np.random.Generator, word_count: int, kind: str) -> np.ndarray:
    """Scores [n, n + 1]: `plain`, with `ties`, `cyclic` (where neighbours like each other) or with `holes` of -inf."""
    shape = (word_count, word_count + 1)
    if kind == "ties":
        return generator.integers(-2, 1, shape).astype(np.float64)
    scores = generator.normal(0, 3, shape)
    if kind == "cyclic":
        words = np.arange(word_count)
        scores[words, (words ^ 1) % word_count + 1] += 8
    scores -= np.log(np.exp(scores).sum(axis=1, keepdims=True))
    if kind == "holes":
        scores[generator.random(shape) < 0.4] = -np.inf
    return scores
