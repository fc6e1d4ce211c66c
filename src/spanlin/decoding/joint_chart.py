"""The chart of joint decoding: the best tree and heads together, in which every constituent has one head.

A unit is a child of a constituent: a labelled span, or a word. Between the units of one constituent runs a projective
tree of arcs; an arc leads from any word of one unit to the head word of another. As in Eisner's algorithm, the two
sides of a unit are found apart. For a constituent that ends at j,

    R(unit, e)     all units from the end of a unit to e, governed from it or from each other,
    L(unit, k)     the same from k to its start,
    G(k, e, a)     a unit with the head word a and both its sides, from k to e: the best L + F(unit, a) + R,
    F(unit, a)     the best inside of a unit with the head word a: G over exactly its words, of two units or more.

R adds one G after the other to the right, each with the best arc from a word of the unit to its a; L to the left. What
splits count depends on j (see `joint_scores`), so G, L and R are filled anew for each j at which a constituent may end,
from left to right, over the words of the longest such constituent. With u units of m words in all, this takes O(n^5 +
n^3 m) time and O(n^3 + n^2 u) memory, and much less where few long constituents are left. If nothing is ruled out, u is
O(n^2) and m is O(n^3). The n^5 stands for about n^5 / 24 additions, the n^3 m for n^3 m / 6.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from spanlin.decoding.greedy import IntArray
from spanlin.decoding.joint_scores import JointScores
from spanlin.decoding.joint_tables import EndTables
from spanlin.decoding.scores import FloatArray
from spanlin.trees.tree import Span

_MOST_KEPT = 8_000_000  # numbers, of the tables that are not filled again


@dataclass
class JointTree:
    """The constituents of several words, the head of each word, counted from 1, and their score together."""

    heads: IntArray
    score: float
    constituents: set[Span] = field(default_factory=set)


class JointChart:
    """The chart of one sentence of at least two words."""

    def __init__(self, scores: JointScores) -> None:
        count = scores.word_count
        lefts, rights = np.triu_indices(count + 1, k=1)
        usable = (np.maximum(scores.left, scores.right)[lefts, rights] > -np.inf) | (rights - lefts == 1)
        lefts, rights = lefts[usable], rights[usable]
        self._units = lefts, rights
        self._scores = scores
        # By the right end of constituents, the left end of the longest one.
        self._firsts = {count: 0}
        for left, right in zip(lefts.tolist(), rights.tolist(), strict=True):
            if right - left > 1:
                self._firsts[right] = min(left, self._firsts.get(right, left))
        self._kept: dict[int, EndTables] = {}
        kept = 0
        # F by the ends of a unit and its head word, [n + 1, n + 1, n]; found as the chart is filled.
        self._inside = np.full((count + 1, count + 1, count), -np.inf)
        words = np.arange(count)
        self._inside[words, words + 1, words] = 0.0
        for end in sorted(self._firsts):
            tables = self._tables(end)
            kept += tables.size
            if kept <= _MOST_KEPT:  # to keep them all would take O(n^4) memory
                self._kept[end] = tables

    def _tables(self, end: int) -> EndTables:
        return EndTables(self._scores, self._units, self._inside, Span(self._firsts[end], end))

    def best_score(self) -> float:
        """Return the score of the best pair; -inf if all are impossible."""
        return float(self._root_scores().max())

    def _root_scores(self) -> FloatArray:
        """Return [n], the score of the best pair with each word as the root."""
        count = self._scores.word_count
        scores: FloatArray = self._inside[0, count] + self._scores.arcs[:, 0] + self._scores.root[0, count]
        return scores

    def best(self) -> JointTree | None:
        """Return the best pair, or None if all are impossible."""
        count = self._scores.word_count
        root = int(self._root_scores().argmax())
        score = self.best_score()
        if score == -np.inf:
            return None
        tree = JointTree(np.zeros(count, dtype=np.int64), score)
        tables = self._kept
        waiting = [(Span(0, count), root)]
        while waiting:
            span, head = waiting.pop()
            tree.constituents.add(span)
            if span.right not in tables:
                tables[span.right] = self._tables(span.right)
            units = tables[span.right].units_of(span, head, tree.heads)
            waiting += [(unit, word) for unit, word in units if unit.right - unit.left > 1]
        return tree
