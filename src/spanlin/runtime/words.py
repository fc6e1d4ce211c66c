"""Words by number: each is read by the network and escaped once, then found again by one look-up."""

from __future__ import annotations

import threading
from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from spanlin.runtime.input_rows import WordFeatures
from spanlin.trees.escapes import escape_word

IntArray = NDArray[np.int64]


class WordTable:
    """Words that have been seen. Word w is written `written[w]`; `features` has what a network knows of it."""

    def __init__(self, features: WordFeatures) -> None:
        """Start without words; `features` has none yet."""
        self._known: tuple[WordFeatures, NDArray[np.object_]] = features, np.zeros(0, dtype=object)
        self._numbers: dict[str, int] = {}
        self._lock = threading.Lock()
        self.characters = 0
        """How long all words are together."""

    @property
    def features(self) -> WordFeatures:
        """What the network knows of the words."""
        return self._known[0]

    @property
    def written(self) -> NDArray[np.object_]:
        """How the words are written."""
        return self._known[1]

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
        # Wherever Ctrl-C comes, words have no number at worst, and are added once more.
        with self._lock:
            new = [word for word in words if word not in self._numbers]
            features, known = self._known
            written = np.empty(len(new), dtype=object)
            written[:] = [escape_word(word) for word in new]
            self.characters += sum(map(len, new))
            self._known = features.extended(new), np.concatenate([known, written])
            self._numbers.update((word, number) for number, word in enumerate(new, start=len(known)))
