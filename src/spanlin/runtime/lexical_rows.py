"""Sentences by the ids of their words, vectors and characters: many in a row, and padded rows of some of them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from spanlin.runtime.input_rows import LEXICAL_INPUTS, round_up, with_edges
from spanlin.runtime.lexicon import PADDING, START, STOP

IntArray = NDArray[np.int64]

_SURPLUS = 64  # rows of spellings for each place of a multiple


@dataclass(frozen=True, kw_only=True)
class LexicalRows:
    """Ids of the positions of sentences, [batch, positions]; n words have n + 2 positions: start, words, stop.

    Each distinct word is spelled once, [distinct words, characters]; `spelling_of` has its row for each position.
    """

    words: IntArray
    vectors: IntArray
    spellings: IntArray
    spelling_lengths: IntArray  # [distinct words]
    spelling_of: IntArray

    @property
    def arrays(self) -> dict[str, IntArray]:
        """What a network takes, by name."""
        values = (self.words, self.vectors, self.spellings, self.spelling_lengths, self.spelling_of)
        return dict(zip(LEXICAL_INPUTS, values, strict=True))

    @property
    def width(self) -> int:
        """How many words each sentence is padded to."""
        return int(self.words.shape[1]) - 2


@dataclass(frozen=True, kw_only=True)
class FlatLexical:
    """Ids of all words of all sentences in a row, and the spellings that `spelling_ids` are rows of.

    The last two rows of the spellings are those of a sentence's start and stop.
    """

    words: NDArray[np.integer]
    vectors: NDArray[np.integer]
    spelling_ids: NDArray[np.integer]
    spellings: NDArray[np.integer]
    spelling_lengths: IntArray
    word_starts: IntArray  # [sentences]
    word_counts: IntArray  # [sentences]
    edges: int = 2

    @property
    def sizes(self) -> IntArray:
        """How many positions each sentence has."""
        sizes: IntArray = self.word_counts + 2
        return sizes

    def rows(self, members: IntArray, *, width: int, multiple: int) -> LexicalRows:
        """Return some sentences, padded to `width` words; spellings are padded to multiples of `multiple`."""
        counts = self.word_counts[members]
        columns = np.arange(width)
        is_word = columns < counts[:, np.newaxis]
        flat = np.where(is_word, self.word_starts[members][:, np.newaxis] + columns, 0)
        words, vectors = (
            with_edges(np.where(is_word, ids[flat], 0), counts, start=start, stop=stop, padding=0)
            for ids, start, stop in ((self.words, START, STOP), (self.vectors, 0, 0))
        )
        assert PADDING == 0
        edge_rows = len(self.spellings) - 2
        spelled = with_edges(
            np.where(is_word, self.spelling_ids[flat], edge_rows),
            counts,
            start=edge_rows,
            stop=edge_rows + 1,
            padding=edge_rows,
        )
        distinct, spelling_of = np.unique(spelled, return_inverse=True)
        if multiple > 1:
            # As many distinct words in most batches of a shape; the surplus rows are read by no position.
            surplus = -len(distinct) % (_SURPLUS * multiple)
            distinct = np.concatenate([distinct, np.full(surplus, edge_rows)])
        lengths = self.spelling_lengths[distinct]
        spellings = self.spellings[distinct, : round_up(int(lengths.max()), multiple)]
        return LexicalRows(
            words=words,
            vectors=vectors,
            spellings=spellings.astype(np.int64),
            spelling_lengths=lengths,
            spelling_of=spelling_of.reshape(spelled.shape).astype(np.int64, copy=False),
        )
