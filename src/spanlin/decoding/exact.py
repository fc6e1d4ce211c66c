"""Exact sums over all binary trees: the partition function, span marginals, and the minimum-risk tree they give.

Each sentence costs O(n^3) time and O(n^2) memory; a batch may mix lengths freely.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from spanlin.decoding.chart import chart_marginals, fill_chart, highest, log_sum
from spanlin.decoding.constraints import SpanConstraints
from spanlin.decoding.greedy import IntArray
from spanlin.decoding.problem import TreeProblem, best_trees_in
from spanlin.decoding.scores import FloatArray

# Marginals are rounded to this before the minimum-risk chart adds them up. Sums are then exact, so trees that are
# equally good tie, and the tie-break, not the rounding noise of one batch or another, decides between them.
_MARGINAL_UNIT = 2.0**-40


def log_partition(
    left_boundary_log_probs: npt.ArrayLike | None = None,
    right_boundary_log_probs: npt.ArrayLike | None = None,
    *,
    constraints: SpanConstraints | None = None,
) -> float:
    """Return the logarithm of the summed probabilities of all trees that obey the constraints.

    The root's terms are included, as they are in tree log-probabilities: their difference is a normalised one.
    """
    problem = TreeProblem.of_sentence(left_boundary_log_probs, right_boundary_log_probs, constraints)
    return float(_log_partitions(problem)[0])


def log_partition_batch(
    word_counts: npt.ArrayLike,
    left_boundary_log_probs: npt.ArrayLike | None = None,
    right_boundary_log_probs: npt.ArrayLike | None = None,
    *,
    constraints: Sequence[SpanConstraints | None] | None = None,
) -> FloatArray:
    """Return [batch], what `log_partition` returns for each sentence of a padded batch."""
    return _log_partitions(
        TreeProblem.of_batch(word_counts, left_boundary_log_probs, right_boundary_log_probs, constraints)
    )


def span_marginals(
    left_boundary_log_probs: npt.ArrayLike | None = None,
    right_boundary_log_probs: npt.ArrayLike | None = None,
    *,
    constraints: SpanConstraints | None = None,
) -> FloatArray:
    """Return [n + 1, n + 1], the probability at [i, j] that a tree that obeys the constraints has the span (i, j).

    Trees are as probable as their share of the partition function says. All cells sum to 2n - 1, the number of
    spans of a tree, words included.
    """
    problem = TreeProblem.of_sentence(left_boundary_log_probs, right_boundary_log_probs, constraints)
    marginals: FloatArray = _marginals(problem)[0]
    return marginals


def span_marginals_batch(
    word_counts: npt.ArrayLike,
    left_boundary_log_probs: npt.ArrayLike | None = None,
    right_boundary_log_probs: npt.ArrayLike | None = None,
    *,
    constraints: Sequence[SpanConstraints | None] | None = None,
) -> FloatArray:
    """Return [batch, max_words + 1, max_words + 1], what `span_marginals` returns for each; 0 in the padding."""
    problem = TreeProblem.of_batch(word_counts, left_boundary_log_probs, right_boundary_log_probs, constraints)
    words = problem.scores.max_words
    marginals = np.zeros((len(problem.scores.word_counts), words + 1, words + 1))
    for sentences, part in problem.groups():
        size = part.scores.max_words + 1
        marginals[sentences, :size, :size] = _marginals(part)
    return marginals


def minimum_risk_trees(problem: TreeProblem) -> tuple[IntArray, IntArray]:
    """Return the spans by split point of the trees whose span marginals sum to most.

    They have the fewest spans too many and too few in expectation. Ties go to the largest split, from the root down.
    Such a tree may itself have probability zero.
    """
    return problem.solve_in_groups(_minimum_risk)


def _log_partitions(problem: TreeProblem) -> FloatArray:
    totals = np.zeros(len(problem.scores.word_counts))
    for sentences, part in problem.groups():
        totals[sentences] = part.chart(log_sum).root_scores(part.scores.word_counts) + part.scores.root_terms()
    return totals


def _marginals(part: TreeProblem) -> FloatArray:
    return chart_marginals(part.chart(log_sum), part.scores.word_counts)


def _minimum_risk(part: TreeProblem) -> tuple[IntArray, IntArray]:
    span_scores = np.rint(_marginals(part) / _MARGINAL_UNIT) * _MARGINAL_UNIT
    if part.masks is not None:  # by construction, not because a ruled-out span's marginal is 0: others may be 0 too
        span_scores += part.masks.span_scores()
    return best_trees_in(fill_chart(None, None, span_scores, highest), part.scores.word_counts)
