"""Where the words of a sentence stand in its text."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from spanlin.errors import DependencyError


class TextToken(NamedTuple):
    """A token of the text, the words it consists of, and whether a space follows it."""

    form: str
    words: tuple[str, ...]
    space_after: bool


def token_offsets(text: str, tokens: Iterable[TextToken]) -> tuple[tuple[int, int], ...]:
    """Return the start and end of each word, in code points; a DependencyError names a token that is not there.

    Any white space of the text between two tokens is passed over.
    """
    found: list[tuple[int, int]] = []
    place = 0
    for form, words, _ in tokens:
        while not text.startswith(form, place) and place < len(text) and text[place].isspace():
            place += 1
        if not text.startswith(form, place):
            raise DependencyError(f"the text has {text[place : place + 20]!r} where the token {form!r:.40} should be")
        if "".join(words) == form:
            start = place
            for word in words:
                found.append((start, start + len(word)))
                start += len(word)
        else:
            found += [(place, place + len(form))] * len(words)
        place += len(form)
    return tuple(found)
