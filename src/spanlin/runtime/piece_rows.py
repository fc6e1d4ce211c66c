"""Padded rows of word pieces for a batch, and where in them each position of each sentence is read.

A sentence that fits takes one row. A longer one takes one for each of its windows: its first in the sentence's own
row, the others after the rows of all sentences. Either way a position is an index into the flattened rows, so an
encoder need not know of windows.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from spanlin.runtime.input_rows import PIECE_INPUTS, round_up
from spanlin.runtime.windows import cut_windows

IntArray = NDArray[np.int64]


@dataclass(frozen=True, kw_only=True)
class PieceRows:
    """Rows of pieces, [rows, pieces], and the flat index of each position's first and last piece, [batch, positions].

    A sentence of n words has n + 2 positions: the encoder's start piece, the words, its stop piece.
    """

    pieces: IntArray
    piece_counts: IntArray  # [rows]
    first_pieces: IntArray
    last_pieces: IntArray

    @property
    def arrays(self) -> dict[str, IntArray]:
        """What a network takes, by name."""
        values = (self.pieces, self.piece_counts, self.first_pieces, self.last_pieces)
        return dict(zip(PIECE_INPUTS, values, strict=True))

    @property
    def width(self) -> int:
        """How many words each sentence is padded to."""
        return int(self.first_pieces.shape[1]) - 2


def make_piece_rows(
    sentences: Sequence[tuple[IntArray, IntArray, IntArray]], *, limit: int, width: int, multiple: int = 1
) -> PieceRows:
    """Return the rows of sentences given as (pieces, first piece of each word, last piece of each word).

    The pieces include the start and stop piece; `limit` is the longest row, `width` the number of words to pad to.
    """
    rows: list[IntArray] = [pieces if len(pieces) <= limit else pieces[:0] for pieces, _, _ in sentences]
    row_of: list[IntArray | None] = [None] * len(sentences)
    shift_of: list[IntArray | None] = [None] * len(sentences)
    for number, (pieces, first, last) in enumerate(sentences):
        if len(pieces) <= limit:
            continue
        windows = cut_windows(first, last, limit - 2)
        numbers = np.array([number, *range(len(rows), len(rows) + len(windows.starts) - 1)])
        for row, start, end in zip(numbers.tolist(), windows.starts.tolist(), windows.ends.tolist(), strict=True):
            window = np.concatenate([pieces[:1], pieces[start:end], pieces[-1:]])
            if row == number:
                rows[row] = window
            else:
                rows.append(window)
        row_of[number] = numbers[windows.chosen]
        shift_of[number] = windows.starts[windows.chosen] - 1
    counts = np.array([len(row) for row in rows])
    longest = round_up(int(counts.max()), multiple)
    table = np.zeros((len(rows), longest), dtype=np.int64)
    table[np.arange(longest) < counts[:, np.newaxis]] = np.concatenate(rows)
    first_pieces = np.zeros((len(sentences), width + 2), dtype=np.int64)
    last_pieces = np.zeros_like(first_pieces)
    for number, (_, first, last) in enumerate(sentences):
        count = len(first)
        base: int | IntArray = number * longest
        row = number
        chosen, shift = row_of[number], shift_of[number]
        if chosen is not None and shift is not None:
            base = chosen * longest - shift
            row = int(chosen[-1])
        first_pieces[number, 0] = last_pieces[number, 0] = number * longest
        first_pieces[number, 1 : count + 1] = first + base
        last_pieces[number, 1 : count + 1] = last + base
        first_pieces[number, count + 1] = last_pieces[number, count + 1] = row * longest + counts[row] - 1
    return PieceRows(pieces=table, piece_counts=counts, first_pieces=first_pieces, last_pieces=last_pieces)
