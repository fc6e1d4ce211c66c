"""What a parser asks of whatever runs its network: arrays in, labelled span arrays out."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from spanlin.runtime.piece_rows import PieceRows

Ints = NDArray[np.int64]
Floats = NDArray[np.float32]


@dataclass(frozen=True, kw_only=True)
class ParseArrays:
    """The greedy trees of a batch by split point, padded; labels and tags are ids."""

    lefts: Ints  # [batch, words - 1]
    rights: Ints  # [batch, words - 1]
    split_labels: Ints  # [batch, words - 1]
    word_labels: Ints  # [batch, words]
    label_log_probs: Floats  # [batch, 2 * words - 1], the split spans first
    tags: Ints  # [batch, words]
    tag_log_probs: Floats  # [batch, words]
    left_log_probs: Floats  # [batch, words, words]: log P(i|j) in row j-1, column i


OUTPUTS = tuple(item.name for item in fields(ParseArrays))
"""What a graph returns, in this order."""


class Backend(Protocol):
    """Runs one network; safe to call from several threads."""

    def run(self, rows: PieceRows, word_counts: Ints) -> ParseArrays:
        """Return the parses of a batch whose sentences have these many words."""
        ...
