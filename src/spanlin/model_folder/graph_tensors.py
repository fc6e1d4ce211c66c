"""The tensors that an ONNX graph holds, read from its bytes without `onnx`; see `graph_check` for what is in those."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from spanlin.model_folder.wire_format import LENGTH, VARINT, Field, WireError, read_fields, read_packed

# Numbers of fields and of types, as in `onnx.proto`.
_GRAPH, _TENSOR = 7, 5
_SIZES, _TYPE, _FLOATS, _WHOLE_NUMBERS, _NAME, _RAW = 1, 2, 4, 5, 8, 9
_TYPES: dict[int, np.dtype[Any]] = {
    1: np.dtype("<f4"),
    2: np.dtype("u1"),
    3: np.dtype("i1"),
    10: np.dtype("<f2"),
}


class GraphTensor(NamedTuple):
    """A tensor whose numbers are still in the graph's bytes; `dtype` is None for one of no kind that weights have."""

    shape: tuple[int, ...]
    dtype: np.dtype[Any] | None
    view: memoryview
    numbers: Field | None

    def array(self) -> NDArray[Any]:
        """Return the numbers, or raise a WireError if there are not as many as the shape says."""
        if self.dtype is None or self.numbers is None:
            raise WireError("a tensor has no numbers that weights could be")
        number, wire, start, end, value = self.numbers
        if number == _WHOLE_NUMBERS:  # small types may be written as varints, halves among them by their bits
            found = [value] if wire == VARINT else list(read_packed(self.view, start, end))
            if self.dtype == np.float32:
                raise WireError("a tensor has numbers of another kind than its own")
            bits = np.array(found, dtype=np.uint64).astype(f"u{self.dtype.itemsize}")
            flat = bits.view(self.dtype)
        else:
            if (number == _FLOATS and self.dtype != np.float32) or (end - start) % self.dtype.itemsize:
                raise WireError("a tensor has numbers of another kind than its own")
            flat = np.frombuffer(self.view[start:end], dtype=self.dtype)
        if flat.size != math.prod(self.shape):
            raise WireError("a tensor has more or fewer numbers than its shape says")
        return flat.reshape(self.shape)


def read_tensors(data: bytes | memoryview) -> dict[str, GraphTensor]:
    """Return the tensors of a graph by their names, or raise a WireError."""
    view = memoryview(data)
    found = {}
    for model in _fields(view, 0, len(view), _GRAPH):
        for tensor in _fields(view, model.start, model.end, _TENSOR):
            name, read = _read(view, tensor)
            found[name] = read
    return found


def _fields(view: memoryview, start: int, end: int, number: int) -> list[Field]:
    return [field for field in read_fields(view, start, end) if field.number == number and field.wire == LENGTH]


def _read(view: memoryview, tensor: Field) -> tuple[str, GraphTensor]:
    shape: list[int] = []
    name, dtype, numbers = "", None, None
    for field in read_fields(view, tensor.start, tensor.end):
        if field.number == _SIZES:
            shape += [field.value] if field.wire == VARINT else read_packed(view, field.start, field.end)
        elif field.number == _TYPE:
            dtype = _TYPES.get(field.value)
        elif field.number == _NAME:
            name = str(view[field.start : field.end], "utf-8")
        elif field.number in (_FLOATS, _WHOLE_NUMBERS, _RAW):
            if numbers is not None:
                raise WireError("a tensor has its numbers in several places")
            numbers = field
    return name, GraphTensor(tuple(shape), dtype, view, numbers)
