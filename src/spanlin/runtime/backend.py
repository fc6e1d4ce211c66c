"""What a parser asks of whatever runs its network: arrays in, labelled span arrays out."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol, TypeAlias

import numpy as np
from numpy.typing import NDArray

from spanlin.runtime.piece_rows import PieceRows

Ints = NDArray[np.int64]

INPUTS = ("pieces", "piece_counts", "first_pieces", "last_pieces", "word_counts")
"""What a graph takes, in this order: see `PieceRows`."""

TREE = ("lefts", "rights", "split_labels", "word_labels", "tags")
"""The greedy trees of a batch by split point, padded: [batch, words - 1] three times, then [batch, words] twice."""

CONFIDENCE = ("span_log_probs", "label_log_probs", "tag_log_probs")
"""How sure the network is of each span of the trees and of its label, [batch, 2 * words - 1], the split spans first;
and of each tag, [batch, words]."""

SCORES = ("left_log_probs", "right_log_probs")
"""Log P(i|j) in row j-1 and column i, and log P(j|i) in row i and column j-1, [batch, words, words]; a network has
one of them or both."""

Arrays: TypeAlias = dict[str, NDArray[Any]]


class Backend(Protocol):
    """Runs one network; safe to call from several threads."""

    batch_tokens: int
    """How many pieces, padding included, run best together."""
    multiple: int
    """Widths of batches are multiples of this."""
    chunk: int
    """How many sentences to sort by length together."""

    def run(self, rows: PieceRows, word_counts: Ints, outputs: Sequence[str] = TREE) -> Arrays:
        """Return the outputs asked for, of a batch whose sentences have these many words."""
        ...
