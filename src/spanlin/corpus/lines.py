"""The lines of a byte range of a file; however the file is cut into ranges, each line belongs to one of them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import BinaryIO, NamedTuple

_BLOCK = 1 << 16


class Line(NamedTuple):
    """A line without its line break, and the byte of the file at which it begins; without data if it is too long."""

    place: int
    data: bytes | None


def read_lines(stream: BinaryIO, begin: int, end: int | None, *, longest: int, block: int = _BLOCK) -> Iterator[Line]:
    r"""Yield the lines that begin at a byte from `begin` up to, not including, `end`; None is the end of the file.

    A line ends with `\n`; the last one need not. Memory holds at most `longest` bytes of a line, and two blocks.
    """
    place = max(begin - 1, 0)
    if place:
        stream.seek(place)
    # If the byte before is not a line break, it is in a line that began earlier and is not ours.
    is_ours = begin == 0
    start = place  # of the line that is being read
    parts: list[bytes] = []
    length = 0
    while data := stream.read(block):
        at = 0
        while (found := data.find(b"\n", at)) >= 0:
            if is_ours:
                length += found - at
                parts.append(data[at:found])
                yield Line(start, b"".join(parts) if length <= longest else None)
            at = found + 1
            start, parts, length, is_ours = place + at, [], 0, True
            if end is not None and start >= end:
                return
        place += len(data)
        length += len(data) - at
        if is_ours and length <= longest:
            parts.append(data[at:])
        elif end is not None and place >= end:  # no other line can begin before the end
            if is_ours:
                yield Line(start, None)
            return
        else:
            parts = []
    if is_ours and length:
        yield Line(start, b"".join(parts) if length <= longest else None)
