"""A graph without some of its outputs and all that only they need, cut from its bytes.

onnxruntime runs every node of a graph, whichever outputs it is asked for, and even those that lead to none.
"""

from __future__ import annotations

from collections.abc import Collection

from spanlin.model_folder.wire_format import LENGTH, Field, read_fields

# Numbers of fields, as in `onnx.proto`.
_GRAPH = 7
_NODE, _TENSOR, _OUTPUT = 1, 5, 12  # of a graph
_TAKEN, _GIVEN = 1, 2  # by a node
_TENSOR_NAME, _OUTPUT_NAME = 8, 1


def without_outputs(data: bytes | memoryview, names: Collection[str]) -> bytes:
    """Return the bytes of an ONNX graph, which was checked, without the outputs of these names."""
    view = memoryview(data)
    parts: list[bytes | memoryview] = []
    place = 0
    for field in read_fields(view, 0, len(view)):
        if field.number == _GRAPH:
            kept = _kept(view, field, names)
            parts += [_varint(_GRAPH << 3 | LENGTH), _varint(sum(map(len, kept))), *kept]
        else:
            parts.append(view[place : field.end])
        place = field.end
    return b"".join(parts)


def _kept(view: memoryview, graph: Field, names: Collection[str]) -> list[memoryview]:
    """Return the fields of a graph that the other outputs need, each as it is."""
    fields = list(read_fields(view, graph.start, graph.end))
    needed = {name for field in fields if field.number == _OUTPUT for name in _texts(view, field, _OUTPUT_NAME)}
    needed -= set(names)
    dropped = set()
    # A node stands after those that make what it takes.
    for number in range(len(fields) - 1, -1, -1):
        field = fields[number]
        if field.number == _NODE:
            if needed.isdisjoint(_texts(view, field, _GIVEN)):
                dropped.add(number)
            else:
                needed.update(_texts(view, field, _TAKEN))
    for number, field in enumerate(fields):
        if (field.number == _OUTPUT and needed.isdisjoint(_texts(view, field, _OUTPUT_NAME))) or (
            field.number == _TENSOR and needed.isdisjoint(_texts(view, field, _TENSOR_NAME))
        ):
            dropped.add(number)
    starts = [graph.start, *(field.end for field in fields)]
    return [view[starts[number] : field.end] for number, field in enumerate(fields) if number not in dropped]


def _texts(view: memoryview, message: Field, number: int) -> list[str]:
    """Return the texts that a message has in the field of this number."""
    found = (field for field in read_fields(view, message.start, message.end) if field.number == number)
    return [str(view[field.start : field.end], "utf-8") for field in found]


def _varint(value: int) -> bytes:
    found = bytearray()
    while value >= 0x80:
        found.append(value & 0x7F | 0x80)
        value >>= 7
    return bytes([*found, value])
