"""Many sentences as flat arrays, cut into batches without a loop over words."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

import numpy as np
from numpy.typing import NDArray

from spanlin.runtime.backend import Arrays
from spanlin.runtime.batch_plan import cheapest_batches, full_batches
from spanlin.runtime.input_rows import InputRows, padded_width
from spanlin.runtime.words import WordTable

IntArray = NDArray[np.int64]
Item = TypeVar("Item")

_NAMED_WORDS = 5  # in an error message


class Sentences:
    """Tokenized sentences, some perhaps without words, by the numbers of their words."""

    def __init__(self, sentences: Sequence[Sequence[str]], table: WordTable) -> None:
        self.given = sentences
        self.table = table
        self.word_counts: IntArray = np.fromiter(map(len, sentences), dtype=np.int64, count=len(sentences))
        self.words = table.numbers(list(itertools.chain.from_iterable(sentences)))
        self.word_starts = np.cumsum(self.word_counts) - self.word_counts
        self.flat = table.features.flatten(self.words, self.word_starts, self.word_counts)
        self.sizes = self.flat.sizes

    def batches(self, *, tokens: int, multiple: int, most: int = 0, overhead: int = 0) -> list[IntArray]:
        """Return the sentences that have words in batches of like length, the longest first.

        A batch takes at most `tokens` places, padding to multiples of `multiple` included; a longer sentence has its
        own. `most` sentences are in a batch, 0 for any number. Where a batch costs `overhead` places besides, batches
        are those that cost least; else they are full, so that of one length all but perhaps one have as many sentences.
        """
        numbers = np.flatnonzero(self.word_counts)
        ordered = numbers[np.argsort(-self.sizes[numbers], kind="stable")]
        lengths = -(-self.sizes[ordered] // multiple) * multiple
        if overhead:
            counts = cheapest_batches(lengths, tokens=tokens, overhead=overhead, most=most)
        else:
            counts = full_batches(lengths, tokens=tokens, most=most)
        return np.split(ordered, np.cumsum(counts)[:-1]) if counts else []

    def rows(self, members: IntArray, *, multiple: int) -> tuple[InputRows, IntArray]:
        """Return the padded rows of a batch, and how many words each of its sentences has."""
        counts = self.word_counts[members]
        width = padded_width(counts, multiple, edges=self.flat.edges)
        return self.flat.rows(members, width=width, multiple=multiple), counts

    def written(self, members: IntArray) -> NDArray[np.object_]:
        """Return the words of some sentences in a row, as they are written between brackets."""
        counts = self.word_counts[members]
        inside = np.arange(int(counts.sum())) - np.repeat(np.cumsum(counts) - counts, counts)
        words = self.words[np.repeat(self.word_starts[members], counts) + inside]
        found: NDArray[np.object_] = self.table.written[words]
        return found


@dataclass(frozen=True, kw_only=True)
class RunBatch(Generic[Item]):
    """A batch that a backend has run: some sentences, by their places among those they came with, and what it found.

    `items` are what the sentences are of. `before` is how many sentences of the whole input came before all of these.
    """

    sentences: Sentences
    members: IntArray
    items: Sequence[Item]
    before: int
    found: Arrays

    @property
    def counts(self) -> IntArray:
        """How many words each sentence has."""
        counts: IntArray = self.sentences.word_counts[self.members]
        return counts

    @property
    def words(self) -> list[Sequence[str]]:
        """The words of each sentence."""
        return [self.sentences.given[member] for member in self.members.tolist()]

    @property
    def numbers(self) -> list[int]:
        """The numbers of the sentences in the whole input, counted from 1."""
        numbers: list[int] = (self.members + self.before + 1).tolist()
        return numbers

    def place(self, row: int) -> str:
        """Return which sentence this is, for an error message."""
        words = self.words[row]
        start = " ".join(words[:_NAMED_WORDS]) + (" ..." if len(words) > _NAMED_WORDS else "")
        return f"sentence {self.numbers[row]} ({start!r})"

    def written(self, rows: IntArray) -> NDArray[np.object_]:
        """Return the words of some of the sentences in a row, as they are written between brackets."""
        return self.sentences.written(self.members[rows])
