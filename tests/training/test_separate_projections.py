from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import onnx
import onnxruntime
import pytest
from onnx import TensorProto, helper, numpy_helper
from onnxruntime.quantization import QuantType, quantize_dynamic

from spanlin.training.quantization import scale_rows
from spanlin.training.separate_projections import separate_projections

WIDTH, HEADS = 12, 3
VALUES = np.random.default_rng(5).normal(size=(2, 7, WIDTH)).astype(np.float32)


def write_attention(path: Path, *, normalized: bool = True, parts: int = 3) -> Path:
    """Write an attention whose queries, keys and values are one product, as the encoder's is exported."""
    size = WIDTH // HEADS
    generator = np.random.default_rng(6)
    constants: dict[str, Any] = {
        "weights": generator.normal(size=(WIDTH, parts * WIDTH)).astype(np.float32),
        "bias": generator.normal(size=parts * WIDTH).astype(np.float32),
        "mask": np.zeros((1, 1, 1, 1), dtype=np.float32),
        "last": np.array([0, 0, WIDTH]),
    }
    constants |= {f"n{number}": np.array([number]) for number in {0, 1, 2, 3, parts, HEADS, size}}
    node = helper.make_node
    nodes = [
        node("MatMul", ["x", "weights"], ["product"]),
        node("Add", ["product", "bias"], ["biased"]),
        node("Shape", ["x"], ["sizes"], end=2),
        node("Slice", ["sizes", "n0", "n1"], ["batch"]),
        node("Slice", ["sizes", "n1", "n2"], ["pieces"]),
        node("Concat", ["batch", "pieces", f"n{parts}", f"n{HEADS}", f"n{size}"], ["shape"], axis=0),
        node("Reshape", ["biased", "shape"], ["reshaped"]),
        node("Transpose", ["reshaped"], ["parts"], perm=[2, 0, 3, 1, 4]),
    ]
    for part, name in enumerate(("queries", "keys", "values")):
        nodes.append(node("Slice", ["parts", f"n{part}", f"n{part + 1}", "n0"], [f"{name}_slice"]))
        nodes.append(node("Squeeze", [f"{name}_slice", "n0"], [name]))
    nodes += [
        node("Transpose", ["keys"], ["turned"], perm=[0, 1, 3, 2]),
        node("MatMul", ["queries", "turned"], ["scores"]),
        node("Add", ["scores", "mask"], ["masked"]),
        node("Softmax" if normalized else "Tanh", ["masked"], ["weighted"]),
        node("MatMul", ["weighted", "values"], ["context"]),
        node("Transpose", ["context"], ["joined"], perm=[0, 2, 1, 3]),
        node("Reshape", ["joined", "last"], ["y"]),
    ]
    graph = helper.make_graph(
        nodes,
        "attention",
        [helper.make_tensor_value_info("x", TensorProto.FLOAT, ["batch", "pieces", WIDTH])],
        [helper.make_tensor_value_info("y", TensorProto.FLOAT, ["batch", "pieces", WIDTH])],
        [numpy_helper.from_array(value, name) for name, value in constants.items()],
    )
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 20)], ir_version=10), str(path))
    return path


def quantized(tmp_path: Path, **changes: Any) -> onnx.ModelProto:
    source = write_attention(tmp_path / "fp32.onnx", **changes)
    write: Any = quantize_dynamic
    write(str(source), str(tmp_path / "int8.onnx"), per_channel=True, weight_type=QuantType.QInt8, reduce_range=True)
    return onnx.load(str(tmp_path / "int8.onnx"))


def run(model: onnx.ModelProto) -> Any:
    session = onnxruntime.InferenceSession(model.SerializeToString(), providers=["CPUExecutionProvider"])
    return session.run(["y"], {"x": VALUES})[0]


def kinds(model: onnx.ModelProto) -> list[str]:
    return [node.op_type for node in model.graph.node]


@pytest.mark.parametrize("normalized", [True, False])
def test_three_products_give_what_one_gave(normalized: bool, tmp_path: Path) -> None:
    model = quantized(tmp_path, normalized=normalized)
    separate = separate_projections(model)
    assert run(separate) == pytest.approx(run(model), rel=1e-4, abs=1e-5)
    assert kinds(model).count("MatMulInteger") == 1
    assert kinds(separate).count("MatMulInteger") == 3
    assert kinds(separate).count("Slice") == kinds(model).count("Slice") - 3
    assert np.abs(run(scale_rows(model)) - run(model)).mean() < 0.1


def test_the_bias_of_keys_goes_only_where_softmax_takes_it_away(tmp_path: Path) -> None:
    # One addition is the mask's; the others are the biases of queries, values and, if need be, keys.
    assert kinds(separate_projections(quantized(tmp_path))).count("Add") == 3
    assert kinds(separate_projections(quantized(tmp_path, normalized=False))).count("Add") == 4


def test_a_product_of_other_parts_stays_as_it_is(tmp_path: Path) -> None:
    model = quantized(tmp_path, parts=4)
    assert kinds(separate_projections(model)) == kinds(model)
