"""Labelled trees of any arity: the most probable ones by splits and labels together, and how probable each is.

Right binarization turns a labelled tree into one binary tree, in which only right children and words may have the empty
label; and every binary tree labelled so comes from one tree. So the trees of any arity are searched and summed in the
chart of the binary ones. With k the split point of a span (i, j), the score of a tree is

    sum over splits of [log P(i|k) + log P_R(j|k)] / t_splits + sum over spans of log P(label | span) / t_labels,

and its probability is the share of its exponential in the sum over all labelled trees. The temperatures are fitted on
gold trees. O(n^3) time for each sentence, and O(n^2) memory for each rank of its labels.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from spanlin.decoding.chart import Chart, child_marginals, highest, log_sum
from spanlin.decoding.constituents import LabelSet, SpanRules
from spanlin.decoding.greedy import BoolArray, IntArray
from spanlin.decoding.kbest import ranked_trees
from spanlin.decoding.problem import TreeProblem
from spanlin.decoding.scores import BoundaryScores, FloatArray, check_sentence_scores
from spanlin.decoding.tree_roles import Role, all_spans, span_roles
from spanlin.errors import DecodingError
from spanlin.trees.tree import Span


@dataclass(frozen=True, kw_only=True)
class Temperatures:
    """What log-probabilities of splits and labels are divided by, so that trees are as probable as they are right."""

    splits: float = 1.0
    labels: float = 1.0


class LabelledTree(NamedTuple):
    """A binary tree with the numbers of its spans' labels, and the logarithm of its probability.

    Item k-1 of `spans` is the span split at k. `labels` has those of these spans, then those of the words.
    """

    spans: tuple[Span, ...]
    labels: tuple[int, ...]
    log_prob: float


class RankedLabels:
    """The best labels of all spans of a padded batch, for each role that a span may have in a tree.

    `labels` and `scores` are [3, batch, N + 1, N + 1, ranks] with the span (i, j) as a `Role` at [role, b, i, j], best
    first; a score is -inf where fewer labels are allowed. `totals`, without the last axis, is the log-sum over all
    allowed labels, and `shares` the part of it that is of constituents, of which only marginals are made.
    """

    def __init__(self, labels: LabelSet, batch_size: int, words: int, *, ranks: int, with_shares: bool = True) -> None:
        shape = (len(Role), batch_size, words + 1, words + 1)
        self._is_constituent = labels.is_constituent
        self.labels = np.zeros((*shape, min(ranks, len(labels))), dtype=np.int32)
        self.scores = np.full((*shape, min(ranks, len(labels))), -np.inf)
        self.totals = np.full(shape, -np.inf)
        self.shares = np.zeros(shape) if with_shares else None

    def put(
        self, role: Role, at: tuple[IntArray, IntArray, IntArray], scores: npt.NDArray[np.floating], allowed: BoolArray
    ) -> None:
        """Rank the labels of some spans, `at` these sentences, left and right ends; both arrays are [spans, labels]."""
        place = (int(role), *at)
        values: FloatArray = np.where(allowed, scores, -np.inf).astype(np.float64)
        ranks = self.labels.shape[-1]
        if ranks == 1:
            order = values.argmax(axis=1)[:, np.newaxis]
        else:
            order = np.argsort(-values, axis=1, kind="stable")[:, :ranks]
        self.labels[place] = order
        self.scores[place] = np.take_along_axis(values, order, axis=1)
        totals = log_sum(values)
        self.totals[place] = totals
        if self.shares is None:
            return
        # An impossible span is a constituent in no tree.
        totals = np.where(totals == -np.inf, np.inf, totals)
        self.shares[place] = np.exp(log_sum(values[:, self._is_constituent]) - totals)


class LabelledProblem:
    """The labelled trees of a batch, from its scores of boundaries and the ranked labels of all its spans."""

    def __init__(self, scores: BoundaryScores, ranked: RankedLabels, temperatures: Temperatures) -> None:
        self._ranked = ranked
        self._counts = scores.word_counts
        self._scores = BoundaryScores(
            scores.word_counts,
            None if scores.left is None else scores.left / temperatures.splits,
            None if scores.right is None else scores.right / temperatures.splits,
            scores.numbers,
        )
        self._best = self._with_labels(ranked.scores[..., 0])
        self._all = self._with_labels(ranked.totals)

    @classmethod
    def of_sentence(
        cls,
        left_boundary_log_probs: npt.ArrayLike | None,
        right_boundary_log_probs: npt.ArrayLike | None,
        label_log_probs: npt.ArrayLike,
        labels: LabelSet,
        *,
        rules: SpanRules | None = None,
        temperatures: Temperatures | None = None,
    ) -> LabelledProblem:
        """Return the problem of one sentence of n words, with boundaries as `decode` takes them.

        `label_log_probs` is [n + 1, n + 1, labels] with the span (i, j) at [i, j], where cells with i >= j are ignored,
        or [3, n + 1, n + 1, labels] if labels depend on the `Role`.
        """
        scores = check_sentence_scores(left_boundary_log_probs, right_boundary_log_probs)
        words = scores.max_words
        shape = (words + 1, words + 1, len(labels))
        table = np.asarray(label_log_probs, dtype=np.float64)
        if table.shape not in (shape, (len(Role), *shape)):
            raise DecodingError(f"label_log_probs: must be {shape}, or one for each role, not of shape {table.shape}")
        table = np.broadcast_to(table, (len(Role), *shape))
        temperatures = temperatures or Temperatures()
        rules = rules or SpanRules(labels, words)
        ranked = RankedLabels(labels, 1, words, ranks=len(labels))
        lefts, rights = np.triu_indices(words + 1, k=1)
        for role in Role:
            allowed = rules.allowed(lefts, rights, role)
            ranked.put(
                role, (np.zeros_like(lefts), lefts, rights), table[role][lefts, rights] / temperatures.labels, allowed
            )
        return cls(scores, ranked, temperatures)

    def best_trees(self) -> tuple[IntArray, IntArray, IntArray, FloatArray]:
        """Return the most probable labelled tree of each sentence and the logarithm of its probability.

        The ends of its spans by split point, each [batch, N - 1], the labels of these spans and then of its words,
        [batch, 2N - 1], and [batch]. All is 0 in the padding. Of equal trees, the one that splits at the largest k,
        from the root down.
        """
        problem = TreeProblem(self._best)
        lefts, rights = problem.best_trees()
        left_edges, right_edges = all_spans(lefts, rights)
        roles = span_roles(self._counts, lefts, rights)
        sentences = np.arange(len(lefts))[:, np.newaxis]
        labels = self._ranked.labels[roles, sentences, left_edges, right_edges, 0]
        log_probs = self._best.tree_log_probs(lefts, rights) - self.log_partitions
        return lefts, rights, np.where(self._are_spans(), labels, 0), log_probs

    def ranked_trees(self, sentence: int) -> Iterator[LabelledTree]:
        """Yield the labelled trees of a sentence, most probable first, as far as the ranks of labels reach."""
        count = int(self._counts[sentence])
        chart = TreeProblem(self._best.select(np.array([sentence]))).chart(highest)
        total = float(self.log_partitions[sentence])
        for tree in ranked_trees(chart, self._terms(sentence), count):
            lefts, rights = np.array(tree.spans, dtype=np.int64).reshape(1, count - 1, 2).transpose(2, 0, 1)
            left_edges, right_edges = all_spans(lefts, rights)
            roles = span_roles(self._counts[[sentence]], lefts, rights)
            ranks = np.array([(*tree.split_ranks, *tree.word_ranks)])
            labels = self._ranked.labels[roles, sentence, left_edges, right_edges, ranks]
            yield LabelledTree(tree.spans, tuple(labels[0].tolist()), tree.score - total)

    @cached_property
    def log_partitions(self) -> FloatArray:
        """[batch], the logarithm of the sum over all labelled trees."""
        totals = np.zeros(len(self._counts))
        for sentences, scores, chart in self._sums:
            totals[sentences] = chart.root_scores(scores.word_counts) + scores.root_terms()
        return totals

    @cached_property
    def _sums(self) -> list[tuple[IntArray, BoundaryScores, Chart]]:
        """The charts of sums of all sentences, in groups of similar length, for totals and marginals alike."""
        groups = TreeProblem(self._all).groups()
        return [(sentences, part.scores, part.chart(log_sum)) for sentences, part in groups]

    def marginals(self) -> FloatArray:
        """Return [batch, N + 1, N + 1]: how probable a constituent over the words i to j is, whatever its label."""
        shares = self._ranked.shares
        assert shares is not None
        found = np.zeros(self._ranked.totals.shape[1:])
        for sentences, scores, chart in self._sums:
            size = scores.max_words + 1
            sides = child_marginals(chart, scores.word_counts)
            for role, side in zip((Role.LEFT, Role.RIGHT), sides, strict=True):
                found[sentences, :size, :size] += side * shares[role, sentences, :size, :size]
        whole = np.arange(len(found)), np.zeros_like(self._counts), self._counts
        found[whole] = shares[Role.ROOT][whole]
        return np.minimum(found, 1.0)

    def _with_labels(self, labels: FloatArray) -> BoundaryScores:
        """Return the scores of boundaries with those of the labels of the same spans added to them."""
        left = labels[Role.LEFT][:, :-1, 1:].transpose(0, 2, 1)
        right = labels[Role.RIGHT][:, :-1, 1:]
        left = left.copy() if self._scores.left is None else left + self._scores.left
        right = right.copy() if self._scores.right is None else right + self._scores.right
        # The boundaries of the whole sentence are those of every tree; its label is all that counts.
        sentences, ends = np.arange(len(self._counts)), self._counts
        left[sentences, ends - 1, 0] = labels[Role.ROOT, sentences, 0, ends]
        right[sentences, 0, ends - 1] = 0.0
        return BoundaryScores(self._counts, left, right, self._scores.numbers)

    def _terms(self, sentence: int) -> _LabelTerms:
        left, right = (None if side is None else side[sentence] for side in (self._scores.left, self._scores.right))
        return _LabelTerms(left, right, self._ranked.scores[:, sentence])

    def _are_spans(self) -> BoolArray:
        ends = self._counts[:, np.newaxis]
        places = np.arange(self._scores.max_words)
        return np.concatenate([places[1:] < ends, places < ends], axis=1)


class _LabelTerms:
    """What the spans of a sentence add to the score of a tree: boundary and label, the best label first."""

    def __init__(self, left: FloatArray | None, right: FloatArray | None, labels: FloatArray) -> None:
        self._left = left
        self._right = right
        self._labels = labels

    def __call__(self, span: Span, role: Role) -> Sequence[float]:
        boundary = 0.0
        if role is Role.LEFT and self._left is not None:
            boundary = float(self._left[span.right - 1, span.left])
        elif role is Role.RIGHT and self._right is not None:
            boundary = float(self._right[span.left, span.right - 1])
        terms = self._labels[role, span.left, span.right] + boundary
        return [term for term in terms.tolist() if term > -math.inf]
