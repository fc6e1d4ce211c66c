"""Sentences of many lengths and kinds for tests, some of them odd; written and drawn for spanlin."""

from __future__ import annotations

import random

_SUBJECTS = (
    *("The tired pilot", "Nobody", "My sister's neighbour", "A crowd of angry farmers", "It", "Both of them"),
    *("The committee that met on Tuesday", "Whoever left the window open", "Dr. Okafor", "Rain", "Those two"),
)
_VERBS = (
    *("saw", "could not have repaired", "is said to prefer", "keeps losing", "sold", "will probably forget"),
    *("described", "has been hiding", "wanted to buy", "asked me about", "painted", "would rather burn"),
)
_OBJECTS = (
    *("the old harbour", "a letter from the bank", "three broken violins", "what the doctor had ordered", "us"),
    *(
        "the man with the telescope",
        "cheap wine and bread",
        "every copy of the report",
        "her own house",
        "$ 4.5 million",
    ),
)
_ENDINGS = (
    *("in the rain", "before anyone noticed", "although it was late", "with a small knife", "because of the noise"),
    *("near the river that floods each spring", "for less than a day", "while singing", "again", "on purpose"),
)
_LINKS = ("and", "but", "because", ",", "; meanwhile ,", "so that", "-- or so he claimed --")
_ODD = (
    ("Yes",),
    (".",),
    ("?", "!", "?"),
    ("",),
    ("", "", ""),
    ("( ", ")", "-LRB-", "\\/"),
    ("\ud800", "alone"),
    ("日本語", "の", "文"),
    ("a" * 300, "is", "long"),
    ("https://example.org/a?b=c&d=%20", "is", "down"),
    ("😀", "😀", "👩‍👩‍👧", "."),
    ("0", "1", "2", "3.14", "1e-9", "٣"),
    ("THE", "CAT", "SAT", "ON", "THE", "MAT"),
    ("Hyphen-ated-all-the-way-down", "words", "–", "dashes", "—", "etc", "."),
    ("tab\tin", "new\nline", "\u200b", "\u0000"),
    ("So", "long", ",", "and", "thanks", "for", "all", "the", "fish"),
)


def varied_sentences(count: int, *, seed: int = 7) -> list[tuple[str, ...]]:
    """Return so many tokenized sentences of one to about sixty words, the odd ones first."""
    draw = random.Random(seed)
    found = list(_ODD)
    while len(found) < count:
        words = _clause(draw)
        for _ in range(draw.choice((0, 0, 0, 1, 1, 2, 4))):
            words += [*draw.choice(_LINKS).split(), *_clause(draw)]
        found.append((*words, draw.choice((".", "!", "?"))))
    return found[:count]


def long_sentence(word_count: int, *, seed: int = 3) -> tuple[str, ...]:
    """Return a sentence of so many words, which may be more than an encoder reads at once."""
    draw = random.Random(seed)
    words: list[str] = []
    while len(words) < word_count:
        words += [*_clause(draw), *draw.choice(_LINKS).split()]
    return (*words[: word_count - 1], ".")


def _clause(draw: random.Random) -> list[str]:
    parts = [draw.choice(_SUBJECTS), draw.choice(_VERBS), draw.choice(_OBJECTS)]
    parts += [draw.choice(_ENDINGS) for _ in range(draw.choice((0, 0, 1, 1, 2)))]
    return " ".join(parts).split()
