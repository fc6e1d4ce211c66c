"""The labelled phrases of a parsed sentence, and where they are in its text."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import repeat
from typing import TYPE_CHECKING, Any, NamedTuple

from spanlin.decimals import round_all

if TYPE_CHECKING:
    from spanlin.text.tokens import Sentence

Columns = tuple[Sequence[str], Sequence[int], Sequence[int], Sequence[float]]
"""Of some constituents, the labels, the edges on the left and on the right, and the probabilities."""
_Places = tuple[Sequence[int], Sequence[int], Sequence[str]]


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


def columns_of(spans: Sequence[tuple[str, int, int, float]]) -> Columns:
    """Return the columns of constituents that are given one by one."""
    labels, lefts, rights, probabilities = zip(*spans, strict=True) if spans else ((), (), (), ())
    return labels, lefts, rights, probabilities


def place_constituents(columns: Columns, words: Sequence[str], sentence: Sentence | None) -> list[Constituent]:
    """Return constituents of these columns; None is a sentence of no text."""
    starts, ends, texts = _places(columns, words, sentence)
    # Each is made at once of what zip gives, for which zip has one tuple that it fills again and again.
    return list(map(tuple.__new__, repeat(Constituent), zip(*columns, starts, ends, texts, strict=True)))


def constituents_to_json(columns: Columns, words: Sequence[str], sentence: Sentence | None) -> list[dict[str, Any]]:
    """Return the constituents as JSON has them; probabilities have six decimals."""
    labels, lefts, rights, probabilities = columns
    starts, ends, texts = _places(columns, words, sentence)
    return [
        {
            "label": label,
            "left": left,
            "right": right,
            "probability": probability,
            "start": start,
            "end": end,
            "text": text,
        }
        for label, left, right, probability, start, end, text in zip(
            labels, lefts, rights, round_all(probabilities, 6), starts, ends, texts, strict=True
        )
    ]


def _places(columns: Columns, words: Sequence[str], sentence: Sentence | None) -> _Places:
    """Return where the text of each constituent starts and ends, and the text."""
    _, lefts, rights, _ = columns
    if sentence is None:
        nowhere = [-1] * len(lefts)
        return nowhere, nowhere, [" ".join(words[left:right]) for left, right in zip(lefts, rights, strict=True)]
    if not lefts:
        return (), (), ()
    text = sentence.text
    starts, ends = [sentence.starts[left] for left in lefts], [sentence.ends[right - 1] for right in rights]
    before = sentence.starts[0]
    if sentence.ends[-1] - before == len(text):
        return starts, ends, [text[start - before : end - before] for start, end in zip(starts, ends, strict=True)]
    # They count something else than characters, such as UTF-16 units.
    found = _find_words(words, text)
    places = [
        (found[left], found[right - 1] + len(words[right - 1])) for left, right in zip(lefts, rights, strict=True)
    ]
    return starts, ends, [text[start:end] for start, end in places]


def _find_words(words: Sequence[str], text: str) -> Sequence[int]:
    """Return where each word starts in the sentence's own text."""
    places = []
    place = 0
    for word in words:
        place = text.index(word, place)
        places.append(place)
        place += len(word)
    return places
