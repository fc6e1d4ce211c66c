"""The word pieces of many sentences in a row, and padded rows of some of them without a loop over words."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from spanlin.runtime.input_rows import round_up, with_edges
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
    limit: int  # the longest row
    edges: int = 0

    @property
    def sizes(self) -> IntArray:
        """How many pieces each sentence has."""
        return self.piece_counts

    def rows(self, members: IntArray, *, width: int, multiple: int) -> PieceRows:
        """Return some sentences, padded to `width` words; the number of pieces is a multiple of `multiple`."""
        counts, piece_counts = self.word_counts[members], self.piece_counts[members]
        if piece_counts.max() > self.limit:
            parts = [self._part(number) for number in members.tolist()]
            return make_piece_rows(parts, limit=self.limit, width=width, multiple=multiple)
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
