"""Runs of visible characters and what can be said of each alone: its tokens, how it ends, how it starts.

English repeats itself, so what was found out about a short run is kept.
"""

from __future__ import annotations

import re
from enum import IntEnum
from typing import NamedTuple

from spanlin.text import vocabulary
from spanlin.text.patterns import token_pattern

# What is neither visible nor means anything: control characters, byte order and direction marks, zero-width spaces.
INVISIBLE = r"\x00-\x08\x0e-\x1b\x7f-\x84\x86-\x9f\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f\ufeff"
CHUNK = re.compile(rf"[^\s{INVISIBLE}]+")
_REMEMBERED_LENGTH = 32  # longer runs rarely come again, and would fill the memory
_REMEMBERED_CHUNKS = 2**16


class Ending(IntEnum):
    """How a run may end a sentence."""

    NONE = 0
    STOP = 1  # a full stop that is not part of the word
    MARK = 2  # a question or exclamation mark
    ELLIPSIS = 3
    TRAILING = 4  # an abbreviation like "etc."
    LEADING = 5  # an abbreviation like "Mr."
    NUMBERED = 6  # an abbreviation before numbers, otherwise a word: "No."
    AMBIGUOUS = 7  # an abbreviation inside a sentence, otherwise a word: "Sat."
    INITIAL = 8  # one letter
    ITEM = 9  # a number or a letter that may count items: "1." or "2.1."
    DASH = 10
    SHORTENED = 11  # an abbreviation unless a capital follows: "min."


class Start(IntEnum):
    """How a run may start a sentence."""

    LOWER = 0
    CAPITAL = 1
    STARTER = 2  # a capitalized word that is not a name: inside a sentence it would have no capital
    FIRST_PERSON = 3  # "I", always a capital
    NUMBER = 4
    SYMBOL = 5
    DOT = 6  # a lone full stop, as in ". . ."
    CITATION = 7  # "[4]", part of the sentence before it
    CLOSER = 8  # a lone closing bracket or quote


_Tokens = tuple[tuple[str, int, int], ...]


class Chunk(NamedTuple):
    """A run of visible characters. Offsets count from its start.

    `joined` are the tokens when the final full stop belongs to an abbreviation, for endings that only the next run can
    decide; otherwise it is `tokens`. `quoted` says that a closing quote is its last character. `inner_ends` are the
    numbers of tokens after which a sentence ends inside the run. A `plain` run is one token and no end.
    """

    tokens: _Tokens
    joined: _Tokens
    ending: Ending
    start: Start
    quoted: bool
    inner_ends: tuple[int, ...]
    plain: bool


_CLOSERS = "\"'”’)]}»›」』*_"
_STOPS = ".?!…‽؟۔。！？｡।॥։"
_OPENING = re.compile(r"[\"'“‘«‹(\[{¿¡*_`「『]*")
_LONE_DOT = re.compile(r"\.[\"'”’)\]}»]*\Z")
_ONLY_CLOSERS = re.compile(r"[”’)\]}»]+[.,;:]?\Z")
_CITATION = re.compile(r"(?:\[\w{1,4}(?:[,–-]\w{1,4})*\])+[.,;]?\Z")
_DASH = re.compile(r"(?:-{2,3}|[–—―])\Z")
_ITEM = re.compile(r"\(?\d{1,3}(?:\.\d{1,2}){0,3}\Z")
_FIRST_WORD = re.compile(r"\w+(?:['’]\w+)?")
# A sentence that ends without a blank: "the end.The start", "Who?Me", and scripts that write no blanks.
_INNER_END = re.compile(
    r"(?<=[a-z][a-z)”\"][.?!])(?=(?:[A-Z][a-z]+|I|A)\b(?!\.\w))|(?<=[?!])(?=[A-Z])|(?<=[。！？｡])(?![」』”’。！？｡]|\Z)"
)
_WORD_AND_MARK = re.compile(r"([^\W\d_]+)([,.;:?!])\Z")
_NO_PROSE = re.compile(r"[/@_\\<>=]|www\.")

# Endings whose full stop belongs to the word inside a sentence, and is a token at the end of one.
_UNDECIDED = {Ending.NUMBERED, Ending.AMBIGUOUS, Ending.INITIAL, Ending.ITEM, Ending.SHORTENED}


class ChunkReader(dict[str, Chunk]):
    """The chunk of each run of visible characters, made when first asked for: `reader[text]`."""

    def __init__(self, *, split_hyphens: bool) -> None:
        super().__init__()
        self._pattern = token_pattern(split_hyphens=split_hyphens)

    def __missing__(self, text: str) -> Chunk:
        chunk = _read(text, self._pattern)
        if len(text) <= _REMEMBERED_LENGTH:
            if len(self) >= _REMEMBERED_CHUNKS:
                self.clear()
            self[text] = chunk
        return chunk


def _read(text: str, pattern: re.Pattern[str]) -> Chunk:
    if text.isalpha() and text.lower() not in vocabulary.FUSED_WORDS:
        tokens: _Tokens = ((text, 0, len(text)),)
        return Chunk(tokens, tokens, Ending.NONE, _start(text), quoted=False, inner_ends=(), plain=True)
    found: list[tuple[str, int, int]] = []
    inner_ends: list[int] = []
    left = 0
    # Sentence ends inside the run come first: "him.It" could also be the name of a host.
    for right in (*_inner_ends(text), len(text)):
        found += _tokens(text[left:right], left, pattern)
        inner_ends.append(len(found))
        left = right
    ending, last = _ending(text, found)
    tokens = tuple(_join_abbreviations(found, last))
    # Joining shifts the numbers of tokens, so the ends are found again by their offsets.
    if len(inner_ends) > 1:
        ends = {found[number - 1][2] for number in inner_ends[:-1]}
        inner_ends = [number for number, token in enumerate(tokens, start=1) if token[2] in ends]
    else:
        inner_ends = []
    joined = _join_last_stop(tokens, len(text.rstrip(_CLOSERS))) if ending in _UNDECIDED else tokens
    plain = len(tokens) == 1 and ending is Ending.NONE
    quoted = text[-1] in "\"'”’"
    return Chunk(tokens, joined, ending, _start(text), quoted=quoted, inner_ends=tuple(inner_ends), plain=plain)


def _inner_ends(text: str) -> list[int]:
    if _NO_PROSE.search(text):
        return []
    return [match.start() for match in _INNER_END.finditer(text)]


def _tokens(part: str, offset: int, pattern: re.Pattern[str]) -> list[tuple[str, int, int]]:
    simple = _WORD_AND_MARK.match(part)
    if simple and simple[1].lower() not in vocabulary.FUSED_WORDS:  # the expression would find the same, but slower
        end = offset + len(part)
        return [(simple[1], offset, end - 1), (simple[2], end - 1, end)]
    found: list[tuple[str, int, int]] = []
    for match in pattern.finditer(part):
        word = match[0]
        start = match.start() + offset
        cut = vocabulary.FUSED_WORDS.get(word.lower().replace("’", "'")) if len(word) < 10 else None
        if cut:
            found.append((word[:cut], start, start + cut))
            found.append((word[cut:], start + cut, start + len(word)))
        else:
            found.append((word, start, start + len(word)))
    return found


def _abbreviation(word: str) -> Ending:
    """Return what a word before a full stop is."""
    lower = word.lower()
    if len(word) == 1 and word.isalpha():
        return Ending.NUMBERED if word in "pn" else Ending.INITIAL
    if _ITEM.match(word):
        return Ending.ITEM
    if word in vocabulary.SHORTENED_WORDS:
        return Ending.SHORTENED
    if lower in vocabulary.NUMBERED_ABBREVIATIONS:
        return Ending.NUMBERED
    if lower in vocabulary.AMBIGUOUS_ABBREVIATIONS:
        return Ending.AMBIGUOUS if word[0].isupper() else Ending.STOP
    if lower in vocabulary.LEADING_ABBREVIATIONS:
        return Ending.LEADING
    if lower in vocabulary.TRAILING_ABBREVIATIONS:
        return Ending.TRAILING
    return Ending.STOP


def _ending(text: str, tokens: list[tuple[str, int, int]]) -> tuple[Ending, int]:
    """Return how the run ends, and the number of the token that ends it."""
    core = len(text.rstrip(_CLOSERS))
    last = len(tokens) - 1
    if not core or text[core - 1] not in _STOPS:
        return (Ending.DASH if _DASH.match(text) else Ending.NONE), last
    while tokens[last][1] >= core:
        last -= 1
    mark, start, end = tokens[last]
    if end != core:  # the stop is inside a token
        return Ending.NONE, last
    if mark[0].isalpha() and mark[-1] == ".":
        lower = mark[:-1].lower()
        return (Ending.LEADING if lower in vocabulary.LEADING_ABBREVIATIONS else Ending.TRAILING), last
    if mark == ".":
        if last and tokens[last - 1][2] == start:
            return _abbreviation(tokens[last - 1][0]), last
        return Ending.STOP, last
    if mark[0].isalnum():
        return Ending.NONE, last
    return (Ending.ELLIPSIS if mark[-1] in ".…" else Ending.MARK), last


def _join_abbreviations(tokens: list[tuple[str, int, int]], last: int) -> list[tuple[str, int, int]]:
    """Return the tokens with full stops joined to the abbreviations before them; one that ends the run may wait."""
    joined: list[tuple[str, int, int]] = []
    for number, token in enumerate(tokens):
        if token[0] == "." and joined and joined[-1][2] == token[1]:
            word, start, _ = joined[-1]
            kind = _abbreviation(word)
            if kind in (Ending.LEADING, Ending.TRAILING) or (number != last and kind in _UNDECIDED - {Ending.ITEM}):
                joined[-1] = (word + ".", start, token[2])
                continue
        joined.append(token)
    return joined


def _join_last_stop(tokens: _Tokens, core: int) -> _Tokens:
    for number, (_, _, end) in enumerate(tokens):
        if end == core:
            word, start, _ = tokens[number - 1]
            return (*tokens[: number - 1], (word + ".", start, end), *tokens[number + 1 :])
    return tokens


def _start(text: str) -> Start:
    opening = _OPENING.match(text)
    at = opening.end() if opening else 0
    if at == len(text):
        return Start.SYMBOL
    first = text[at]
    if first.islower():
        return Start.LOWER
    if first.isalpha():
        word = _FIRST_WORD.match(text, at)
        if word is None:
            return Start.CAPITAL
        if first == "I" and word[0] in vocabulary.FIRST_PERSON:
            return Start.FIRST_PERSON
        return Start.STARTER if word[0].replace("’", "'") in vocabulary.SENTENCE_STARTERS else Start.CAPITAL
    if _CITATION.match(text):
        return Start.CITATION
    if first.isdigit():
        return Start.NUMBER
    if _LONE_DOT.match(text):
        return Start.DOT
    return Start.CLOSER if _ONLY_CLOSERS.match(text) else Start.SYMBOL
