"""The k most probable trees, exactly, found one after the other (Huang & Chiang 2005, Algorithm 3).

Each span keeps its best subtrees so far and a heap of candidates for the next one. A subtree is a split and the ranks
of its two children in their own lists; it brings in the candidates one rank further on. Nothing is computed for spans
or ranks that no asked-for tree needs.
"""

from __future__ import annotations

import heapq
import math
from collections.abc import Iterator
from itertools import islice
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from spanlin.decoding.chart import Chart, highest
from spanlin.decoding.constraints import Constraints
from spanlin.decoding.problem import TreeProblem
from spanlin.decoding.results import ScoredTree
from spanlin.decoding.scores import BoundaryScores
from spanlin.errors import DecodingError
from spanlin.trees.tree import Span


def k_best_trees(
    left_boundary_log_probs: npt.ArrayLike | None = None,
    right_boundary_log_probs: npt.ArrayLike | None = None,
    *,
    count: int,
    constraints: Constraints | None = None,
) -> tuple[ScoredTree, ...]:
    """Return the `count` most probable trees of one sentence, best first, or all if there are fewer.

    Trees of probability zero are left out. Of equal trees the order is always the same.
    """
    if count < 0:
        raise DecodingError(f"cannot find the {count} best trees: the count must not be negative")
    trees = best_trees(left_boundary_log_probs, right_boundary_log_probs, constraints=constraints)
    return tuple(islice(trees, count))


def best_trees(
    left_boundary_log_probs: npt.ArrayLike | None = None,
    right_boundary_log_probs: npt.ArrayLike | None = None,
    *,
    constraints: Constraints | None = None,
) -> Iterator[ScoredTree]:
    """Return an iterator over all possible trees of one sentence, best first, that works only as it is read."""
    problem = TreeProblem.of_sentence(left_boundary_log_probs, right_boundary_log_probs, constraints)
    forest = _Forest(problem.chart(highest), problem.scores)
    return forest.trees(Span(0, problem.scores.max_words), float(problem.scores.root_terms()[0]))


class _Subtree(NamedTuple):
    """A subtree, in the order of the heap: best first, then the largest split, then the lowest ranks.

    Its split is known by the width of its right child.
    """

    cost: float
    right_width: int
    left_rank: int
    right_rank: int


_WORD = _Subtree(0.0, 0, 0, 0)


class _Forest:
    """The subtrees of each span found so far, and the candidates for the next one. Nothing recurses."""

    def __init__(self, chart: Chart, scores: BoundaryScores) -> None:
        self._chart = chart
        self._left = None if scores.left is None else scores.left[0]
        self._right = None if scores.right is None else scores.right[0]
        self._found: dict[Span, list[_Subtree]] = {}
        self._candidates: dict[Span, list[_Subtree]] = {}
        self._exhausted: set[Span] = set()

    def trees(self, root: Span, root_term: float) -> Iterator[ScoredTree]:
        """Yield the trees over the span, best first."""
        rank = 0
        while self._find(root, rank):
            yield ScoredTree(self._spans(root, rank), root_term - self._found[root][rank].cost)
            rank += 1

    def _find(self, root: Span, root_rank: int) -> bool:
        """Find the subtrees of a span up to the rank; tell whether there are so many."""
        tasks = [(root, root_rank)]
        while tasks:
            span, rank = tasks[-1]
            if self._settled(span, rank):
                tasks.pop()
                continue
            # How the last subtree goes on depends on whether its children have another subtree each.
            last = self._found[span][-1]
            left, right = _children(span, last.right_width)
            wanted = [(right, last.right_rank + 1)]
            if last.right_rank == 0:  # else the same candidate would come in by two ways
                wanted.append((left, last.left_rank + 1))
            unsettled = [child for child in wanted if not self._settled(*child)]
            if unsettled:
                tasks.extend(unsettled)
                continue
            for child, child_rank in wanted:
                if child_rank < len(self._found[child]):
                    ranks = (child_rank, last.right_rank) if child == left else (last.left_rank, child_rank)
                    self._add_candidate(span, last.right_width, *ranks)
            self._take_best(span)
        return root_rank < len(self._found[root])

    def _settled(self, span: Span, rank: int) -> bool:
        """Tell whether it is known if the span has a subtree of this rank."""
        if span not in self._found:
            self._open(span)
        return rank < len(self._found[span]) or span in self._exhausted

    def _subtree(self, span: Span, rank: int) -> _Subtree:
        """Return a subtree that is known to exist; the best ones may not have been looked at yet."""
        if span not in self._found:
            self._open(span)
        return self._found[span][rank]

    def _open(self, span: Span) -> None:
        """Make the best subtree of each split a candidate, and find the best of them."""
        width = span.right - span.left
        self._found[span] = []
        if width == 1:
            self._found[span].append(_WORD)
            self._exhausted.add(span)
            return
        split_scores = self._chart.split_scores_of(np.array([0]), np.array([span.left]), width)[0]
        self._candidates[span] = [
            _Subtree(-score, right_width, 0, 0)
            for right_width, score in enumerate(split_scores.tolist(), start=1)
            if score > -math.inf
        ]
        heapq.heapify(self._candidates[span])
        self._take_best(span)

    def _take_best(self, span: Span) -> None:
        if self._candidates[span]:
            self._found[span].append(heapq.heappop(self._candidates[span]))
        else:
            self._exhausted.add(span)

    def _add_candidate(self, span: Span, right_width: int, left_rank: int, right_rank: int) -> None:
        left, right = _children(span, right_width)
        # Added up as the chart does, so that equal trees tie here too.
        as_left = -self._subtree(left, left_rank).cost
        if self._left is not None:
            as_left += float(self._left[left.right - 1, left.left])
        as_right = -self._subtree(right, right_rank).cost
        if self._right is not None:
            as_right += float(self._right[right.left, right.right - 1])
        if as_left + as_right > -math.inf:
            candidate = _Subtree(-(as_left + as_right), right_width, left_rank, right_rank)
            heapq.heappush(self._candidates[span], candidate)

    def _spans(self, root: Span, root_rank: int) -> tuple[Span, ...]:
        """Return the spans of a subtree by split point."""
        by_split = [root] * (root.right - root.left - 1)
        stack = [(root, root_rank)]
        while stack:
            span, rank = stack.pop()
            if span.right - span.left > 1:
                subtree = self._subtree(span, rank)
                left, right = _children(span, subtree.right_width)
                by_split[right.left - root.left - 1] = span
                stack += [(left, subtree.left_rank), (right, subtree.right_rank)]
        return tuple(by_split)


def _children(span: Span, right_width: int) -> tuple[Span, Span]:
    split_point = span.right - right_width
    return Span(span.left, split_point), Span(split_point, span.right)
