"""What two networks in one graph take of the same sentences: a parser, and the tagger that it gets tags from."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from spanlin.runtime.input_rows import FlatInput, InputRows, WordFeatures

IntArray = NDArray[np.int64]


@dataclass(frozen=True, kw_only=True)
class JoinedRows:
    """The rows of both; the names of the second's arrays have a prefix."""

    first: InputRows
    second: InputRows
    prefix: str

    @property
    def arrays(self) -> dict[str, IntArray]:
        """What both networks take, by name."""
        return {**self.first.arrays, **{self.prefix + name: array for name, array in self.second.arrays.items()}}

    @property
    def width(self) -> int:
        """How many words each sentence is padded to."""
        return self.first.width


@dataclass(frozen=True, kw_only=True)
class JoinedInput:
    """Many sentences in a row, as both take them."""

    first: FlatInput
    second: FlatInput
    prefix: str

    @property
    def sizes(self) -> IntArray:
        """How many places each sentence takes of the network that has more."""
        return np.maximum(self.first.sizes, self.second.sizes)

    @property
    def edges(self) -> int:
        """How many places are added to words before their number is rounded up."""
        return self.first.edges

    def rows(self, members: IntArray, *, width: int, multiple: int) -> JoinedRows:
        """Return some sentences, padded to as many words for both."""
        first, second = (one.rows(members, width=width, multiple=multiple) for one in (self.first, self.second))
        return JoinedRows(first=first, second=second, prefix=self.prefix)


@dataclass(frozen=True, kw_only=True)
class JoinedFeatures:
    """What both know of numbered words."""

    first: WordFeatures
    second: WordFeatures
    prefix: str

    def extended(self, words: Sequence[str]) -> JoinedFeatures:
        """Return the same with more words."""
        first, second = (one.extended(words) for one in (self.first, self.second))
        return JoinedFeatures(first=first, second=second, prefix=self.prefix)

    def flatten(self, words: IntArray, word_starts: IntArray, word_counts: IntArray) -> JoinedInput:
        """Return sentences as both take them."""
        first, second = (one.flatten(words, word_starts, word_counts) for one in (self.first, self.second))
        return JoinedInput(first=first, second=second, prefix=self.prefix)
