"""Words by their pieces, for networks over a pretrained encoder."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from spanlin.runtime.flat_pieces import FlatPieces
from spanlin.runtime.pieces import WordPieces

IntArray = NDArray[np.int64]


def _nothing() -> IntArray:
    return np.zeros(0, dtype=np.int64)


@dataclass(frozen=True, kw_only=True)
class PieceFeatures:
    """Numbered words. Word w has the pieces `pieces[starts[w]:][:counts[w]]`; `limit` is the encoder's longest row."""

    splitter: WordPieces
    limit: int
    pieces: IntArray = field(default_factory=_nothing)
    starts: IntArray = field(default_factory=_nothing)
    counts: IntArray = field(default_factory=_nothing)

    def extended(self, words: Sequence[str]) -> PieceFeatures:
        """Return the same with more words, split in one go."""
        split = self.splitter.split(words)
        counts = np.fromiter(map(len, split), dtype=np.int64, count=len(split))
        return replace(
            self,
            pieces=np.concatenate([self.pieces, np.fromiter((i for ids in split for i in ids), dtype=np.int64)]),
            starts=np.concatenate([self.starts, len(self.pieces) + np.cumsum(counts) - counts]),
            counts=np.concatenate([self.counts, counts]),
        )

    def flatten(self, words: IntArray, word_starts: IntArray, word_counts: IntArray) -> FlatPieces:
        """Return the pieces of all sentences in a row, each sentence between a start and a stop piece."""
        counts = self.counts[words]
        before = np.cumsum(counts) - counts
        sentence_of = np.repeat(np.arange(len(word_counts)), word_counts)
        word_places = before + 2 * sentence_of + 1
        ends = np.append(before, counts.sum())
        piece_counts = ends[word_starts + word_counts] - ends[word_starts] + 2
        piece_starts = np.cumsum(piece_counts) - piece_counts
        pieces = np.empty(int(piece_counts.sum()), dtype=np.int64)
        pieces[piece_starts] = self.splitter.start
        pieces[piece_starts + piece_counts - 1] = self.splitter.stop
        inside = np.arange(int(counts.sum())) - np.repeat(before, counts)
        pieces[np.repeat(word_places, counts) + inside] = self.pieces[np.repeat(self.starts[words], counts) + inside]
        first_pieces = word_places - piece_starts[sentence_of]
        return FlatPieces(
            pieces=pieces,
            piece_starts=piece_starts,
            piece_counts=piece_counts,
            first_pieces=first_pieces,
            last_pieces=first_pieces + counts - 1,
            word_starts=word_starts,
            word_counts=word_counts,
            limit=self.limit,
        )
