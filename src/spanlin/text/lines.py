"""Where a line break ends a sentence: blank lines, headings, items of a list, rows of a table.

Any other line break is where somebody's editor wrapped a paragraph, and means a blank.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise

from spanlin.text.chunks import INVISIBLE

_BREAK = r"(?>\r\n?|[\n\x0b\x1c-\x1e\x85\u2028])"
_BLANKS = rf"[ \t\x1f\xa0\u1680\u2000-\u200a\u202f\u205f\u3000{INVISIBLE}]*+"
LINE_BREAK = re.compile(_BREAK)
PARAGRAPH_BREAK = re.compile(rf"{_BREAK}(?:{_BLANKS}{_BREAK})+|[\x0c\u2029]")
BLANK_LINES = re.compile(rf"(?:{_BLANKS}{_BREAK})+")
PAGE_BREAKS = ("\x0c", "\u2029")
_BULLET = re.compile(rf"{_BLANKS}(?:[-*+•‣◦▪●○·–—]|#{{1,6}}|\(?[a-zA-Z]\)|\(\d{{1,3}}\)|\[[ xX]\])[ \t]")
_NUMBERED = re.compile(rf"{_BLANKS}(?:\d{{1,3}}[.)]|\d{{1,2}}(?:\.\d{{1,2}})+\.?)[ \t]")
_HEADING = re.compile(rf"{_BLANKS}#{{1,6}}[ \t]")
_ROW = re.compile(rf"{_BLANKS}\|")
_RULE = re.compile(rf"{_BLANKS}([-=*_~#])\1{{2,}}{_BLANKS}\Z")
_FIRST_WORD = re.compile(r"[\"'“‘(\[]*(\S+)")
_GOES_ON = tuple(",;-–—/&")
_SHORTEST_WIDTH = 45  # a narrower column of lines is a list or a poem rather than wrapped text
_LONGEST_WIDTH = 200  # nobody wraps at such a width: one line is one paragraph


def segments(text: str) -> Iterator[tuple[int, int]]:
    """Yield the stretches of text, as start and end, that no sentence crosses."""
    start = 0
    for match in PARAGRAPH_BREAK.finditer(text):
        yield from _segments_of_paragraph(text, start, match.start())
        start = match.end()
    yield from _segments_of_paragraph(text, start, len(text))


def _segments_of_paragraph(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    breaks = [match.span() for match in LINE_BREAK.finditer(text, start, end)]
    if not breaks:
        yield start, end
        return
    lines = list(zip([start, *(right for _, right in breaks)], [*(left for left, _ in breaks), end], strict=True))
    width = max(right - left for left, right in lines)
    width = max(width, _SHORTEST_WIDTH)
    first = start
    for (left, right), (next_left, next_right) in pairwise(lines):
        if _ends_sentence(text[left:right], text[next_left:next_right], width):
            yield first, right
            first = next_left
    yield first, end


def _ends_sentence(line: str, following: str, width: int) -> bool:
    """Return whether the break between two lines of a paragraph ends a sentence too."""
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
    if _NUMBERED.match(following) and (fits or line.endswith((".", ":", ";", "!", "?")) or _NUMBERED.match(line)):
        return True
    return fits and not line.endswith(_GOES_ON) and not word[1][0].islower()
