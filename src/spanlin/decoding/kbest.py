"""The k best trees of one sentence, found lazily (Huang & Chiang 2005, "Better k-best parsing", algorithm 3).

A subtree of a span takes a split, one of the ranked subtrees of each child and one of the ranked labels of the span
itself. A combination becomes a candidate once a neighbour that is at least as good has been taken. Only the subtrees
that the asked-for trees need are ever built: the chart costs O(n^3), and each further tree up to O(n^2 log n).
"""

from __future__ import annotations

import heapq
import math
from collections.abc import Iterator, Sequence
from itertools import islice
from typing import NamedTuple, Protocol

import numpy as np
import numpy.typing as npt

from spanlin.decoding.chart import Chart, highest, sums
from spanlin.decoding.constraints import SpanConstraints
from spanlin.decoding.problem import TreeProblem
from spanlin.decoding.results import ScoredTree
from spanlin.decoding.scores import BoundaryScores
from spanlin.decoding.tree_roles import Role
from spanlin.errors import DecodingError
from spanlin.trees.tree import Span


def k_best_trees(
    left_boundary_log_probs: npt.ArrayLike | None = None,
    right_boundary_log_probs: npt.ArrayLike | None = None,
    *,
    count: int,
    constraints: SpanConstraints | None = None,
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
    constraints: SpanConstraints | None = None,
) -> Iterator[ScoredTree]:
    """Return an iterator over all possible trees of one sentence, best first, that works only as it is read."""
    problem = TreeProblem.of_sentence(left_boundary_log_probs, right_boundary_log_probs, constraints)
    found = ranked_trees(problem.chart(highest), _BoundaryTerms(problem.scores), problem.scores.max_words)
    return (ScoredTree(tree.spans, tree.score) for tree in found)


class SpanTerms(Protocol):
    """What a span adds to the score of a tree by itself."""

    def __call__(self, span: Span, role: Role) -> Sequence[float]:
        """Return its possible terms, one for each of its labels, best first; none is -inf."""
        ...


class RankedTree(NamedTuple):
    """A binary tree, its score, and the rank of the term that each span has in it.

    Item k-1 of `spans` and `split_ranks` is for the span split at k, item i of `word_ranks` for word i.
    """

    spans: tuple[Span, ...]
    split_ranks: tuple[int, ...]
    word_ranks: tuple[int, ...]
    score: float


def ranked_trees(chart: Chart, terms: SpanTerms, word_count: int) -> Iterator[RankedTree]:
    """Yield all trees of the chart's only sentence, best first; the chart's maxima are over the same terms."""
    forest = _Forest(chart, terms)
    root = _Item(Span(0, word_count), Role.ROOT)
    rank = 0
    while forest.find(root, rank):
        yield forest.tree(root, rank)
        rank += 1


class _BoundaryTerms:
    """The terms of trees without labels: one for each span, from the boundaries."""

    def __init__(self, scores: BoundaryScores) -> None:
        self._left = None if scores.left is None else scores.left[0]
        self._right = None if scores.right is None else scores.right[0]
        self._root = float(scores.root_terms()[0])

    def __call__(self, span: Span, role: Role) -> Sequence[float]:
        if role is Role.ROOT:
            term = self._root
        elif role is Role.LEFT:
            term = 0.0 if self._left is None else float(self._left[span.right - 1, span.left])
        else:
            term = 0.0 if self._right is None else float(self._right[span.left, span.right - 1])
        return (term,) if term > -math.inf else ()


class _Item(NamedTuple):
    """A span in a role: what subtrees are ranked for."""

    span: Span
    role: Role

    def children(self, right_width: int) -> tuple[_Item, _Item]:
        split_point = self.span.right - right_width
        left, right = Span(self.span.left, split_point), Span(split_point, self.span.right)
        return _Item(left, Role.LEFT), _Item(right, Role.RIGHT)


class _Subtree(NamedTuple):
    """A subtree, in the order of the heap: best first, then the largest split, then the lowest ranks.

    Its split is known by the width of its right child, 0 for a word.
    """

    cost: float
    right_width: int
    left_rank: int
    right_rank: int
    term_rank: int


class _Forest:
    """The subtrees of each item found so far, and the candidates for the next one. Nothing recurses."""

    def __init__(self, chart: Chart, terms: SpanTerms) -> None:
        self._chart = chart
        self._all_terms = terms
        self._terms: dict[_Item, Sequence[float]] = {}
        self._found: dict[_Item, list[_Subtree]] = {}
        self._candidates: dict[_Item, list[_Subtree]] = {}
        self._exhausted: set[_Item] = set()

    def find(self, root: _Item, root_rank: int) -> bool:
        """Find the subtrees of an item up to the rank; return whether there are that many."""
        tasks = [(root, root_rank)]
        while tasks:
            item, rank = tasks[-1]
            if self._settled(item, rank):
                tasks.pop()
                continue
            # What follows the last subtree depends on whether its children have another subtree each.
            last = self._found[item][-1]
            left, right = item.children(last.right_width)
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
                    self._add_candidate(item, last.right_width, *ranks, last.term_rank)
            if last.left_rank == last.right_rank == 0 and last.term_rank + 1 < len(self._terms[item]):
                self._add_candidate(item, last.right_width, 0, 0, last.term_rank + 1)
            self._take_best(item)
        return root_rank < len(self._found[root])

    def _settled(self, item: _Item, rank: int) -> bool:
        """Tell whether it is known if the item has a subtree of this rank."""
        if item not in self._found:
            self._open(item)
        return rank < len(self._found[item]) or item in self._exhausted

    def _subtree(self, item: _Item, rank: int) -> _Subtree:
        """Return a subtree that is known to exist; the best ones may not have been looked at yet."""
        if item not in self._found:
            self._open(item)
        return self._found[item][rank]

    def _open(self, item: _Item) -> None:
        """Make the best subtree of each split a candidate, and find the best of them."""
        (left, right), role = item
        terms = self._terms[item] = self._all_terms(item.span, role)
        if right - left == 1:
            self._found[item] = [_Subtree(-term, 0, 0, 0, rank) for rank, term in enumerate(terms)]
            self._exhausted.add(item)
            return
        self._found[item] = []
        with sums():
            split_scores = self._chart.split_scores_of(np.array([0]), np.array([left]), right - left)[0]
        self._candidates[item] = [
            _Subtree(-(score + terms[0]), right_width, 0, 0, 0)
            for right_width, score in enumerate(split_scores.tolist(), start=1)
            if terms and score > -math.inf
        ]
        heapq.heapify(self._candidates[item])
        self._take_best(item)

    def _take_best(self, item: _Item) -> None:
        if self._candidates[item]:
            self._found[item].append(heapq.heappop(self._candidates[item]))
        else:
            self._exhausted.add(item)

    def _add_candidate(self, item: _Item, right_width: int, left_rank: int, right_rank: int, term_rank: int) -> None:
        left, right = item.children(right_width)
        # Added up as the chart does, so that equal trees tie here too.
        score = -self._subtree(left, left_rank).cost - self._subtree(right, right_rank).cost
        score += self._terms[item][term_rank]
        if score > -math.inf:
            heapq.heappush(self._candidates[item], _Subtree(-score, right_width, left_rank, right_rank, term_rank))

    def tree(self, root: _Item, root_rank: int) -> RankedTree:
        """Return a subtree that has been found, by split point and word."""
        first = root.span.left
        width = root.span.right - first
        spans = [root.span] * (width - 1)
        split_ranks, word_ranks = [0] * (width - 1), [0] * width
        stack = [(root, root_rank)]
        while stack:
            item, rank = stack.pop()
            subtree = self._subtree(item, rank)
            if not subtree.right_width:
                word_ranks[item.span.left - first] = subtree.term_rank
                continue
            left, right = item.children(subtree.right_width)
            spans[right.span.left - first - 1] = item.span
            split_ranks[right.span.left - first - 1] = subtree.term_rank
            stack += [(left, subtree.left_rank), (right, subtree.right_rank)]
        score = -self._found[root][root_rank].cost
        return RankedTree(tuple(spans), tuple(split_ranks), tuple(word_ranks), score)
