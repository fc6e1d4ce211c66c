"""The best projective dependency tree with one root, by Eisner's algorithm over a padded batch.

A word's dependents to the left and to the right are found apart: `open` items reach from a word to its farthest
dependent so far, `whole` ones to the last word below that (Eisner 1996). They are over words alone; the root then picks
the best place to join the two sides of one word. O(n^3) time and O(n^2) memory for each sentence.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from spanlin.decoding.arcs import ArcScores
from spanlin.decoding.greedy import BoolArray, IntArray
from spanlin.decoding.scores import FloatArray, length_groups


def best_projective_trees(scores: ArcScores, sentences: IntArray) -> tuple[IntArray, BoolArray]:
    """Return [sentences, max_words], the heads of some sentences of a batch, and which have a possible tree at all."""
    heads = np.zeros((len(sentences), scores.log_probs.shape[1]), dtype=np.int64)
    possible = np.zeros(len(sentences), dtype=np.bool_)
    for group in length_groups(scores.word_counts[sentences]):
        counts = scores.word_counts[sentences[group]]
        words = int(counts.max())
        charts = _Charts.filled(scores.log_probs[sentences[group], :words, : words + 1])
        for place, row, count in zip(group.tolist(), range(len(group)), counts.tolist(), strict=True):
            root, total = charts.root(row, count)
            possible[place] = total > -np.inf
            if possible[place]:
                charts.collect(row, count, root, heads[place])
    return heads, possible


@dataclass(frozen=True, eq=False)
class _Charts:
    """Items of a batch by their first word and width, [batch, N, N]; `_at_end` the same by their last word.

    `to_right` items have their head first, `to_left` ones last. The splits are where the best items were joined.
    """

    roots: FloatArray
    whole_to_right: FloatArray
    whole_to_left_at_end: FloatArray
    open_splits: IntArray
    right_splits: IntArray
    left_splits: IntArray

    @classmethod
    def filled(cls, log_probs: FloatArray) -> _Charts:
        batch_size, words = log_probs.shape[:2]
        shape = (batch_size, words, words)
        whole_right, whole_right_at_end, whole_left, whole_left_at_end, open_right, open_left_at_end = (
            np.full(shape, -np.inf) for _ in range(6)
        )
        for chart in (whole_right, whole_right_at_end, whole_left, whole_left_at_end):
            chart[:, :, 0] = 0.0
        open_splits, right_splits, left_splits = (np.zeros(shape, dtype=np.int64) for _ in range(3))
        arcs = log_probs[:, :, 1:]
        for width in range(1, words):
            stop = words - width  # first words are [:stop], last words [width:]
            joined = whole_right[:, :stop, :width] + whole_left_at_end[:, width:, width - 1 :: -1]
            open_splits[:, :stop, width] = joined.argmax(axis=2)
            best = joined.max(axis=2)
            open_right[:, :stop, width] = best + arcs.diagonal(-width, 1, 2)  # the last word depends on the first
            open_left_at_end[:, width:, width] = best + arcs.diagonal(width, 1, 2)
            joined = open_right[:, :stop, 1 : width + 1] + whole_right_at_end[:, width:, width - 1 :: -1]
            right_splits[:, :stop, width] = joined.argmax(axis=2)
            whole_right[:, :stop, width] = whole_right_at_end[:, width:, width] = joined.max(axis=2)
            joined = whole_left[:, :stop, :width] + open_left_at_end[:, width:, width:0:-1]
            left_splits[:, :stop, width] = joined.argmax(axis=2)
            whole_left[:, :stop, width] = whole_left_at_end[:, width:, width] = joined.max(axis=2)
        return cls(log_probs[:, :, 0], whole_right, whole_left_at_end, open_splits, right_splits, left_splits)

    def root(self, sentence: int, count: int) -> tuple[int, float]:
        """Return the best root, from 0, and the score of the best tree."""
        words = np.arange(count)
        totals = (
            self.whole_to_left_at_end[sentence, words, words]
            + self.whole_to_right[sentence, words, count - 1 - words]
            + self.roots[sentence, :count]
        )
        best = int(totals.argmax())
        return best, float(totals[best])

    def collect(self, sentence: int, count: int, root: int, heads: IntArray) -> None:
        """Put the heads of the best tree, which count from 1, into `heads`."""
        heads[root] = 0
        waiting = [(0, root, False, True), (root, count - 1, True, True)]
        while waiting:
            first, last, is_right, is_whole = waiting.pop()
            width = last - first
            if not width:
                continue
            if not is_whole:
                heads[last if is_right else first] = (first if is_right else last) + 1
                middle = first + int(self.open_splits[sentence, first, width])
                waiting += [(first, middle, True, True), (middle + 1, last, False, True)]
            elif is_right:
                middle = first + int(self.right_splits[sentence, first, width]) + 1
                waiting += [(first, middle, True, False), (middle, last, True, True)]
            else:
                middle = first + int(self.left_splits[sentence, first, width])
                waiting += [(first, middle, False, True), (middle, last, False, False)]
