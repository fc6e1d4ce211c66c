"""A graph in int8 whose results for a row do not depend on the other rows of its batch.

onnxruntime's own dynamic quantization takes one scale for a whole batch, so that a sentence's tree depends on its
company. Here every row of activations, which is one token, has a scale of its own:

    scale[row] = largest |x[row]| / 127
    q[row]     = round(x[row] / scale[row]) + 128, in uint8
    y[row]     = scale[row] * ((q[row] - 128) @ weights * weight_scales)

Integer sums are exact in any order, so that y[row] is a function of x[row] alone. What cannot be far below zero has
another zero point, by which it keeps a bit more: see `_ZeroPoint`.

There is no such thing for LSTMs. Those in int8 are onnxruntime's own, so that each sentence must run by itself; they
are several times as fast as in fp32 all the same.
"""

from __future__ import annotations

import dataclasses
import math
import shutil
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import onnx
from onnx import helper, numpy_helper

from spanlin.errors import CheckpointError
from spanlin.model_folder.folder import GRAPH, MANIFEST, open_folder, write_manifest
from spanlin.training.checkpoint import write_folder
from spanlin.training.graph_rewriter import GraphRewriter
from spanlin.training.separate_projections import separate_projections

_OPSET = 21  # the first whose QuantizeLinear takes a scale for each block of a row; a whole row is one block here
_CONTRIB = "com.microsoft"
_SMALL_LSTM = 1 << 16  # weights by which an LSTM's state becomes the next
_SMALLEST_SIZE = 1e-30  # of a row of zeros, which would be divided by zero


class _ZeroPoint(NamedTuple):
    """The number in uint8 that stands for 0.0, and how far below zero the values go; None where nothing is known."""

    value: int
    depth: float | None

    @property
    def steps(self) -> int:
        """How many steps of a row's scale its largest value takes."""
        return 127 if self.depth is None else 255 - self.value

    @property
    def smallest_size(self) -> float:
        """The size of a row below which its scale does not shrink, so that the lowest values still lie above 0."""
        return max(_SMALLEST_SIZE, self.steps * self.depth / self.value if self.depth else 0.0)


# By the operator that the activations come from. Gelu is nowhere below -0.17.
_ZERO_POINTS = {"Relu": _ZeroPoint(0, 0.0), "Gelu": _ZeroPoint(32, 0.17)}
_SYMMETRIC = _ZeroPoint(128, None)


def quantize(source: Path, destination: Path) -> None:
    """Write an fp32 graph with its weights in int8 and its activations quantized row by row."""
    from onnxruntime.quantization import QuantType, quantize_dynamic

    write: Any = quantize_dynamic
    # Weights of seven bits: with eight, sums overflow on x86 processors without VNNI, which then give other trees.
    write(
        str(source),
        str(destination),
        per_channel=True,
        weight_type=QuantType.QInt8,
        reduce_range=True,
        nodes_to_exclude=_small_lstms(onnx.load(str(source))),
    )
    onnx.save(scale_rows(onnx.load(str(destination))), str(destination))


def _small_lstms(model: onnx.ModelProto) -> list[str]:
    """Return the names of LSTMs that would be neither faster nor much smaller in int8, such as those of characters."""
    sizes = {item.name: math.prod(item.dims) for item in model.graph.initializer}
    nodes = (node for node in model.graph.node if node.op_type == "LSTM")
    return [node.name for node in nodes if sizes.get(node.input[2], 0) < _SMALL_LSTM]


def needs_sentences_alone(graph: Path) -> bool:
    """Return whether a graph has an LSTM in int8: onnxruntime's has one scale for all sentences of a batch."""
    return any(node.op_type == "DynamicQuantizeLSTM" for node in onnx.load(str(graph)).graph.node)


def convert_folder(source: str | Path, destination: str | Path) -> None:
    """Write a copy of an int8 model folder, exported with a scale for each batch, that has one for each row."""
    folder = open_folder(source)
    if folder.precision != "int8":
        raise CheckpointError(f"{source}: its precision is {folder.precision}: only int8 models have scales to convert")

    def fill(path: Path) -> None:
        for file in folder.path.iterdir():
            if file.name != MANIFEST:
                shutil.copyfile(file, path / file.name)
        onnx.save(scale_rows(onnx.load(str(folder.graph))), str(path / GRAPH))
        write_manifest(dataclasses.replace(folder, path=path))

    write_folder(Path(destination), fill)


def scale_rows(model: onnx.ModelProto) -> onnx.ModelProto:
    """Return a graph that onnxruntime has quantized dynamically, with a scale for each row in place of each batch."""
    rewriter = GraphRewriter(separate_projections(model))
    shapes = {item.name: item.type.tensor_type.shape for item in model.graph.value_info}
    scaling = _RowScaling(rewriter, {name: [axis.dim_param for axis in shape.dim] for name, shape in shapes.items()})
    for node in rewriter.nodes:
        if node.op_type == "DynamicQuantizeLinear":
            scaling.replace(node)
    return rewriter.rewritten(opset=_OPSET, domain=_CONTRIB)


class _RowScaling:
    """Puts a scale per row in place of each scale per batch; `axes` names the axes of some values."""

    def __init__(self, rewriter: GraphRewriter, axes: Mapping[str, Sequence[str]]) -> None:
        self._rewriter = rewriter
        self._axes = axes
        self._zero_points: dict[tuple[int, tuple[str, ...]], str] = {}

    def replace(self, quantizer: onnx.NodeProto) -> None:
        """Replace a DynamicQuantizeLinear and the products that are made from it."""
        (values,), (quantized, scale, _) = quantizer.input, quantizer.output
        products = self._rewriter.users(quantized)
        if not products or not all(map(self._is_product, products)):
            raise _unknown(quantizer)
        width = len(self._rewriter.constant(products[0].input[1]))
        maker = self._rewriter.makers.get(values)
        zero_point = _ZERO_POINTS.get(maker.op_type if maker is not None else "", _SYMMETRIC)
        self._rewriter.replace(quantizer, *self._quantize(values, quantized, scale, zero_point, width))
        for product in products:
            self._scale_product(product, scale, zero_point)

    def _is_product(self, node: onnx.NodeProto) -> bool:
        """Whether a node multiplies by weights whose zero point is zero."""
        constants = [*node.input[1:2], *node.input[3:]]
        if node.op_type != "MatMulInteger" or not all(map(self._rewriter.is_constant, constants)):
            return False
        return not any(self._rewriter.constant(name).any() for name in constants[1:])

    def _quantize(
        self, values: str, quantized: str, scale: str, zero_point: _ZeroPoint, width: int
    ) -> list[onnx.NodeProto]:
        last = self._rewriter.add_constant("row_axis", np.array([-1]))
        step = self._rewriter.add_constant(f"row_step_{zero_point.steps}", np.float32(1 / zero_point.steps))
        least = self._rewriter.add_constant(f"row_least_{zero_point.value}", np.float32(zero_point.smallest_size))
        size = f"{values}_largest"
        nodes = [helper.make_node("ReduceMax", [values, last], [size], keepdims=1)]
        if zero_point.depth is None:
            # Two readings take less time than Abs, which writes as much as it reads.
            smallest, depth, size = f"{values}_smallest", f"{values}_depth", f"{values}_size"
            nodes += [
                helper.make_node("ReduceMin", [values, last], [smallest], keepdims=1),
                helper.make_node("Neg", [smallest], [depth]),
                helper.make_node("Max", [f"{values}_largest", depth], [size]),
            ]
        nodes += [
            helper.make_node("Clip", [size, least], [f"{values}_clipped"]),
            helper.make_node("Mul", [f"{values}_clipped", step], [scale]),
        ]
        inputs = [values, scale]
        attributes: dict[str, Any] = {"axis": -1, "block_size": width}
        if zero_point.value:
            zeros, making = self._zeros(values, scale, zero_point.value)
            nodes += making
            inputs.append(zeros)
        else:
            attributes["output_dtype"] = onnx.TensorProto.UINT8
        return [*nodes, helper.make_node("QuantizeLinear", inputs, [quantized], **attributes)]

    def _zeros(self, values: str, scale: str, value: int) -> tuple[str, list[onnx.NodeProto]]:
        """Return the name of a tensor of zero points, one per row, and the nodes that make it if it is new.

        Activations whose rows are as many, by the names of their axes, share one.
        """
        axes = self._axes.get(values, [])[:-1]
        key = (value, tuple(axes) if axes and all(axes) else (values,))
        if key in self._zero_points:
            return self._zero_points[key], []
        name = self._zero_points[key] = f"{values}_zero_points"
        filling = numpy_helper.from_array(np.array([value], dtype=np.uint8))
        return name, [
            helper.make_node("Shape", [scale], [f"{values}_rows"]),
            helper.make_node("ConstantOfShape", [f"{values}_rows"], [name], value=filling),
        ]

    def _scale_product(self, product: onnx.NodeProto, scale: str, zero_point: _ZeroPoint) -> None:
        """Multiply a product by its rows' scales; those of its columns are multiplied by as it is made."""
        rewriter = self._rewriter
        sums = product.output[0]
        cast = rewriter.only_user(sums, "Cast")
        scaled = rewriter.only_user(cast.output[0], "Mul") if cast is not None else None
        if cast is None or scaled is None:
            raise _unknown(product)
        combined = rewriter.makers.get(next(name for name in scaled.input if name != cast.output[0]))
        if combined is None or combined.op_type != "Mul" or combined.input[0] != scale:
            raise _unknown(product)
        one = rewriter.add_constant("row_one", np.float32(1))
        zero = rewriter.add_constant(f"row_zero_{zero_point.value}", np.uint8(zero_point.value))
        inputs = [product.input[0], product.input[1], one, combined.input[1], zero]
        rewriter.replace(combined)
        rewriter.replace(cast)
        rewriter.replace(product, helper.make_node("MatMulIntegerToFloat", inputs, [sums], domain=_CONTRIB))
        rewriter.replace(scaled, helper.make_node("Mul", [sums, scale], [scaled.output[0]]))


def _unknown(node: onnx.NodeProto) -> CheckpointError:
    return CheckpointError(
        f"the graph's {node.op_type} {node.name!a} is not as onnxruntime's dynamic quantization makes it; "
        "export the model again from its checkpoint"
    )
