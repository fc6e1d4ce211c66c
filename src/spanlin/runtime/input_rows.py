"""What a network takes of sentences, whatever it knows words by: features of words, then padded rows of a batch."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

IntArray = NDArray[np.int64]

PIECE_INPUTS = ("pieces", "piece_counts", "first_pieces", "last_pieces")
"""What a network over a pretrained encoder takes, in this order: see `PieceRows`."""

LEXICAL_INPUTS = ("words", "vectors", "spellings", "spelling_lengths", "spelling_of")
"""What a network with embeddings of its own takes, in this order: see `LexicalRows`."""

WORD_COUNTS = "word_counts"
"""What every network takes last: how many words each sentence has, [batch]."""


class InputRows(Protocol):
    """A padded batch of sentences."""

    @property
    def arrays(self) -> dict[str, IntArray]:
        """What the network takes, by name and in its order, but for the counts of words."""
        ...

    @property
    def width(self) -> int:
        """How many words each sentence is padded to."""
        ...


class FlatInput(Protocol):
    """Many sentences in a row, some of which become the rows of a batch."""

    @property
    def sizes(self) -> IntArray:
        """How many places of the network each sentence takes, [sentences]."""
        ...

    @property
    def edges(self) -> int:
        """How many places are added to the words of a row before their number is rounded up to a multiple."""
        ...

    def rows(self, members: IntArray, *, width: int, multiple: int) -> InputRows:
        """Return some sentences, padded to `width` words; other widths are multiples of `multiple`."""
        ...


class WordFeatures(Protocol):
    """What a network knows of numbered words. It never changes, so that threads can share it."""

    def extended(self, words: Sequence[str]) -> WordFeatures:
        """Return the same with more words, which have the next numbers."""
        ...

    def flatten(self, words: IntArray, word_starts: IntArray, word_counts: IntArray) -> FlatInput:
        """Return sentences from the numbers of all their words in a row, and where each begins and how long it is."""
        ...


def round_up(width: int, multiple: int) -> int:
    """Return the smallest multiple that is no less than the width."""
    return -(-width // multiple) * multiple


def padded_width(word_counts: IntArray, multiple: int, *, edges: int = 0) -> int:
    """Return how many words wide a batch is, so that with its edges it is a multiple.

    At least two, so that a tree has a split point, if only a padded one.
    """
    return round_up(max(2, int(word_counts.max())) + edges, multiple) - edges


def with_edges(
    words: NDArray[np.integer], word_counts: IntArray, *, start: int, stop: int | IntArray, padding: int
) -> IntArray:
    """Return [batch, words + 2]: a start symbol before each sentence, a stop symbol right after it."""
    batch, width = words.shape
    out = np.full((batch, width + 2), padding, dtype=np.int64)
    out[:, 0] = start
    out[:, 1:-1] = words
    out[np.arange(batch), word_counts + 1] = stop
    return out
