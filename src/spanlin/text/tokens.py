"""Tokens and sentences with their places in the text."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple


class Token(NamedTuple):
    """A token and its place: `text` is the input from code point `start` up to, not including, `end`."""

    text: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Sentence:
    """The words of one sentence, the offsets of each in the input, and the stretch of the input that they cover."""

    # Tuples rather than one of tokens, which would take twice the time to make.
    words: tuple[str, ...]
    starts: tuple[int, ...]
    ends: tuple[int, ...]
    text: str

    @property
    def tokens(self) -> tuple[Token, ...]:
        """The words with their offsets."""
        return tuple(map(Token, self.words, self.starts, self.ends))

    @property
    def offsets(self) -> tuple[tuple[int, int], ...]:
        """Where each word starts and ends in the input."""
        return tuple(zip(self.starts, self.ends, strict=True))

    @property
    def start(self) -> int:
        """The offset of the first character in the input, if there are words."""
        return self.starts[0]

    @property
    def end(self) -> int:
        """The offset after the last character in the input, if there are words."""
        return self.ends[-1]
