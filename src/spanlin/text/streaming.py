"""The sentences of a text that comes line by line, as soon as they are certain, however long its paragraphs are."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from typing import NamedTuple

from spanlin.errors import SpanlinError
from spanlin.text.chunks import CHUNK
from spanlin.text.lines import stretches
from spanlin.text.segmenter import read_sentences
from spanlin.text.tokens import Sentence

_LOOKAHEAD = 1000  # characters; what is so far after a sentence says nothing about its end
# From where reading may resume inside a sentence that is too long: such a word neither ends a sentence nor joins one.
_WORD = re.compile(r"[^\W_][\w,;:'’/-]*+(?=\s)")


class Part(NamedTuple):
    """A part of a text whose edges no sentence crosses, and its place in the input.

    Of a paragraph that is too long to wait for its end, the sentences are `found` already.
    """

    text: str
    offset: int
    found: tuple[Sentence, ...] | None = None


def iter_sentences(
    text: str | Iterable[str], *, split_hyphens: bool = True, longest_sentence: int = 500
) -> Iterator[Sentence]:
    """Yield what `tokenize` returns, of a text or of its lines, with at most some 500 lines in memory at a time.

    Lines keep their line breaks, as an open file yields them; offsets count from the start of the first.
    """
    read = partial(read_sentences, split_hyphens=split_hyphens, longest_sentence=longest_sentence)
    if isinstance(text, str):
        yield from read(text)
        return
    for part in text_parts(text, split_hyphens=split_hyphens, longest_sentence=longest_sentence):
        if part.found is None:
            yield from read(part.text, offset=part.offset, is_one_segment=True)
        else:
            yield from part.found


def text_parts(
    lines: Iterable[str],
    *,
    offset: int = 0,
    width: int = 0,
    split_hyphens: bool = True,
    longest_sentence: int = 500,
) -> Iterator[Part]:
    """Yield the parts of a text that comes in lines, or in any other pieces, each to be read alone as one segment.

    `offset` is the place of the text in the input, and `width` that of the paragraph with whose rest it begins, if
    it was cut off.
    """
    # Stretches are cut at line breaks that end sentences.
    read = partial(read_sentences, is_one_segment=True, split_hyphens=split_hyphens, longest_sentence=longest_sentence)
    waiting = ""
    enough = 0  # characters to wait for before looking again; it doubles, so that time is linear
    for stretch in stretches(checked_lines(lines), width):
        waiting += stretch.text
        if stretch.is_end:
            yield Part(waiting, offset)
            offset += len(waiting)
            waiting, enough = "", 0
        elif len(waiting) >= enough:
            found = list(read(waiting, offset=offset))
            count = _count_certain(found, waiting, offset, longest_sentence)
            done = found[count].start - offset if count else 0
            yield Part(waiting[:done], offset, tuple(found[:count]))
            offset += done
            waiting = waiting[done:]
            enough = 2 * len(waiting)


def checked_lines(lines: Iterable[str]) -> Iterator[str]:
    """Yield the lines, or raise a SpanlinError where something else was given."""
    if isinstance(lines, (bytes, bytearray)) or not isinstance(lines, Iterable):
        raise SpanlinError(f"give a string, or an open text file, not {type(lines).__name__}")
    for number, line in enumerate(lines, start=1):
        if not isinstance(line, str):
            advice = ": open the file as text, with an encoding" if isinstance(line, bytes) else ""
            raise SpanlinError(f"line {number} of the text is not a string but of type {type(line).__name__}{advice}")
        yield line


def _count_certain(found: Sequence[Sentence], text: str, offset: int, longest: int) -> int:
    """Return how many sentences would be the same if more text came and the rest were read on its own."""
    for count in range(len(found) - 1, 0, -1):
        start = found[count].start - offset
        if start > len(text) - _LOOKAHEAD or CHUNK.match(text, start - 1):  # the latter: inside a run of characters
            continue
        # Parts of a sentence that was cut have more than half of the words that are allowed.
        if len(found[count - 1].words) <= longest // 2 or _WORD.match(text, start):
            return count
    return 0
