"""The best tree under scores of its spans alone, as per-span normalization gives them (Teng & Zhang 2018)."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from spanlin.decoding.chart import best_split, descend, fill_chart, highest
from spanlin.decoding.greedy import IntArray, check_word_counts
from spanlin.errors import DecodingError


def best_span_trees(word_counts: npt.ArrayLike, span_scores: npt.ArrayLike) -> tuple[IntArray, IntArray]:
    """Return, by split point, the spans of the trees whose span scores sum to most.

    `span_scores` is [batch, max_words, max_words] with the span (i, j) in row j-1, column i; the padding and the cells
    where i >= j are ignored. Ties go to the largest split, from the root down. O(max_words^3) for each sentence.
    """
    counts = check_word_counts(word_counts)
    scores = np.asarray(span_scores, dtype=np.float64)
    if scores.ndim != 3 or len(scores) != len(counts):
        raise DecodingError(f"span scores of shape {scores.shape} for {len(counts)} sentences: want [batch, n, n]")
    words = scores.shape[1]
    place = np.arange(words)
    is_word = place < counts[:, np.newaxis]
    used = is_word[:, :, np.newaxis] & is_word[:, np.newaxis, :] & (place <= place[:, np.newaxis])
    if np.isnan(scores[used]).any():
        sentence = int((np.isnan(scores) & used).any(axis=(1, 2)).argmax())
        raise DecodingError("a span score is NaN", sentence=sentence)
    table = np.zeros((len(counts), words + 1, words + 1))
    table[:, :-1, 1:] = np.where(used, scores, 0.0).transpose(0, 2, 1)
    chart = fill_chart(None, None, table, highest)
    return descend(chart, np.arange(len(counts)), counts, best_split)
