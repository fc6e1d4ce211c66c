"""What a stranger's ONNX graph may not have, found in its bytes before onnxruntime sees them.

A reader of protobuf's wire format that knows only the few messages it walks: the light install has no `onnx`. Field
numbers are those of `onnx.proto`.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TypeAlias

from spanlin.errors import CheckpointError

Buffer: TypeAlias = "bytes | memoryview"

_DOMAINS = frozenset([b"", b"ai.onnx", b"com.microsoft"])
_MOST_PARTS = 500_000  # messages that are walked; the packaged model has a few thousand
_VARINT, _EIGHT_BYTES, _LENGTH, _FOUR_BYTES = 0, 1, 2, 5

# Which fields of a message lead to messages that are walked too.
_INSIDE = {
    "model": {7: "graph", 8: "operator set"},
    "graph": {1: "node", 5: "tensor", 11: "value", 12: "value", 13: "value", 15: "sparse tensor"},
    "node": {5: "attribute"},
    "attribute": {5: "tensor", 10: "tensor", 22: "sparse tensor", 23: "sparse tensor"},
    "sparse tensor": {1: "tensor", 2: "tensor"},
    "tensor": {},
    "operator set": {},
    "value": {2: "type"},
    "type": {1: "tensor type", 4: "wrapped type", 5: "map type", 8: "tensor type", 9: "wrapped type"},
    "wrapped type": {1: "type"},
    "map type": {2: "type"},
    "tensor type": {2: "shape"},
    "shape": {1: "dimension"},
    "dimension": {},
}
# Loop, Scan and If have graphs inside, as have the searches of com.microsoft; functions unfold, perhaps without end.
_REFUSED = {
    ("model", 20): "it holds training information",
    ("model", 25): "it defines functions of its own",
    ("attribute", 6): "it has control flow (a graph inside an operator)",
    ("attribute", 11): "it has control flow (graphs inside an operator)",
    ("tensor", 13): "it takes data from another file (external data)",
}
_DOMAIN_FIELDS = {("node", 7), ("operator set", 1)}
_DATA_LOCATION = ("tensor", 14)
# What onnxruntime tells of in its errors, and cannot where it is no text.
_NAMES = frozenset(
    [
        *(("node", 1), ("node", 2), ("node", 3), ("node", 4), ("attribute", 1), ("attribute", 4), ("attribute", 9)),
        *(("graph", 2), ("tensor", 8), ("value", 1), ("dimension", 2)),
    ]
)


def check_graph(data: Buffer, source: str) -> None:
    """Raise a CheckpointError if a graph reaches outside itself, could run without end, or is no ONNX at all."""
    view = memoryview(data)
    if bytes(view[4:8]) == b"ORTM":
        raise _refusal(source, "it is in onnxruntime's own format, not ONNX")
    waiting = [("model", 0, len(view))]
    parts = 0
    while waiting:
        kind, start, end = waiting.pop()
        parts += 1
        if parts > _MOST_PARTS:
            raise _refusal(source, f"it has more than {_MOST_PARTS} parts")
        inside = _INSIDE[kind]
        for number, value, length in _fields(view, start, end, source):
            if (kind, number) in _REFUSED:
                raise _refusal(source, _REFUSED[kind, number])
            if (kind, number) == _DATA_LOCATION and (length >= 0 or value != 0):
                raise _refusal(source, _REFUSED["tensor", 13])
            if (kind, number) in _DOMAIN_FIELDS and length >= 0:
                domain = bytes(view[value : value + min(length, 80)])
                if domain not in _DOMAINS:
                    raise _refusal(source, f"it has operators of the domain {domain.decode('utf-8', 'replace')!a}")
            if (kind, number) in _NAMES and length >= 0 and not _is_text(view[value : value + length]):
                raise _refusal(source, "it has a name that is not UTF-8")
            if number in inside:
                if length < 0:
                    raise _refusal(source, "it is damaged, or no ONNX")
                waiting.append((inside[number], value, value + length))


def _is_text(raw: memoryview) -> bool:
    try:
        str(raw, "utf-8")
    except UnicodeDecodeError:
        return False
    return True


def _fields(view: memoryview, start: int, end: int, source: str) -> Iterator[tuple[int, int, int]]:
    """Yield the fields of a message: number, then start and length of its bytes, or the value and -1."""
    place = start
    while place < end:
        key, place = _varint(view, place, end, source)
        number, wire = key >> 3, key & 7
        if wire == _VARINT:
            value, place = _varint(view, place, end, source)
            yield number, value, -1
            continue
        if wire == _LENGTH:
            length, place = _varint(view, place, end, source)
        elif wire in (_EIGHT_BYTES, _FOUR_BYTES):
            length = 8 if wire == _EIGHT_BYTES else 4
        else:
            raise _refusal(source, "it is damaged, or no ONNX")
        if number == 0 or place + length > end:
            raise _refusal(source, "it is damaged, or no ONNX")
        if wire == _LENGTH:
            yield number, place, length
        place += length


def _varint(view: memoryview, place: int, end: int, source: str) -> tuple[int, int]:
    value = 0
    for shift in range(0, 70, 7):
        if place >= end:
            break
        byte = view[place]
        place += 1
        value |= (byte & 0x7F) << shift
        if byte < 0x80:
            return value, place
    raise _refusal(source, "it is damaged, or no ONNX")


def _refusal(source: str, reason: str) -> CheckpointError:
    return CheckpointError(f"{source}: cannot be loaded: {reason}; export the model again")
