"""The words, characters and word vectors that a network with embeddings of its own knows, by their ids."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from spanlin.trees.escapes import plain_word

PADDING, UNKNOWN, START, STOP = SPECIAL_IDS = range(4)
"""Ids of words, characters and tags that stand for nothing in a text; all others come after them."""

MAX_SPELLING = 30
"""Characters of a word that are read: of a longer one, the first and last half as many."""

SPELLING_WIDTH = MAX_SPELLING + 2
"""Characters with a start and a stop around them; a multiple of 8."""


class Lexicon:
    """Ids of words, of their characters and of their vectors; the ids of vectors count from 1, and 0 is for none."""

    def __init__(self, words: Sequence[str], chars: Sequence[str], vector_words: Sequence[str] = ()) -> None:
        first = len(SPECIAL_IDS)
        self._words = {word: number for number, word in enumerate(words, start=first)}
        self._chars = {char: number for number, char in enumerate(chars, start=first)}
        self._vectors = {word: number for number, word in enumerate(vector_words, start=1)}
        # Texts have other quotes and brackets than treebanks: the most frequent word that is written so comes first.
        self._written_so: dict[str, str] = {}
        for word in words:
            if (plain := plain_word(word)) != word:
                self._written_so.setdefault(plain, word)

    def word_id(self, word: str) -> int:
        """Return the id of a word, as it is written in a text or in a treebank, or that of the unknown one."""
        return self._words.get(self._known(word), UNKNOWN)

    def vector_id(self, word: str) -> int:
        """Return the id of the vector of a word, or else of its lower-case form; 0 where neither has one."""
        return self._vectors.get(word) or self._vectors.get(word.lower(), 0)

    def spell(self, words: Sequence[str]) -> tuple[NDArray[np.int32], NDArray[np.int64]]:
        """Return the characters of each word with a start and a stop around them, [words, SPELLING_WIDTH].

        And how many of these a word has.
        """
        table = np.zeros((len(words), SPELLING_WIDTH), dtype=np.int32)
        lengths = np.zeros(len(words), dtype=np.int64)
        for row, word in enumerate(map(self._known, words)):
            if len(word) > MAX_SPELLING:
                word = word[: MAX_SPELLING // 2] + word[-MAX_SPELLING // 2 :]
            ids = [START, *(self._chars.get(char, UNKNOWN) for char in word), STOP]
            table[row, : len(ids)] = ids
            lengths[row] = len(ids)
        return table, lengths

    def _known(self, word: str) -> str:
        """Return the word that a word is another spelling of, if that is known and this one is not."""
        if word in self._words:
            return word
        plain = plain_word(word)
        return plain if plain in self._words else self._written_so.get(plain, word)


def with_spelled_edges(
    spellings: NDArray[np.int32], lengths: NDArray[np.int64]
) -> tuple[NDArray[np.int32], NDArray[np.int64]]:
    """Return what `Lexicon.spell` does with two rows more: how the start and the stop of a sentence are spelled."""
    edges = np.zeros((2, SPELLING_WIDTH), dtype=np.int32)
    edges[:, :3] = [(START, START, STOP), (START, STOP, STOP)]
    return np.concatenate([spellings, edges]), np.append(lengths, [3, 3])
