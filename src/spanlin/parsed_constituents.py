"""The labelled phrases of a parsed sentence, and where they are in its text."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from spanlin.decimals import round_all

if TYPE_CHECKING:
    from spanlin.text.tokens import Sentence

Spans = Sequence[tuple[str, int, int, float]]
_Fields = tuple[str, int, int, float, int, int, str]


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


def place_constituents(spans: Spans, words: Sequence[str], sentence: Sentence | None) -> list[Constituent]:
    """Return constituents of spans, each a label, its words and its probability; None is a sentence of no text."""
    return list(map(Constituent._make, _placed(spans, words, sentence)))


def constituents_to_json(spans: Spans, words: Sequence[str], sentence: Sentence | None) -> list[dict[str, Any]]:
    """Return the constituents as JSON has them; probabilities have six decimals."""
    probabilities = round_all([span[3] for span in spans], 6)
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
        for probability, (label, left, right, _, start, end, text) in zip(
            probabilities, _placed(spans, words, sentence), strict=True
        )
    ]


def _placed(spans: Spans, words: Sequence[str], sentence: Sentence | None) -> list[_Fields]:
    """Return what each constituent is made of."""
    if sentence is None:
        return [
            (label, left, right, probability, -1, -1, " ".join(words[left:right]))
            for label, left, right, probability in spans
        ]
    if not spans:
        return []
    text, starts, ends = sentence.text, sentence.starts, sentence.ends
    first_characters: Sequence[int] = starts
    end_characters: Sequence[int] = ends
    before = starts[0]
    if ends[-1] - before != len(text):  # they count something else than characters, such as UTF-16 units
        before = 0
        first_characters = _find_words(words, text)
        end_characters = [start + len(word) for start, word in zip(first_characters, words, strict=True)]
    return [
        (
            label,
            left,
            right,
            probability,
            starts[left],
            ends[right - 1],
            text[first_characters[left] - before : end_characters[right - 1] - before],
        )
        for label, left, right, probability in spans
    ]


def _find_words(words: Sequence[str], text: str) -> Sequence[int]:
    """Return where each word starts in the sentence's own text."""
    places = []
    place = 0
    for word in words:
        place = text.index(word, place)
        places.append(place)
        place += len(word)
    return places
