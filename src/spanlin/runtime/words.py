"""Words by number: each is split into pieces and escaped once, then found again by one look-up."""

from __future__ import annotations

import threading
from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from spanlin.runtime.pieces import WordPieces
from spanlin.trees.escapes import escape_word

IntArray = NDArray[np.int64]


class WordTable:
    """Words that have been seen. Word w has the pieces `pieces[starts[w]:][:counts[w]]` and is written `written[w]`."""

    def __init__(self, splitter: WordPieces) -> None:
        self._splitter = splitter
        self._numbers: dict[str, int] = {}
        self._lock = threading.Lock()
        self.start, self.stop = splitter.start, splitter.stop
        self.characters = 0
        """How long all words are together."""
        self.pieces: IntArray = np.zeros(0, dtype=np.int64)
        self.starts: IntArray = np.zeros(0, dtype=np.int64)
        self.counts: IntArray = np.zeros(0, dtype=np.int64)
        self.written: NDArray[np.object_] = np.zeros(0, dtype=object)

    def __len__(self) -> int:
        return len(self._numbers)

    def numbers(self, words: list[str]) -> IntArray:
        """Return the number of each word."""
        try:
            return self._found(words)
        except KeyError:
            self._add(set(words))
            return self._found(words)

    def _found(self, words: list[str]) -> IntArray:
        return np.fromiter(map(self._numbers.__getitem__, words), dtype=np.int64, count=len(words))

    def _add(self, words: Iterable[str]) -> None:
        # Arrays are replaced, never changed, and numbers come last: a thread that reads meanwhile sees a whole table.
        with self._lock:
            new = [word for word in words if word not in self._numbers]
            split = self._splitter.split(new)
            counts = np.fromiter(map(len, split), dtype=np.int64, count=len(split))
            self.starts = np.concatenate([self.starts, len(self.pieces) + np.cumsum(counts) - counts])
            self.pieces = np.concatenate([self.pieces, np.fromiter((i for ids in split for i in ids), dtype=np.int64)])
            self.counts = np.concatenate([self.counts, counts])
            written = np.empty(len(new), dtype=object)
            written[:] = [escape_word(word) for word in new]
            self.written = np.concatenate([self.written, written])
            self.characters += sum(map(len, new))
            first = len(self._numbers)
            self._numbers.update((word, first + place) for place, word in enumerate(new))
