"""The scores of one sentence that joint decoding adds up, and bounds that say which of them cannot matter.

A tree of any arity is scored as its right binarization is (see `labelled`): a child over the words p to q, in a parent
that ends at j, counts its label, log P(p|q) unless it is the last child, and log P_R(j|p) unless it is the first; where
more than one child is left from p on, the empty label of the span (p, j) counts as well.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from spanlin.decoding.chart import Chart, fill_chart, highest, sums
from spanlin.decoding.constituents import SpanRules
from spanlin.decoding.greedy import BoolArray, IntArray
from spanlin.decoding.scores import FloatArray
from spanlin.decoding.tree_roles import Role

_SLACK = 1e-6  # rounding must not prune what is as good as the best


@dataclass(frozen=True, eq=False)
class JointScores:
    """The scores of a sentence of n words. All but `arcs` are [n + 1, n + 1] with the span (i, j) at [i, j].

    `left`, `right` and `root` are the best labels of a child that is not the last, of a last one and of the whole
    sentence, with the boundary that belongs to it; `empty` is the empty label of a right child. A word may have the
    empty label as any other. `best_labels` is [3, n + 1, n + 1], the number of the label by role. `splits` is log
    P_R(j|i), to be added where a child starts at i. `arcs` is [n, n + 1] as in `ArcScores`.
    """

    left: FloatArray
    right: FloatArray
    root: FloatArray
    empty: FloatArray
    splits: FloatArray
    best_labels: IntArray
    arcs: FloatArray

    @property
    def word_count(self) -> int:
        """The number of words."""
        return len(self.arcs)

    @classmethod
    def of(
        cls,
        boundaries: tuple[FloatArray | None, FloatArray | None],
        label_log_probs: FloatArray,
        rules: SpanRules,
        arcs: FloatArray,
    ) -> JointScores:
        """Return the scores; left and right boundaries are [n, n] or None, labels [3, n + 1, n + 1, labels]."""
        left_log_probs, right_log_probs = boundaries
        size = len(arcs) + 1
        lefts, rights = np.triu_indices(size, k=1)
        is_long = rights - lefts > 1
        best = np.full((len(Role), size, size), -np.inf)
        best_labels = np.zeros((len(Role), size, size), dtype=np.int64)
        empty = np.full((size, size), -np.inf)
        for role in Role:
            values = np.where(rules.allowed(lefts, rights, role), label_log_probs[role, lefts, rights], -np.inf)
            if role is Role.RIGHT:
                empty[lefts, rights] = np.where(is_long, values[:, 0], -np.inf)
            values[is_long, 0] = -np.inf
            best_labels[role, lefts, rights] = values.argmax(axis=1)
            best[role, lefts, rights] = values.max(axis=1)
        splits = np.zeros((size, size))
        if left_log_probs is not None:
            best[Role.LEFT][:-1, 1:] += left_log_probs.T
        if right_log_probs is not None:
            splits[:-1, 1:] = right_log_probs
        return cls(best[Role.LEFT], best[Role.RIGHT], best[Role.ROOT], empty, splits, best_labels, arcs)

    def allowing(self, constituents: BoolArray) -> JointScores:
        """Return the scores with -inf for all other constituents of several words, [n + 1, n + 1]."""
        places = np.arange(self.word_count + 1)
        kept = constituents | (places[np.newaxis] - places[:, np.newaxis] == 1)
        return replace(self, left=np.where(kept, self.left, -np.inf), right=np.where(kept, self.right, -np.inf))

    def tree_chart(self) -> Chart:
        """Return the chart of best trees, whatever the heads; its root lacks the root's label."""
        size = self.word_count + 1
        as_right = np.maximum(self.right, self.empty) + self.splits
        left = self.left.T[1:, :-1].reshape(1, size - 1, size - 1)
        return fill_chart(left, as_right[:-1, 1:].reshape(1, size - 1, size - 1), None, highest)

    def best_tree_score(self, chart: Chart) -> float:
        """Return the score of the best tree of a chart, the root's label included."""
        return float(chart.spans[0, 0, self.word_count] + self.root[0, self.word_count])

    def pruned(self, chart: Chart, best_heads: float, lower_bound: float) -> JointScores:
        """Return the scores without constituents and arcs that no pair as good as the lower bound has.

        The best tree with a constituent and the best heads of all are more than any pair with it; and so are the best
        tree and the best head for each word, with an arc put in.
        """
        best_tree = self.best_tree_score(chart)
        lower_bound -= _SLACK * (1.0 + abs(lower_bound))
        constituents = self._best_with_constituents(chart) + best_heads >= lower_bound
        losses = self.arcs.max(axis=1, keepdims=True) - self.arcs
        kept = best_tree + float(self.arcs.max(axis=1).sum()) - losses >= lower_bound
        return replace(self.allowing(constituents), arcs=np.where(kept, self.arcs, -np.inf))

    def _best_with_constituents(self, chart: Chart) -> FloatArray:
        """Return [n + 1, n + 1], the score of the best tree that has a constituent there, from the root down."""
        words = self.word_count
        found = np.full((words + 1, words + 1), -np.inf)
        as_left, as_right = np.full_like(chart.left_children, -np.inf), np.full_like(chart.right_children, -np.inf)
        for width in range(words, 1, -1):
            starts = np.arange(words - width + 1)
            left_best = as_left[0, : words - width + 1, words - width]
            right_best = as_right[0, width:, width - 1]
            ends = starts + width
            labels, empty = self.right[starts, ends], self.empty[starts, ends]
            is_label = labels > -np.inf
            given_up = np.maximum(empty, np.where(is_label, labels, 0.0)) - np.where(is_label, labels, 0.0)
            found[starts, ends] = np.maximum(left_best, np.where(is_label, right_best - given_up, -np.inf))
            best = np.maximum(left_best, right_best)
            if width == words:
                best = np.array([self.best_tree_score(chart)])
            totals = chart.spans[0, : words - width + 1, width]
            with sums():
                splits = chart.split_scores(width)[0]
            possible = (totals > -np.inf) & (best > -np.inf)
            lost = np.where(possible, totals, 0.0)
            handed_on = np.where(possible, best, -np.inf)[:, np.newaxis] - lost[:, np.newaxis] + splits
            left_view = as_left[0, : words - width + 1, words - width + 1 :]
            right_view = as_right[0, width:, : width - 1]
            np.maximum(left_view, handed_on, out=left_view)
            np.maximum(right_view, handed_on, out=right_view)
        return found
