from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import onnxruntime
import pytest
from numpy.typing import NDArray
from onnx import TensorProto, helper, numpy_helper

from spanlin.errors import CheckpointError
from spanlin.model_folder.graph_check import check_graph
from spanlin.model_folder.lookup import find_model
from spanlin.training.quantization import convert_folder, quantize, scale_rows

Floats = NDArray[np.float32]

WIDTH, OUT, SECOND_OUT = 24, 10, 7
GENERATOR = np.random.default_rng(11)
WEIGHTS: Floats = GENERATOR.normal(size=(WIDTH, OUT)).astype(np.float32)
SECOND: Floats = GENERATOR.normal(size=(WIDTH, SECOND_OUT)).astype(np.float32)
BIAS: Floats = GENERATOR.normal(size=OUT).astype(np.float32)
ROWS: Floats = (GENERATOR.normal(size=(3, 5, WIDTH)) * GENERATOR.lognormal(sigma=2, size=(3, 5, 1))).astype(np.float32)


def write_graph(path: Path, activation: str) -> Path:
    """Write a graph that makes two products, one with a bias, of x or of an activation function of it."""
    inside = "x" if activation == "" else "a"
    nodes = [helper.make_node(activation, ["x"], ["a"])] if activation else []
    nodes += [
        helper.make_node("MatMul", [inside, "w"], ["p"]),
        helper.make_node("Add", ["p", "b"], ["y"]),
        helper.make_node("MatMul", [inside, "v"], ["z"]),
    ]
    graph = helper.make_graph(
        nodes,
        "products",
        [helper.make_tensor_value_info("x", TensorProto.FLOAT, ["batch", "words", WIDTH])],
        [helper.make_tensor_value_info(name, TensorProto.FLOAT, ["batch", "words", None]) for name in ("y", "z")],
        [numpy_helper.from_array(value, name) for name, value in (("w", WEIGHTS), ("v", SECOND), ("b", BIAS))],
    )
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 20)], ir_version=10), str(path))
    return path


def quantized(tmp_path: Path, activation: str = "") -> onnx.ModelProto:
    path = tmp_path / "int8.onnx"
    quantize(write_graph(tmp_path / "fp32.onnx", activation), path)
    check_graph(path.read_bytes(), str(path))
    return onnx.load(str(path))


def run(model: onnx.ModelProto, values: Floats, outputs: list[str] | None = None) -> list[Any]:
    session = onnxruntime.InferenceSession(model.SerializeToString(), providers=["CPUExecutionProvider"])
    return list(session.run(outputs or ["y", "z"], {"x": values}))


def weights_of(model: onnx.ModelProto, output: int) -> Floats:
    """The weights that a graph's product of so many columns really multiplies by."""
    tensors = {tensor.name: numpy_helper.to_array(tensor) for tensor in model.graph.initializer}
    for node in model.graph.node:
        if node.op_type == "MatMulIntegerToFloat" and tensors[node.input[1]].shape == (WIDTH, output):
            integers = tensors[node.input[1]]
            assert integers.dtype == np.int8
            assert np.abs(integers.astype(np.int64)).max() <= 64  # seven bits: sums of two products fit in sixteen
            found: Floats = integers.astype(np.float32) * tensors[node.input[3]]
            return found
    raise AssertionError("no such product")


def activate(values: Floats, activation: str) -> Floats:
    """NumPy's twin of the activation functions; onnxruntime's own Gelu, for NumPy has no erf."""
    if activation == "Relu":
        return np.maximum(values, 0)
    if activation == "Gelu":
        made = helper.make_graph(
            [helper.make_node("Gelu", ["x"], ["y"])],
            "gelu",
            [helper.make_tensor_value_info("x", TensorProto.FLOAT, None)],
            [helper.make_tensor_value_info("y", TensorProto.FLOAT, None)],
        )
        model = helper.make_model(made, opset_imports=[helper.make_opsetid("", 20)], ir_version=10)
        found: Floats = run(model, values, ["y"])[0]
        return found
    return values


def rounded(values: Floats, activation: str) -> Floats:
    """NumPy's twin of the quantization: a row as the integers and the scale that stand for it say."""
    if activation == "Relu":
        zero, steps, least = 0, 255, 1e-30
    elif activation == "Gelu":
        zero, steps, least = 32, 223, 0.17 / 32
    else:
        zero, steps, least = 128, 127, 1e-30
    largest = np.abs(values).max(axis=-1, keepdims=True) if zero == 128 else values.max(axis=-1, keepdims=True)
    scale = np.maximum(largest * np.float32(1 / steps), np.float32(least))
    integers = np.clip(np.round(values / scale) + zero, 0, 255) - zero
    return np.asarray(integers * scale, dtype=np.float32)


@pytest.mark.parametrize("activation", ["", "Relu", "Gelu", "Tanh"])
def test_products_are_those_of_rows_rounded_one_by_one(activation: str, tmp_path: Path) -> None:
    model = quantized(tmp_path, activation)
    inside = np.tanh(ROWS) if activation == "Tanh" else activate(ROWS, activation)
    expected = rounded(inside, activation)
    y, z = run(model, ROWS)
    assert y == pytest.approx(expected @ weights_of(model, OUT) + BIAS, rel=1e-4, abs=1e-4)
    assert z == pytest.approx(expected @ weights_of(model, SECOND_OUT), rel=1e-4, abs=1e-4)


@pytest.mark.parametrize("activation", ["", "Relu", "Gelu"])
def test_rounding_loses_at_most_half_a_step(activation: str) -> None:
    inside = activate(ROWS, activation)
    step = np.abs(inside).max(axis=-1, keepdims=True) / 127
    bound = np.maximum(step / 2, 0.17 / 64) if activation == "Gelu" else step / 2
    assert (np.abs(rounded(inside, activation) - inside) <= bound * 1.001).all()


@pytest.mark.parametrize("activation", ["", "Relu", "Gelu"])
def test_a_row_does_not_depend_on_the_others(activation: str, tmp_path: Path) -> None:
    model = quantized(tmp_path, activation)
    together = run(model, ROWS)
    for sentence in range(len(ROWS)):
        for word in range(ROWS.shape[1]):
            alone = run(model, ROWS[sentence : sentence + 1, word : word + 1])
            for one, all_of_them in zip(alone, together, strict=True):
                assert one[0, 0].tolist() == all_of_them[sentence, word].tolist()


@pytest.mark.parametrize("activation", ["", "Relu", "Gelu"])
def test_a_row_of_zeros_gives_the_bias(activation: str, tmp_path: Path) -> None:
    values = ROWS.copy()
    values[1, 2] = 0
    y, z = run(quantized(tmp_path, activation), values)
    assert y[1, 2].tolist() == BIAS.tolist()
    assert not z[1, 2].any()


def test_products_of_the_same_values_share_their_rounding(tmp_path: Path) -> None:
    kinds = [node.op_type for node in quantized(tmp_path).graph.node]
    assert kinds.count("MatMulIntegerToFloat") == 2
    assert kinds.count("QuantizeLinear") == kinds.count("ReduceMax") == 1
    assert "DynamicQuantizeLinear" not in kinds


def test_a_graph_that_has_scales_by_row_stays_as_it_is(tmp_path: Path) -> None:
    model = quantized(tmp_path)
    again = scale_rows(model)
    assert [node.SerializeToString() for node in again.graph.node] == [
        node.SerializeToString() for node in model.graph.node
    ]


def test_a_graph_quantized_otherwise_is_an_error(tmp_path: Path) -> None:
    nodes = [
        helper.make_node("DynamicQuantizeLinear", ["x"], ["q", "s", "zero"], name="first"),
        helper.make_node("Cast", ["q"], ["y"], to=TensorProto.FLOAT),
    ]
    graph = helper.make_graph(
        nodes,
        "other",
        [helper.make_tensor_value_info("x", TensorProto.FLOAT, ["batch", WIDTH])],
        [helper.make_tensor_value_info("y", TensorProto.FLOAT, ["batch", WIDTH])],
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 20)], ir_version=10)
    with pytest.raises(CheckpointError, match="DynamicQuantizeLinear 'first' is not as onnxruntime's"):
        scale_rows(model)


def test_only_int8_folders_are_converted(tmp_path: Path) -> None:
    shutil.copytree(find_model("en"), tmp_path / "old")
    manifest = tmp_path / "old" / "manifest.json"
    manifest.write_text(manifest.read_text(encoding="utf-8").replace('"int8"', '"fp16"'), encoding="utf-8")
    with pytest.raises(CheckpointError, match="its precision is fp16: only int8 models have scales"):
        convert_folder(tmp_path / "old", tmp_path / "new")
