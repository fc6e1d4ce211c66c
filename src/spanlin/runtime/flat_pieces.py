"""The word pieces of many sentences in a row, and padded rows of some of them without a loop over words."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from spanlin.runtime.piece_rows import PieceRows, make_piece_rows

IntArray = NDArray[np.int64]


@dataclass(frozen=True, kw_only=True)
class FlatPieces:
    """Pieces of all sentences, each between a start and a stop piece, and where those of each sentence and word lie.

    The first and last piece of a word, [all words], count from the start of its sentence.
    """

    pieces: NDArray[np.integer]
    piece_starts: IntArray  # [sentences]
    piece_counts: IntArray  # [sentences]
    first_pieces: NDArray[np.integer]
    last_pieces: NDArray[np.integer]
    word_starts: IntArray  # [sentences]
    word_counts: IntArray  # [sentences]

    def rows(self, members: IntArray, *, limit: int, multiple: int) -> PieceRows:
        """Return the padded rows of some sentences; `limit` is the longest row, widths are multiples of `multiple`."""
        counts, piece_counts = self.word_counts[members], self.piece_counts[members]
        width = padded_width(counts, multiple)
        if piece_counts.max() > limit:
            parts = [self._part(number) for number in members.tolist()]
            return make_piece_rows(parts, limit=limit, width=width, multiple=multiple)
        places = np.arange(round_up(int(piece_counts.max()), multiple))
        is_piece = places < piece_counts[:, np.newaxis]
        at = np.where(is_piece, self.piece_starts[members][:, np.newaxis] + places, 0)
        columns = np.arange(width)
        is_word = columns < counts[:, np.newaxis]
        words = np.where(is_word, self.word_starts[members][:, np.newaxis] + columns, 0)
        row_starts = np.arange(len(members))[:, np.newaxis] * len(places)
        first, last = (
            with_edges(np.where(is_word, inside[words], 0), counts, start=0, stop=piece_counts - 1, padding=0)
            for inside in (self.first_pieces, self.last_pieces)
        )
        return PieceRows(
            pieces=np.where(is_piece, self.pieces[at], 0).astype(np.int64, copy=False),
            piece_counts=piece_counts,
            first_pieces=first + row_starts,
            last_pieces=last + row_starts,
        )

    def _part(self, number: int) -> tuple[IntArray, IntArray, IntArray]:
        pieces = slice(self.piece_starts[number], self.piece_starts[number] + self.piece_counts[number])
        words = slice(self.word_starts[number], self.word_starts[number] + self.word_counts[number])
        parts = self.pieces[pieces], self.first_pieces[words], self.last_pieces[words]
        sentence, first, last = (part.astype(np.int64, copy=False) for part in parts)
        return sentence, first, last


def round_up(width: int, multiple: int) -> int:
    """Return the smallest multiple that is no less than the width."""
    return -(-width // multiple) * multiple


def padded_width(word_counts: IntArray, multiple: int) -> int:
    """Return how many words wide a batch is: at least two, so that a tree has a split point, if only a padded one."""
    return round_up(max(2, int(word_counts.max())), multiple)


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
