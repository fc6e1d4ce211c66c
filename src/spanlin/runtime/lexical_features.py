"""Words by their ids and characters, for networks with embeddings of their own."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from spanlin.runtime.lexical_rows import FlatLexical
from spanlin.runtime.lexicon import SPELLING_WIDTH, Lexicon, with_spelled_edges

IntArray = NDArray[np.int64]


def _nothing() -> IntArray:
    return np.zeros(0, dtype=np.int64)


def _unspelled() -> NDArray[np.int32]:
    return np.zeros((0, SPELLING_WIDTH), dtype=np.int32)


@dataclass(frozen=True, kw_only=True)
class LexicalFeatures:
    """Numbered words: for each its id, that of its vector, and its characters."""

    lexicon: Lexicon
    word_ids: IntArray = field(default_factory=_nothing)
    vector_ids: IntArray = field(default_factory=_nothing)
    spellings: NDArray[np.int32] = field(default_factory=_unspelled)
    spelling_lengths: IntArray = field(default_factory=_nothing)

    def extended(self, words: Sequence[str]) -> LexicalFeatures:
        """Return the same with more words."""
        spellings, lengths = self.lexicon.spell(words)
        word_ids, vector_ids = (
            np.fromiter(map(find, words), dtype=np.int64, count=len(words))
            for find in (self.lexicon.word_id, self.lexicon.vector_id)
        )
        return replace(
            self,
            word_ids=np.concatenate([self.word_ids, word_ids]),
            vector_ids=np.concatenate([self.vector_ids, vector_ids]),
            spellings=np.concatenate([self.spellings, spellings]),
            spelling_lengths=np.concatenate([self.spelling_lengths, lengths]),
        )

    def flatten(self, words: IntArray, word_starts: IntArray, word_counts: IntArray) -> FlatLexical:
        """Return the ids of all words of all sentences in a row, each distinct word of them spelled once."""
        distinct, spelling_ids = np.unique(words, return_inverse=True)
        spellings, lengths = with_spelled_edges(self.spellings[distinct], self.spelling_lengths[distinct])
        return FlatLexical(
            words=self.word_ids[words],
            vectors=self.vector_ids[words],
            spelling_ids=spelling_ids,
            spellings=spellings,
            spelling_lengths=lengths,
            word_starts=word_starts,
            word_counts=word_counts,
        )
