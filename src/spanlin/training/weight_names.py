"""Which tensor of an exported graph is which parameter of its network, so that torch can read the weights back."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import numpy as np
import onnx
from numpy.typing import NDArray
from onnx import numpy_helper
from torch import Tensor

_PREFIX = "network."  # what the exported graph calls the parser's network


def find_weight_names(graph: Path, weights: Mapping[str, Tensor]) -> dict[str, str] | None:
    """Return where an fp32 graph has these weights of its network, as `spanlin.runtime.graph_weights` reads it.

    They are found by their numbers. Parameters whose tensors have their own names are left out. Returns None if some
    parameter is not there as a whole, such as those that the exporter has computed with.
    """
    found: dict[bytes, str] = {}
    own_names = set()
    for tensor in onnx.load(str(graph)).graph.initializer:
        own_names.add(tensor.name)
        if tensor.data_type == onnx.TensorProto.FLOAT:
            found.setdefault(_bytes(np.asarray(numpy_helper.to_array(tensor))), tensor.name)
    names = {}
    for parameter, value in weights.items():
        if f"{_PREFIX}{parameter}" in own_names:
            continue
        array = value.float().numpy()
        if (name := found.get(_bytes(array))) is not None:
            names[parameter] = name
        elif array.ndim == 2 and (name := found.get(_bytes(array.T))) is not None:
            names[parameter] = f"{name}.T"
        else:
            return None
    return names


def _bytes(array: NDArray[np.float32]) -> bytes:
    """Return what two arrays have in common if they are alike but for axes of size one."""
    shape = [size for size in array.shape if size != 1]
    return repr(shape).encode() + np.ascontiguousarray(array).tobytes()
