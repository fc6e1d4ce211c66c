"""The chart behind the exact decoders: all spans of a padded batch, one width after the other.

The best (or the summed) score of a span (i, j) is the maximum (or log-sum) over k of

    [G(i, k) + log P(i|k)] + [G(k, j) + log P_R(j|k)],        G(i, i+1) = 0,

the paper's CKY with the G(i, k) that its printed formula lacks (Wei et al. 2020, sec. 3.4). The first bracket depends
on the left child alone and the second on the right child alone, so each is kept in its own layout, by the end it
shares with the parent: all splits of all spans of one width are then the sum of two views. O(n^3) time and O(n^2)
memory for each sentence.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from spanlin.decoding.greedy import IntArray
from spanlin.decoding.scores import FloatArray

_MANY = 16  # sentences


def sums() -> np.errstate:
    """Return the context in which scores are added: huge negative ones, for "impossible", may well become -inf."""
    return np.errstate(over="ignore")


@dataclass(frozen=True, eq=False)
class Chart:
    """Scores of the spans of a batch, with N the number of words of the longest sentence.

    `spans` [batch, N + 1, N + 1] holds the span (i, i+w) at [b, i, w]. As a left child it stands at [b, i, N-w] of
    `left_children`, as a right child at [b, i+w, w-1] of `right_children`, each [batch, N + 1, N]. A split is known
    by the width of its right child, so that of equal splits the first is the one with the largest k. Splits are to be
    asked for in the context `sums`.
    """

    spans: FloatArray
    left_children: FloatArray
    right_children: FloatArray

    @property
    def max_words(self) -> int:
        """The number of words of the longest sentence."""
        return int(self.left_children.shape[2])

    def split_scores(self, width: int) -> FloatArray:
        """Return [batch, N - width + 1, width - 1]: the splits of each span of this width, by left end."""
        words = self.max_words
        left_children = self.left_children[:, : words - width + 1, words - width + 1 :]
        scores: FloatArray = left_children + self.right_children[:, width:, : width - 1]
        return scores

    def split_scores_of(self, sentences: IntArray, lefts: IntArray, width: int) -> FloatArray:
        """Return [spans, width - 1]: the splits of some spans of this width."""
        left_children = self.left_children[sentences, lefts, self.max_words - width + 1 :]
        scores: FloatArray = left_children + self.right_children[sentences, lefts + width, : width - 1]
        return scores

    def root_scores(self, word_counts: IntArray) -> FloatArray:
        """Return [batch], the score of each sentence's span (0, n)."""
        scores: FloatArray = self.spans[np.arange(len(word_counts)), 0, word_counts]
        return scores


def fill_chart(
    left: npt.NDArray[np.floating] | None,
    right: npt.NDArray[np.floating] | None,
    span_scores: FloatArray | None,
    combine: Callable[[FloatArray], FloatArray],
) -> Chart:
    """Return the chart whose spans `combine` the scores of their splits, along the last axis.

    `left` and `right` are as in BoundaryScores; `span_scores`, [batch, N + 1, N + 1] with the span (i, j) at
    [b, i, j], are added wherever a span is used, so that -inf rules a span out. At least one of the three is given.
    """
    batch_size, words = _sizes(left, right, span_scores)
    chart = Chart(*(_laid_out(np.full((batch_size, words + 1, size), -np.inf)) for size in (words + 1, words, words)))
    left, right = (None if side is None else _laid_out(side) for side in (left, right))
    with sums():
        for width in range(1, words + 1):
            scores = np.zeros((batch_size, words)) if width == 1 else combine(chart.split_scores(width))
            if span_scores is not None:
                scores = scores + span_scores.diagonal(width, 1, 2)
            chart.spans[:, : words - width + 1, width] = scores
            as_left = scores if left is None else scores + left.diagonal(1 - width, 1, 2)
            chart.left_children[:, : words - width + 1, words - width] = as_left
            as_right = scores if right is None else scores + right.diagonal(width - 1, 1, 2)
            chart.right_children[:, width:, width - 1] = as_right
    return chart


def highest(scores: FloatArray) -> FloatArray:
    """Return the maximum along the last axis."""
    result: FloatArray = scores.max(axis=-1)
    return result


def log_sum(scores: FloatArray) -> FloatArray:
    """Return the logarithm of the summed exponentials along the last axis; -inf where all are -inf."""
    shift = scores.max(axis=-1)
    shift[shift == -np.inf] = 0.0
    # In this order in memory NumPy adds up each row by itself, so that no sum depends on what else is in the batch.
    shares = np.ascontiguousarray(scores - shift[..., np.newaxis])
    with np.errstate(divide="ignore"):  # log(0) is the -inf that is wanted
        result: FloatArray = np.log(np.exp(shares, out=shares).sum(axis=-1)) + shift
    return result


def descend(
    chart: Chart, sentences: IntArray, word_counts: IntArray, choose: Callable[[FloatArray], IntArray]
) -> tuple[IntArray, IntArray]:
    """Return the spans by split point of one tree for each item of `sentences`, built from the root down.

    `word_counts` belong to the chart's sentences. `choose` gets the split scores of some spans, [spans, splits], and
    returns [spans], the split to take for each. Both results are [trees, N - 1].
    """
    words = chart.max_words
    lefts = np.zeros((len(sentences), max(words - 1, 0)), dtype=np.int64)
    rights = np.zeros_like(lefts)
    open_widths = np.zeros((len(sentences), words), dtype=np.int64)  # of the span that starts here and is yet unsplit
    open_widths[:, 0] = word_counts[sentences]
    with sums():
        for width in range(words, 1, -1):
            trees, starts = (open_widths == width).nonzero()
            if not trees.size:
                continue
            right_widths = choose(chart.split_scores_of(sentences[trees], starts, width)) + 1
            splits = starts + width - right_widths
            lefts[trees, splits - 1] = starts
            rights[trees, splits - 1] = starts + width
            open_widths[trees, starts] = width - right_widths
            open_widths[trees, splits] = right_widths
    return lefts, rights


def best_split(scores: FloatArray) -> IntArray:
    """Return the best split of each span; of equal ones the largest k, as the paper's argmin rule does."""
    result: IntArray = scores.argmax(axis=-1)
    return result


def chart_marginals(chart: Chart, word_counts: IntArray) -> FloatArray:
    """Return [batch, N + 1, N + 1], the probability of each span (i, j) at [b, i, j], from a chart of log-sums.

    Every root must be possible.
    """
    as_left, as_right = child_marginals(chart, word_counts)
    marginals = as_left + as_right
    marginals[np.arange(len(word_counts)), 0, word_counts] = 1.0
    # Where rounding has gone past certainty.
    return np.minimum(marginals, 1.0, out=marginals)


def child_marginals(chart: Chart, word_counts: IntArray) -> tuple[FloatArray, FloatArray]:
    """Return the probability of each span (i, j) as a left child, and as a right one, each [batch, N + 1, N + 1].

    The probability of the whole sentence is 1, and every span hands its own on to its children in the proportion of
    its splits: the outside pass without logarithms. Every root must be possible.
    """
    batch_size, words = len(word_counts), chart.max_words
    marginals = np.zeros((2, batch_size, words + 1, words + 1))
    as_left = np.zeros_like(chart.left_children)
    as_right = np.zeros_like(chart.right_children)
    with sums():
        for width in range(words, 0, -1):
            starts = np.arange(words - width + 1)
            marginals[0][:, starts, starts + width] = as_left[:, : words - width + 1, words - width]
            marginals[1][:, starts, starts + width] = as_right[:, width:, width - 1]
            if width > 1:
                probs = np.minimum(marginals[:, :, starts, starts + width].sum(axis=0), 1.0)
                probs[word_counts == width, 0] = 1.0
                totals = chart.spans[:, : words - width + 1, width]
                # An impossible span has no probability to hand on; -inf - inf keeps its splits at 0, not NaN.
                totals = np.where(totals == -np.inf, np.inf, totals)
                handed_on = np.exp(chart.split_scores(width) - totals[:, :, np.newaxis]) * probs[:, :, np.newaxis]
                as_left[:, : words - width + 1, words - width + 1 :] += handed_on
                as_right[:, width:, : width - 1] += handed_on
    return marginals[0], marginals[1]


def _laid_out(scores: npt.NDArray[np.floating]) -> FloatArray:
    """Return scores, [batch, ...], in the order in memory that suits the size of the batch.

    Maxima are found several times as fast if the same cells of many sentences lie side by side: a vector of the
    processor then has one of each. For few sentences it is slower.
    """
    if len(scores) < _MANY:
        return np.asarray(scores, dtype=np.float64)
    return np.moveaxis(np.ascontiguousarray(np.moveaxis(scores, 0, -1), dtype=np.float64), -1, 0)


def _sizes(
    left: npt.NDArray[np.floating] | None,
    right: npt.NDArray[np.floating] | None,
    span_scores: FloatArray | None,
) -> tuple[int, int]:
    if span_scores is not None:
        return span_scores.shape[0], span_scores.shape[1] - 1
    side = left if left is not None else right
    assert side is not None
    return side.shape[0], side.shape[1]
