"""Protobuf's wire format, as far as is needed to change one field of an ONNX file and have all lengths right again."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

# Which fields of which message are messages; the numbers are those of `onnx.proto`.
_INSIDE = {
    "model": {7: "graph", 8: "operator set"},
    "graph": {1: "node", 5: "tensor", 11: "value", 12: "value", 13: "value", 15: "sparse tensor"},
    "node": {5: "attribute"},
    "attribute": {5: "tensor", 6: "graph", 10: "tensor", 11: "graph", 22: "sparse tensor"},
    "sparse tensor": {1: "tensor", 2: "tensor"},
    "value": {2: "type"},
    "type": {1: "tensor type", 4: "tensor type"},
    "tensor type": {2: "shape"},
    "shape": {1: "dimension"},
    "tensor": {},
    "dimension": {},
    "operator set": {},
}
_NUMBER, _EIGHT_BYTES, _BYTES, _FOUR_BYTES = 0, 1, 2, 5


@dataclass
class Field:
    """One field: a whole number, or bytes, which may be a message; `wire` is protobuf's kind of it.

    `key` is for bytes that say number and kind otherwise than writers do, or other ones.
    """

    number: int
    wire: int
    value: int | bytes
    key: bytes = b""


@dataclass(frozen=True)
class Place:
    """Where a field is: its place in its message after the places of the messages around it; and of what kind it is."""

    places: tuple[int, ...]
    kind: str  # of message, "" if it is none
    around: str  # the kind of message it is in
    field: Field


def all_places(raw: bytes, kind: str = "model", before: tuple[int, ...] = ()) -> list[Place]:
    """Return every field of a message and of those inside it."""
    found: list[Place] = []
    for place, field in enumerate(read_fields(raw)):
        inner = _INSIDE[kind].get(field.number, "") if isinstance(field.value, bytes) else ""
        found.append(Place((*before, place), inner, kind, field))
        if inner and isinstance(field.value, bytes):
            found += all_places(field.value, inner, (*before, place))
    return found


def change_message(raw: bytes, places: Sequence[int], change: Callable[[list[Field]], None]) -> bytes:
    """Return a message after a change to the fields of the one inside it at these places."""
    fields = read_fields(raw)
    if not places:
        change(fields)
    else:
        field = fields[places[0]]
        if not isinstance(field.value, bytes):
            raise LookupError
        field.value = change_message(field.value, places[1:], change)
    return write_fields(fields)


def read_fields(raw: bytes) -> list[Field]:
    """Return the fields of a message that is whole."""
    fields: list[Field] = []
    place = 0
    while place < len(raw):
        start = place
        key, place = _read_varint(raw, place)
        odd = raw[start:place] if raw[start:place] != varint(key) else b""
        number, wire = key >> 3, key & 7
        value: int | bytes
        if wire == _NUMBER:
            value, place = _read_varint(raw, place)
        else:
            length = {_EIGHT_BYTES: 8, _FOUR_BYTES: 4}.get(wire, 0)
            if wire == _BYTES:
                length, place = _read_varint(raw, place)
            value = raw[place : place + length]
            place += length
        fields.append(Field(number, wire, value, odd))
    return fields


def write_fields(fields: Sequence[Field]) -> bytes:
    """Return a message as bytes."""
    parts: list[bytes] = []
    for field in fields:
        parts.append(field.key or varint(field.number << 3 | field.wire))
        if isinstance(field.value, int):
            parts.append(varint(field.value))
            continue
        if field.wire == _BYTES:
            parts.append(varint(len(field.value)))
        parts.append(field.value)
    return b"".join(parts)


def make_field(number: int, value: int | str | bytes) -> Field:
    """Return a field of the fitting wire kind."""
    if isinstance(value, int):
        return Field(number, _NUMBER, value % 2**64)
    return Field(number, _BYTES, value.encode() if isinstance(value, str) else value)


def _read_varint(raw: bytes, place: int) -> tuple[int, int]:
    value = shift = 0
    while True:
        byte = raw[place]
        place += 1
        value |= (byte & 0x7F) << shift
        shift += 7
        if byte < 0x80:
            return value, place


def varint(value: int) -> bytes:
    """Return a whole number as protobuf writes it."""
    out = bytearray()
    while value > 0x7F:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    out.append(value)
    return bytes(out)
