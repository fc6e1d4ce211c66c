"""What an untrusted ONNX graph may have, checked in its bytes before onnxruntime sees them.

Only known fields, each of its kind and once where there may be one, and only known operators: what is not listed here
is refused, so that nothing depends on how other readers take odd bytes. The light install has no `onnx`; the numbers
are those of `onnx.proto`.
"""

from __future__ import annotations

from typing import TypeAlias

from spanlin.errors import CheckpointError
from spanlin.model_folder.graph_operators import DOMAINS, OPERATORS
from spanlin.model_folder.wire_format import (
    EIGHT_BYTES,
    FOUR_BYTES,
    LENGTH,
    VARINT,
    Field,
    WireError,
    read_fields,
    read_packed,
)

Buffer: TypeAlias = "bytes | memoryview"

_MOST_PARTS = 500_000  # fields in all; the packaged model has twelve thousand
_LARGEST_DIMENSION = 1 << 31


def _table(text: str) -> dict[int, str]:
    """Return the kind of each field by its number."""
    rows = [row.rpartition(": ") for row in text.split("; ")]
    return {int(number): kind for kind, _, numbers in rows for number in numbers.split()}


# Every field of every message that may be there: a kind of value or the message inside; with a star, any number of it.
_MESSAGES: dict[str, dict[int, str]] = {
    "model": _table("number: 1 5; text: 2 3 4 6; graph: 7; operator set*: 8; entry*: 14"),
    "graph": _table("node*: 1; text: 2 10; tensor*: 5; value*: 11 12 13; annotation*: 14; entry*: 16"),
    "node": _table("text*: 1 2; text: 3 4 6 7; attribute*: 5; entry*: 9"),
    "attribute": _table(
        "text: 1 4 13; float: 2; number: 3; tensor: 5; float*: 7; number*: 8; text*: 9; tensor*: 10; attribute type: 20"
    ),
    "tensor": _table(
        "number*: 1 5 7 11; small: 2; float*: 4; text: 8 12; bytes: 9; double*: 10; location: 14; entry*: 16"
    ),
    "operator set": _table("text: 1; number: 2"),
    "entry": _table("text: 1 2"),
    "annotation": _table("text: 1; entry*: 2"),
    "value": _table("text: 1 3; type: 2; entry*: 4"),
    "type": _table("tensor type: 1; text: 6"),
    "tensor type": _table("small: 1; shape: 2"),
    "shape": _table("dimension*: 1"),
    "dimension": _table("number: 1; text: 2 3"),
}
_NUMBERS = {  # the largest value of each kind of varint; readers cut the small ones to 32 bits
    "number": (1 << 64) - 1,
    "small": 1000,
    "attribute type": 9,
    "location": 0,
}
_WIRES = {
    **dict.fromkeys(_NUMBERS, VARINT),
    "float": FOUR_BYTES,
    "double": EIGHT_BYTES,
    **dict.fromkeys(("text", "bytes", *_MESSAGES), LENGTH),
}
_PACKED = frozenset(["number*", "float*", "double*"])
_GRAPH_TYPE = 5  # of an attribute

_ELSEWHERE = "it takes data from another file (external data)"
_SPARSE = "it has sparse tensors"
_REFUSED = {
    ("model", 20): "it holds training information",
    ("model", 25): "it defines functions of its own",
    ("graph", 15): _SPARSE,
    ("attribute", 6): "it has control flow (a graph inside an operator)",
    ("attribute", 11): "it has control flow (graphs inside an operator)",
    ("attribute", 22): _SPARSE,
    ("attribute", 23): _SPARSE,
    ("tensor", 13): _ELSEWHERE,
}
_OPERATOR, _DOMAIN = 4, 7  # of a node
_CONTROL_FLOW = frozenset(["If", "Loop", "Scan", "SequenceMap"])


def check_graph(data: Buffer, source: str) -> None:
    """Raise a CheckpointError if a graph reaches outside itself, could run without end, or is not plain ONNX."""
    view = memoryview(data)
    if bytes(view[4:8]) == b"ORTM":
        raise _refusal(source, "it is in onnxruntime's own format, not ONNX")
    try:
        _check_messages(view)
    except WireError as error:
        raise _refusal(source, f"it is damaged, or no ONNX ({error})") from error
    except _RefusedError as error:
        raise _refusal(source, str(error)) from error


class _RefusedError(Exception):
    """What no graph may have."""


def _check_messages(view: memoryview) -> None:
    waiting = [("model", 0, len(view))]
    parts = 0
    while waiting:
        kind, start, end = waiting.pop()
        known = _MESSAGES[kind]
        singles: dict[int, Field] = {}
        elements = 1
        for field in read_fields(view, start, end):
            parts += 1
            if parts > _MOST_PARTS:
                raise _RefusedError(f"it has more than {_MOST_PARTS} parts")
            number = field.number
            if (kind, number) in _REFUSED:
                raise _RefusedError(_REFUSED[kind, number])
            if number not in known:
                raise _RefusedError(f"its {kind} has a field {number} that is not known here")
            what = known[number]
            _check_kind(kind, field, what)
            if not what.endswith("*"):
                if number in singles:
                    raise _RefusedError(f"its {kind} has the field {number} twice")
                singles[number] = field
            bare = what.rstrip("*")
            if bare in _MESSAGES:
                waiting.append((bare, field.start, field.end))
            elif bare == "text":
                _check_text(view[field.start : field.end])
            elif kind == "tensor" and number == 1:
                elements = _times_dimensions(elements, view, field)
        if kind == "tensor" and elements > 2 * (end - start):  # the smallest take half a byte
            raise _RefusedError("it has a tensor of more elements than it has bytes")
        if kind == "node":
            _check_operator(_text(view, singles.get(_DOMAIN)), _text(view, singles.get(_OPERATOR)))
        elif kind == "operator set":
            _check_domain(_text(view, singles.get(1)))


def _check_kind(kind: str, field: Field, what: str) -> None:
    """Raise an error if a field is written otherwise than its kind, or has a value that readers would change."""
    bare = what.rstrip("*")
    if field.wire != _WIRES[bare] and not (what in _PACKED and field.wire == LENGTH):
        raise WireError(f"field {field.number} of its {kind} is of another kind")
    if bare in _NUMBERS and field.value > _NUMBERS[bare]:
        raise _RefusedError(
            _ELSEWHERE if what == "location" else f"its {kind} has {field.value} in the field {field.number}"
        )
    if what == "attribute type" and field.value == _GRAPH_TYPE:
        raise _RefusedError(_REFUSED["attribute", 6])


def _times_dimensions(elements: int, view: memoryview, field: Field) -> int:
    sizes = [field.value] if field.wire == VARINT else read_packed(view, field.start, field.end)
    for size in sizes:
        if size > _LARGEST_DIMENSION:
            raise _RefusedError("it has a tensor of more elements than it has bytes")
        elements = min(elements * size, 1 << 64)
    return elements


def _check_text(raw: memoryview) -> None:
    try:
        str(raw, "utf-8")
    except UnicodeDecodeError:
        raise _RefusedError("it has a name that is not UTF-8") from None


def _text(view: memoryview, field: Field | None) -> str:
    return "" if field is None else str(view[field.start : field.end], "utf-8")


def _check_operator(domain: str, operator: str) -> None:
    _check_domain(domain)
    if operator in _CONTROL_FLOW:
        raise _RefusedError(f"it has control flow (the operator {operator})")
    if operator not in OPERATORS[DOMAINS[domain]]:
        named = ascii(f"{domain}.{operator}" if domain else operator)
        raise _RefusedError(f"it has the operator {named[:60]}, which parsers have no use for")


def _check_domain(domain: str) -> None:
    if domain not in DOMAINS:
        raise _RefusedError(f"it has operators of the domain {ascii(domain)[:80]}")


def _refusal(source: str, reason: str) -> CheckpointError:
    return CheckpointError(f"{source}: cannot be loaded: {reason}; export the model again")
