"""Protobuf's wire format, read so strictly that no two readers can take the same bytes for different messages.

Other readers are lenient, each in its own way: that of C++ cuts a key to 32 bits, for one, so that field 2^29 + 13 is
field 13 there and an unknown one elsewhere. What only lenient readers take is refused.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

VARINT, EIGHT_BYTES, LENGTH, FOUR_BYTES = 0, 1, 2, 5
_FIXED = {EIGHT_BYTES: 8, FOUR_BYTES: 4}
_MOST_KEY_BYTES, _MOST_BYTES = 5, 10


class WireError(ValueError):
    """Bytes that are not a message as every writer of protobuf writes it."""


class Field(NamedTuple):
    """One field: its number, protobuf's kind of it, and where its bytes are; or `value`, for a varint."""

    number: int
    wire: int
    start: int
    end: int
    value: int


def read_fields(view: memoryview, start: int, end: int) -> Iterator[Field]:
    """Yield the fields of the message between two places, or raise a WireError."""
    place = start
    while place < end:
        key, place = read_varint(view, place, end, most_bytes=_MOST_KEY_BYTES)
        number, wire = key >> 3, key & 7
        if number == 0 or key >= 1 << 32:
            raise WireError("a field's key is 0 or beyond 32 bits")
        value, first = 0, place
        if wire == VARINT:
            value, place = read_varint(view, place, end)
        elif wire == LENGTH:
            length, first = read_varint(view, place, end)
            place = first + length
        elif wire in _FIXED:
            place += _FIXED[wire]
        else:
            raise WireError("a field is a group, or of no known kind")
        if place > end:
            raise WireError("a field is longer than its message")
        yield Field(number, wire, first, place, value)


def read_packed(view: memoryview, start: int, end: int) -> Iterator[int]:
    """Yield the varints between two places, or raise a WireError."""
    place = start
    while place < end:
        value, place = read_varint(view, place, end)
        yield value


def read_varint(view: memoryview, place: int, end: int, *, most_bytes: int = _MOST_BYTES) -> tuple[int, int]:
    """Return a varint of at most 64 bits and the place after it, or raise a WireError."""
    if place < end and view[place] < 0x80:  # as most are
        return view[place], place + 1
    value = 0
    for shift in range(0, 7 * most_bytes, 7):
        if place >= end:
            raise WireError("a number is cut short")
        byte = view[place]
        place += 1
        value |= (byte & 0x7F) << shift
        if byte < 0x80:
            if value >= 1 << 64 or (byte == 0 and shift):
                raise WireError("a number is longer than it has to be")
            return value, place
    raise WireError("a number is longer than it has to be")
