"""The weights of a network, read back from a model folder's graph: no second copy of them is needed for torch.

The exporter turns the matrices of linear layers and gives them names of its own; `details.weights` in the manifest says
which parameter is which tensor, and `.T` behind its name that it is transposed. What is not there has its own name.
Quantization puts `NAME_quantized` with `NAME_scale` in place of a tensor, and gives queries, keys and values a tensor
each (`separate_projections`), `NAME_part_0_weights` and so on.
"""

from __future__ import annotations

import mmap
from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from spanlin.model_folder.folder import ModelFolder
from spanlin.model_folder.graph_tensors import GraphTensor, read_tensors

Float32Array = NDArray[np.float32]
Shape = tuple[int, ...]

_PREFIX = "network."  # what the exported graph calls the parser's network
_TRANSPOSED = ".T"
_PARTS = 3


class _Tensor(NamedTuple):
    """A tensor and, if it is quantized, by what its numbers become weights."""

    values: GraphTensor
    scale: GraphTensor | None = None
    zero_point: GraphTensor | None = None

    @property
    def shape(self) -> Shape:
        return self.values.shape

    def array(self) -> Float32Array:
        found = self.values.array().astype(np.float32)
        if self.zero_point is not None:
            found -= self.zero_point.array().astype(np.float32)
        return found if self.scale is None else found * self.scale.array().astype(np.float32)


class _Parts(NamedTuple):
    """Tensors that lie side by side along their last axis; None is one of zeros."""

    parts: tuple[_Tensor | None, ...]

    @property
    def shape(self) -> Shape:
        first = next(part for part in self.parts if part is not None)
        return (*first.shape[:-1], first.shape[-1] * len(self.parts))

    def array(self) -> Float32Array:
        found = [None if part is None else part.array() for part in self.parts]
        first = next(part for part in found if part is not None)
        return np.concatenate([np.zeros_like(first) if part is None else part for part in found], axis=-1)


class GraphWeights:
    """The weights of a folder's graph by the names of the network's parameters."""

    def __init__(self, folder: ModelFolder) -> None:
        with folder.graph.open("rb") as stream:
            self._tensors = read_tensors(memoryview(mmap.mmap(stream.fileno(), 0, access=mmap.ACCESS_READ)))
        self._names = _names(folder.details)

    def __len__(self) -> int:
        return len(self._tensors)

    def read(self, wanted: Mapping[str, Shape]) -> dict[str, Float32Array]:
        """Return the weights of these parameters, or raise a ValueError if one is not there or has another shape.

        All shapes are checked before memory is taken.
        """
        stored = {name: self._find(name) for name in wanted}
        for name, shape in wanted.items():
            found, is_transposed = stored[name]
            given = found.shape[::-1] if is_transposed else found.shape
            if _without_ones(given) != _without_ones(shape):  # a matrix of one row may be there as a vector
                raise ValueError(f"{name} has the shape {given}, not {shape}")
        return {
            name: (found.array().T if is_transposed else found.array()).reshape(wanted[name])
            for name, (found, is_transposed) in stored.items()
        }

    def _find(self, parameter: str) -> tuple[_Tensor | _Parts, bool]:
        """Return what a parameter is in the graph, and whether it is transposed."""
        own = self._names.get(parameter, f"{_PREFIX}{parameter}")
        name = own.removesuffix(_TRANSPOSED)
        found = self._tensor(name) or self._parts(name, "weights", "scales")
        if found is None and parameter.endswith(".bias"):
            weight = self._names.get(parameter.removesuffix("bias") + "weight", "")
            found = self._parts(weight.removesuffix(_TRANSPOSED), "bias", "")
        if found is None:
            raise ValueError(f"{parameter} is not in the graph")
        return found, own != name

    def _tensor(self, name: str) -> _Tensor | None:
        if name in self._tensors:
            return _Tensor(self._tensors[name])
        values, scale = (self._tensors.get(f"{name}_{kind}") for kind in ("quantized", "scale"))
        if values is None or scale is None:
            return None
        return _scaled(values, scale, self._tensors.get(f"{name}_zero_point"))

    def _parts(self, name: str, kind: str, scale_kind: str) -> _Parts | None:
        parts: list[_Tensor | None] = []
        for number in range(_PARTS):
            values, scale = (self._tensors.get(f"{name}_part_{number}_{which}") for which in (kind, scale_kind))
            parts.append(None if values is None else _scaled(values, scale, None))
        shapes = {part.shape for part in parts if part is not None}
        if not shapes:
            return None
        if len(shapes) > 1 or () in shapes or (None in parts and kind != "bias"):
            raise ValueError(f"the parts of {name} do not fit together")
        return _Parts(tuple(parts))


def _scaled(values: GraphTensor, scale: GraphTensor | None, zero_point: GraphTensor | None) -> _Tensor:
    for one in (scale, zero_point):
        # One for all, or one for each column: no more numbers than the weights themselves have.
        if one is not None and one.shape not in ((), (1,), values.shape[-1:]):
            raise ValueError(f"weights of the shape {values.shape} have scales of the shape {one.shape}")
    return _Tensor(values, scale, zero_point)


def _names(details: Mapping[str, Any]) -> Mapping[str, str]:
    names = details["weights"]
    if not isinstance(names, dict) or not all(isinstance(name, str) for name in names.values()):
        raise TypeError("details.weights must name a tensor for each parameter")
    return names


def _without_ones(shape: Shape) -> Shape:
    return tuple(size for size in shape if size != 1)
