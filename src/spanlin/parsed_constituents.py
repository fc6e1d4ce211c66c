"""The labelled phrases of a parsed sentence, and where they are in its text."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from spanlin.text.tokens import Sentence


class Constituent(NamedTuple):
    """A labelled phrase over the words `left` up to, not with, `right`.

    `probability` is the chance that a treebank's annotator would have it so. `start` and `end` are character offsets
    in the text that was parsed, and `text` is what is between them: `text[start:end]`. If words were given instead of
    a text, the offsets are -1, and `text` is the words with spaces between.
    """

    label: str
    left: int
    right: int
    probability: float
    start: int
    end: int
    text: str


def place_constituents(
    spans: Sequence[tuple[str, int, int, float]], words: Sequence[str], sentence: Sentence | None
) -> list[Constituent]:
    """Return constituents of spans, each a label, its words and its probability; None is a sentence of no text."""
    if sentence is None:
        return [
            Constituent(label, left, right, probability, -1, -1, " ".join(words[left:right]))
            for label, left, right, probability in spans
        ]
    text, starts, ends = sentence.text, sentence.starts, sentence.ends
    places = _find_words(words, text)
    return [
        Constituent(
            label,
            left,
            right,
            probability,
            starts[left],
            ends[right - 1],
            text[places[left] : places[right - 1] + len(words[right - 1])],
        )
        for label, left, right, probability in spans
    ]


def _find_words(words: Sequence[str], text: str) -> list[int]:
    """Return where each word starts in the sentence's own text; its offsets may count UTF-16 units, not characters."""
    places = []
    place = 0
    for word in words:
        place = text.index(word, place)
        places.append(place)
        place += len(word)
    return places
