"""Right boundaries as left boundaries of the sentence read backwards, for padded batches.

Split point k becomes n - k and the span (i, j) becomes (n - j, n - i); each function is its own inverse.
"""

from __future__ import annotations

import numpy as np

from spanlin.decoding.greedy import IntArray


def mirror_boundaries(boundaries: IntArray, word_counts: IntArray) -> IntArray:
    """Return left boundaries [batch, max_words] for right ones, or the other way round; 0 in the padding."""
    return _from_the_end(boundaries, word_counts, word_counts)


def mirror_spans(lefts: IntArray, rights: IntArray, word_counts: IntArray) -> tuple[IntArray, IntArray]:
    """Return the spans by split point, each [batch, max_words - 1], of the mirrored trees; 0 in the padding."""
    return (
        _from_the_end(rights, word_counts - 1, word_counts),
        _from_the_end(lefts, word_counts - 1, word_counts),
    )


def _from_the_end(ends: IntArray, lengths: IntArray, word_counts: IntArray) -> IntArray:
    """Return each row's first `lengths` items reversed and measured from the end of the sentence."""
    columns = lengths[:, np.newaxis] - 1 - np.arange(ends.shape[1])
    reversed_ends = np.take_along_axis(ends, np.maximum(columns, 0), axis=1)
    mirrored: IntArray = np.where(columns >= 0, word_counts[:, np.newaxis] - reversed_ends, 0)
    return mirrored
