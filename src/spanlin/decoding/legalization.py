"""Minimum-change legalisation: the trees whose boundaries differ least from an illegal sequence.

The paper takes this for NP-hard (Wei et al. 2020, sec. 2). It is not: the spans (d_j, j) are intervals, to keep as many
as possible that do not cross is a maximum independent set of a circle graph, and the chart with score 1 for
each split that agrees with the sequence finds it in O(n^3).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from spanlin.decoding.constraints import SpanConstraints
from spanlin.decoding.greedy import IntArray, check_boundaries, check_sequence
from spanlin.decoding.problem import TreeProblem
from spanlin.decoding.results import TreeBatch
from spanlin.decoding.scores import BoundaryScores, FloatArray
from spanlin.trees.tree import Span


@dataclass(frozen=True)
class LegalizedTree:
    """A tree nearest to a sequence, and how many of the sequence's items it changes.

    Item k-1 of `spans` is the span split at k; their left ends and a final 0 are the legal sequence.
    """

    spans: tuple[Span, ...]
    changed_count: int


def legalize(left_boundaries: Sequence[int], *, constraints: SpanConstraints | None = None) -> LegalizedTree:
    """Return a tree that changes the fewest left boundaries, of all trees that obey the constraints.

    Of several, the one that splits at the largest k, from the root down. A legal sequence comes back unchanged.

    >>> legalize((0, 0, 1, 0)).changed_count
    1
    """
    check_sequence(left_boundaries)
    wanted = None if constraints is None else [constraints]
    batch = _legalize(np.array([left_boundaries]), np.array([len(left_boundaries)]), None, wanted)
    assert batch.changed_counts is not None
    return LegalizedTree(batch.spans(0), int(batch.changed_counts[0]))


def legalize_batch(
    left_boundaries: npt.ArrayLike,
    word_counts: npt.ArrayLike,
    *,
    constraints: Sequence[SpanConstraints | None] | None = None,
) -> TreeBatch:
    """Return what `legalize` returns for each sequence, [batch, max_words], of a padded batch."""
    boundaries, counts = check_boundaries(left_boundaries, word_counts)
    return _legalize(boundaries, counts, np.arange(len(counts)), constraints)


def _legalize(
    boundaries: IntArray,
    counts: IntArray,
    numbers: IntArray | None,
    constraints: Sequence[SpanConstraints | None] | None,
) -> TreeBatch:
    problem = TreeProblem.of_scores(BoundaryScores(counts, agreement_scores(boundaries), None, numbers), constraints)
    lefts, rights = problem.best_trees()
    inner = np.arange(1, boundaries.shape[1]) < counts[:, np.newaxis]
    changed = ((boundaries[:, :-1] != lefts) & inner).sum(axis=1)
    changed += boundaries[np.arange(len(counts)), counts - 1] != 0
    return TreeBatch(lefts, rights, counts, changed == 0, changed_counts=changed)


def agreement_scores(columns: IntArray) -> FloatArray:
    """Return [batch, rows, rows] from [batch, rows]: 1 in the column that the sequence names in each row, else 0."""
    scores: FloatArray = (columns[:, :, np.newaxis] == np.arange(columns.shape[1])).astype(np.float64)
    return scores
