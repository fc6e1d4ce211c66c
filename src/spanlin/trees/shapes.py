"""How words use capitals, for encoders whose word pieces have none."""

from __future__ import annotations

SHAPES = 5
"""How many shapes of words there are."""


def word_shape(word: str) -> int:
    """Return how a word uses capitals: 0 not at all, 1 Like this, 2 one letter, 3 ALL OVER, 4 in a mixedWay.

    >>> [word_shape(word) for word in ("dog", "Dog", "I", "NATO", "mRNA", "42")]
    [0, 1, 2, 3, 4, 0]
    """
    if word.lower() == word:
        return 0
    if word.isupper():
        return 3 if sum(map(str.isalpha, word)) > 1 else 2
    return 1 if word[0].isupper() and word[1:].lower() == word[1:] else 4
