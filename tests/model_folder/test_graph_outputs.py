from __future__ import annotations

from typing import Any

import numpy as np
import onnx
import onnxruntime
import pytest
from onnx import TensorProto, helper, numpy_helper

from spanlin.model_folder.graph_check import check_graph
from spanlin.model_folder.graph_outputs import without_outputs


def graph_bytes(size: int) -> bytes:
    """A graph of one input and two outputs, `sum` and `product`, which share a node and have weights of their own."""
    value = helper.make_tensor_value_info("x", TensorProto.FLOAT, [size])
    outputs = [helper.make_tensor_value_info(name, TensorProto.FLOAT, [size]) for name in ("sum", "product")]
    weights = [
        numpy_helper.from_array(np.arange(size, dtype=np.float32) + shift, name)
        for shift, name in enumerate(("added", "factors"))
    ]
    nodes = [
        helper.make_node("Neg", ["x"], ["negated"]),
        helper.make_node("Add", ["negated", "added"], ["sum"]),
        helper.make_node("Mul", ["negated", "factors"], ["between"]),
        helper.make_node("Abs", ["between"], ["product"]),
    ]
    graph = helper.make_graph(nodes, "graph", [value], outputs, weights)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 20)], ir_version=10, producer_name="test")
    found: bytes = model.SerializeToString()
    return found


KEPT: dict[str, tuple[list[str], list[str]]] = {
    "sum": (["Neg", "Add"], ["added"]),
    "product": (["Neg", "Mul", "Abs"], ["factors"]),
}


@pytest.mark.parametrize("size", [1, 20, 5000])  # the graph's length takes two bytes or three
@pytest.mark.parametrize("kept", KEPT)
def test_the_other_outputs_keep_what_they_need_and_nothing_else(size: int, kept: str) -> None:
    data = graph_bytes(size)
    cut = without_outputs(data, KEPT.keys() - {kept})
    check_graph(cut, "cut")
    found: Any = onnx.load_from_string(cut)
    onnx.checker.check_model(found)
    assert [item.name for item in found.graph.output] == [kept]
    assert ([node.op_type for node in found.graph.node], [one.name for one in found.graph.initializer]) == KEPT[kept]
    assert found.producer_name == "test"
    before, after = (onnxruntime.InferenceSession(one, providers=["CPUExecutionProvider"]) for one in (data, cut))
    x = np.linspace(-1, 1, size, dtype=np.float32)
    np.testing.assert_array_equal(after.run([kept], {"x": x})[0], before.run([kept], {"x": x})[0])


def test_nothing_changes_without_such_an_output() -> None:
    data = graph_bytes(300)
    assert without_outputs(data, {"other"}) == data
    assert without_outputs(memoryview(data), ()) == data
