"""Exact samples from the distribution over trees."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from spanlin.decoding.chart import descend, log_sum
from spanlin.decoding.constraints import SpanConstraints
from spanlin.decoding.greedy import IntArray
from spanlin.decoding.problem import TreeProblem
from spanlin.decoding.results import TreeBatch
from spanlin.decoding.scores import FloatArray
from spanlin.errors import DecodingError


def sample_trees(
    left_boundary_log_probs: npt.ArrayLike | None = None,
    right_boundary_log_probs: npt.ArrayLike | None = None,
    *,
    count: int,
    generator: np.random.Generator,
    constraints: SpanConstraints | None = None,
) -> TreeBatch:
    """Return `count` independent trees of one sentence, each drawn with its share of the partition function.

    The chart of log-sums gives every span's distribution over its splits; trees are drawn from the root down. O(n^3)
    for the chart, and up to O(n^2) for each tree. The same generator state gives the same trees.
    """
    if count < 0:
        raise DecodingError(f"cannot draw {count} trees: the count must not be negative")
    problem = TreeProblem.of_sentence(left_boundary_log_probs, right_boundary_log_probs, constraints)
    scores = problem.scores

    def draw(split_scores: FloatArray) -> IntArray:
        weights = np.exp(split_scores - split_scores.max(axis=1, keepdims=True)).cumsum(axis=1)
        # A threshold above 0 never falls to a split of weight 0, and one up to the total is always reached.
        thresholds = (1.0 - generator.random(len(weights))) * weights[:, -1]
        choice: IntArray = (weights >= thresholds[:, np.newaxis]).argmax(axis=1)
        return choice

    sentences = np.zeros(count, dtype=np.int64)
    lefts, rights = descend(problem.chart(log_sum), sentences, scores.word_counts, draw)
    certified = np.zeros(count, dtype=np.bool_)
    log_probs = scores.tree_log_probs(lefts, rights)
    return TreeBatch(lefts, rights, scores.word_counts[sentences], certified, log_probs)
