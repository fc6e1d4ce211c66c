from __future__ import annotations

from typing import Any

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper, numpy_helper

from spanlin.model_folder.graph_tensors import GraphTensor, read_tensors
from spanlin.model_folder.wire_format import WireError


def tensors_of(*tensors: onnx.TensorProto) -> dict[str, GraphTensor]:
    model = helper.make_model(helper.make_graph([], "g", [], [], list(tensors)))
    return read_tensors(model.SerializeToString())


@pytest.mark.parametrize("kind", ["float32", "float16", "int8", "uint8"])
@pytest.mark.parametrize("shape", [(), (1,), (3,), (2, 3)])
def test_tensors_are_read_however_they_are_written(kind: str, shape: tuple[int, ...]) -> None:
    values = np.random.default_rng(1).integers(0 if kind == "uint8" else -120, 120, size=shape).astype(kind)
    type_number = helper.np_dtype_to_tensor_dtype(values.dtype)
    listed = helper.make_tensor("listed", type_number, shape, values.flatten().tolist())
    assert not listed.raw_data
    found = tensors_of(numpy_helper.from_array(values, "raw"), listed)
    assert list(found) == ["raw", "listed"]
    for tensor in found.values():
        assert tensor.shape == shape
        assert tensor.dtype == values.dtype
        np.testing.assert_array_equal(tensor.array(), values)


def test_other_kinds_are_no_weights() -> None:
    found = tensors_of(numpy_helper.from_array(np.arange(3), "counts"))["counts"]
    assert found.shape == (3,)
    with pytest.raises(WireError, match="no numbers that weights could be"):
        found.array()


def changed(**changes: Any) -> onnx.TensorProto:
    tensor = numpy_helper.from_array(np.ones((2, 3), dtype=np.float32), "x")
    for name, value in changes.items():
        if isinstance(value, list):
            tensor.ClearField(name)
            getattr(tensor, name).extend(value)
        else:
            setattr(tensor, name, value)
    return tensor


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"raw_data": b"\0" * 20}, "more or fewer numbers than its shape"),
        ({"dims": [2, 4]}, "more or fewer numbers than its shape"),
        ({"dims": [1 << 40, 1 << 40]}, "more or fewer numbers than its shape"),
        ({"raw_data": b"\0" * 23}, "of another kind than its own"),
        ({"raw_data": b"", "int32_data": [1] * 6}, "in several places"),
    ],
)
def test_a_tensor_whose_numbers_are_not_its_own_is_an_error(changes: dict[str, Any], message: str) -> None:
    with pytest.raises(WireError, match=message):
        tensors_of(changed(**changes))["x"].array()


@pytest.mark.parametrize(("kind", "field"), [(TensorProto.FLOAT, "int32_data"), (TensorProto.INT8, "float_data")])
def test_a_tensor_in_the_field_of_another_type_is_an_error(kind: int, field: str) -> None:
    tensor = onnx.TensorProto(name="x", data_type=kind, dims=[2])
    getattr(tensor, field).extend([1, 2])
    with pytest.raises(WireError, match="of another kind than its own"):
        tensors_of(tensor)["x"].array()
