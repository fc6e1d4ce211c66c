"""Where a line break ends a sentence: blank lines, headings, items of a list, rows of a table.

Any other line break is where an editor wrapped a paragraph, and counts as a space.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

from spanlin.text.chunks import INVISIBLE

# A set of characters comes first: an expression is found several times as fast by how it must begin.
_BREAK = r"[\n\x0b\r\x1c-\x1e\x85\u2028](?:(?<=\r)\n)?+"
_BLANKS = rf"[ \t\x1f\xa0\u1680\u2000-\u200a\u202f\u205f\u3000{INVISIBLE}]*+"
LINE_BREAK = re.compile(_BREAK)
PARAGRAPH_BREAK = re.compile(
    rf"[\n-\r\x1c-\x1e\x85\u2028\u2029](?:(?<=[\x0c\u2029])|(?<![\x0c\u2029])(?:(?<=\r)\n)?+(?:{_BLANKS}{_BREAK})+)"
)
BLANK_LINES = re.compile(rf"(?:{_BLANKS}{_BREAK})+")
_VISIBLE = re.compile(rf"{_BLANKS}[^\s{INVISIBLE}]")
_ONLY_BLANKS = re.compile(rf"{_BLANKS}\Z")
PAGE_BREAKS = ("\x0c", "\u2029")
_ANY_BREAK = re.compile(r"[\n-\r\x1c-\x1e\x85\u2028\u2029]")
_BULLET = re.compile(rf"{_BLANKS}(?:[-*+•‣◦▪●○·–—]|#{{1,6}}|\(?[a-zA-Z]\)|\(\d{{1,3}}\)|\[[ xX]\])[ \t]")
_NUMBERED = re.compile(rf"{_BLANKS}(?:\d{{1,3}}[.)]|\d{{1,2}}(?:\.\d{{1,2}})+\.?)[ \t]")
_HEADING = re.compile(rf"{_BLANKS}#{{1,6}}[ \t]")
_ROW = re.compile(rf"{_BLANKS}\|")
_RULE = re.compile(rf"{_BLANKS}([-=*_~#])\1{{2,}}{_BLANKS}\Z")
_FIRST_WORD = re.compile(r"[\"'“‘(\[]*(\S+)")
_CONTINUES = tuple(",;-–—/&")
_SHORTEST_WIDTH = 45  # a narrower column of lines is a list or a poem rather than wrapped text
_LONGEST_WIDTH = 200  # nobody wraps at such a width: each line is a paragraph
_BLOCK_LINES = 500
_BLOCK_CHARACTERS = 1 << 17


class Stretch(NamedTuple):
    """A part of a text; if `is_end`, no sentence continues after it."""

    text: str
    is_end: bool


class Cut(NamedTuple):
    """Where a text can be cut, and the width of the paragraph that goes on there; 0 if one begins."""

    place: int
    width: int = 0


def segments(text: str, width: int = 0) -> Iterator[tuple[int, int]]:
    """Yield the segments of a text, as start and end, whose edges no sentence crosses.

    A text that was cut off begins with the rest of a paragraph, which has a `width` already.
    """
    if not _ANY_BREAK.search(text):  # as in most short texts
        yield 0, len(text)
        return
    start = 0
    for match in PARAGRAPH_BREAK.finditer(text):
        yield from _segments_of_paragraph(text, start, match.start(), width)
        start, width = match.end(), 0
    yield from _segments_of_paragraph(text, start, len(text), width)


def _segments_of_paragraph(text: str, start: int, end: int, width: int) -> Iterator[tuple[int, int]]:
    lines = _line_spans(text, start, end)
    for block in _blocks(lines):
        width = _width(lines, block, width)
        for right, next_left in _sentence_ends(text, lines, block, width):
            yield start, right
            start = next_left
    yield start, end


def starts_visibly(text: str, place: int = 0) -> bool:
    """Return whether something is in the line that starts at a place."""
    return _VISIBLE.match(text, place) is not None


def last_cut(text: str, width: int = 0) -> Cut | None:
    """Return the last place where `segments` would cut a text, whatever came behind it.

    It is after a blank line. Without any, it is between two lines of a paragraph, and then it may be missed. `width` is
    that of the paragraph before the text, if it was cut off there.
    """
    ends = [match.end() for match in PARAGRAPH_BREAK.finditer(text)]
    if ends:
        return next((Cut(end) for end in reversed(ends) if starts_visibly(text, end)), None)
    lines = _line_spans(text, 0, len(text))[:-1]  # there may be more of the last one to come
    found = None
    for block in _blocks(lines):
        if block.stop == len(lines):
            break
        width = _width(lines, block, width)
        if any(_sentence_ends(text, lines, block[-1:], width)):
            found = Cut(lines[block.stop][0], width)
    return found


def stretches(lines: Iterable[str], width: int = 0) -> Iterator[Stretch]:
    """Yield all of a text that comes in parts, such as lines, cut where `segments` cuts it, and between blocks.

    Memory holds at most a block of lines, and the current part. `width` is as in `segments`.
    """
    cutter = _Cutter(width)
    count = size = 0
    for line in lines:
        cutter.waiting.append(line)
        count += 1
        size += len(line)
        # This only decides when to look: what is missed here is found the next time.
        is_break = line.isspace() or any(mark in line for mark in PAGE_BREAKS)
        if is_break or count > _BLOCK_LINES or size >= _BLOCK_CHARACTERS:
            yield from cutter.cut(is_last=False)
            count = size = 0
    yield from cutter.cut(is_last=True)


class _Cutter:
    """Cuts the part of a text read so far; that part begins with a paragraph or a block."""

    def __init__(self, width: int) -> None:
        self.waiting: list[str] = []
        self._width = width  # of the paragraph's lines so far
        self._is_between = False  # after a blank line, with which all following blank lines go

    def cut(self, *, is_last: bool) -> Iterator[Stretch]:
        """Yield all that no later part of the text can change."""
        text = "".join(self.waiting)
        at = 0
        for stretch in self._cut(text, is_last=is_last):
            at += len(stretch.text)
            yield stretch
        self.waiting = [text[at:]]

    def _cut(self, text: str, *, is_last: bool) -> Iterator[Stretch]:
        at = 0
        while True:
            if self._is_between:
                if blank := BLANK_LINES.match(text, at):
                    yield _stretch(text, at, blank.end())
                    at = blank.end()
                if not is_last and _ONLY_BLANKS.match(text, at):
                    return
            self._is_between = False
            match = PARAGRAPH_BREAK.search(text, at)
            if match is None:
                break
            for stretch in self._paragraph(text, at, match.start(), is_whole=True):
                at += len(stretch.text)
                yield stretch
            yield _stretch(text, at, match.end())
            at = match.end()
            self._width = 0
            self._is_between = match[0] not in PAGE_BREAKS
        # A carriage return may be half a line break.
        end = len(text) - (text.endswith("\r") and not is_last)
        for stretch in self._paragraph(text, at, end, is_whole=is_last):
            at += len(stretch.text)
            yield stretch
        if is_last:
            yield _stretch(text, at, end)

    def _paragraph(self, text: str, at: int, end: int, *, is_whole: bool) -> Iterator[Stretch]:
        """Yield a paragraph up to its last sentence end at a line break, or as far as its whole blocks go."""
        lines = _line_spans(text, at, end)
        if not is_whole:
            lines.pop()  # there may be more of it to come
        for block in _blocks(lines):
            if block.stop == len(lines) and not is_whole:  # more of it, or of what follows, may be to come
                return
            self._width = _width(lines, block, self._width)
            for _, next_left in _sentence_ends(text, lines, block, self._width):
                yield _stretch(text, at, next_left)
                at = next_left
            if not is_whole and at < lines[block.stop][0]:
                yield _stretch(text, at, lines[block.stop][0], is_end=False)
                at = lines[block.stop][0]


def _stretch(text: str, start: int, end: int, *, is_end: bool = True) -> Stretch:
    return Stretch(text[start:end], is_end)


def _line_spans(text: str, start: int, end: int) -> list[tuple[int, int]]:
    breaks = [match.span() for match in LINE_BREAK.finditer(text, start, end)]
    return list(zip([start, *(right for _, right in breaks)], [*(left for left, _ in breaks), end], strict=True))


def _blocks(lines: Sequence[tuple[int, int]]) -> Iterator[range]:
    """Yield the numbers of a paragraph's lines in blocks.

    The width of a paragraph is that of its lines up to the end of a block, so a long one need not be in memory as a
    whole.
    """
    first = 0
    for number, (_, right) in enumerate(lines, start=1):
        if number - first == _BLOCK_LINES or right - lines[first][0] >= _BLOCK_CHARACTERS:
            yield range(first, number)
            first = number
    if first < len(lines):
        yield range(first, len(lines))


def _width(lines: Sequence[tuple[int, int]], block: range, before: int) -> int:
    """Return the width of a paragraph up to a block's end."""
    return max(before, *(right - left for left, right in lines[block.start : block.stop]))


def _sentence_ends(text: str, lines: Sequence[tuple[int, int]], block: range, width: int) -> Iterator[tuple[int, int]]:
    """Yield the breaks after a block's lines that end a sentence, as end of the line and start of the next."""
    width = max(width, _SHORTEST_WIDTH)
    for (left, right), (next_left, next_right) in pairwise(lines[block.start : block.stop + 1]):
        if _ends_sentence(text[left:right], text[next_left:next_right], width):
            yield right, next_left


def _ends_sentence(line: str, following: str, width: int) -> bool:
    """Return whether the break between two lines of a paragraph ends a sentence."""
    if not (_is_prose(line) and _is_prose(following)):
        if _HEADING.match(line) or _BULLET.match(following) or _ROW.match(following) or _ROW.match(line):
            return True
        if _RULE.match(line) or _RULE.match(following):
            return True
    line = line.rstrip()
    following = following.lstrip()
    word = _FIRST_WORD.match(following)
    if word is None:
        return False
    fits = len(line) + 1 + len(word[0]) <= width or width > _LONGEST_WIDTH
    if (
        not following[0].isalpha()
        and _NUMBERED.match(following)
        and (fits or line.endswith((".", ":", ";", "!", "?")) or _NUMBERED.match(line))
    ):
        return True
    return fits and not line.endswith(_CONTINUES) and not word[1][0].islower()


def _is_prose(line: str) -> bool:
    """Return whether a line is surely no heading, item of a list, row or rule: most begin with a word."""
    return line[:1].isalnum() and line[1:2] != ")"
