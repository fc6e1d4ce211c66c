"""Queries, keys and values made by a product each, in a quantized graph.

The encoder makes all three by one product, which onnxruntime then copies twice to take it apart. Three products of the
same rows take as long as one, and need no taking apart.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import onnx
from onnx import helper

from spanlin.training.graph_rewriter import GraphRewriter

_PARTS = 3
_TO_PARTS = [2, 0, 3, 1, 4]  # from [batch, pieces, part, head, width] to [part, batch, head, pieces, width]
_TO_HEADS = [0, 2, 1, 3]
_TURNED = [0, 1, 3, 2]


class _Projection(NamedTuple):
    """A joint product: the nodes that make it, its constants, and the nodes that take it apart."""

    product: onnx.NodeProto
    others: tuple[onnx.NodeProto, ...]
    scale: str
    weight_scales: str
    bias: str
    heads: tuple[int, int]
    slices: tuple[tuple[onnx.NodeProto, onnx.NodeProto], ...]


def separate_projections(model: onnx.ModelProto) -> onnx.ModelProto:
    """Return a graph as `quantize_dynamic` makes it, in which no product gives queries, keys and values together."""
    rewriter = GraphRewriter(model)
    for node in rewriter.nodes:
        if node.op_type == "MatMulInteger" and (found := _find(rewriter, node)) is not None:
            _separate(rewriter, found)
    return rewriter.rewritten()


def _find(rewriter: GraphRewriter, product: onnx.NodeProto) -> _Projection | None:
    """Return the joint product that a node makes, if it makes one."""
    chain = [product]
    for kind in ("Cast", "Mul", "Add", "Reshape", "Transpose"):
        following = rewriter.only_user(chain[-1].output[0], kind)
        if following is None:
            return None
        chain.append(following)
    _, cast, scaled, biased, reshaped, turned = chain
    combined = rewriter.makers.get(_other(scaled, cast.output[0]))
    shape = rewriter.makers.get(reshaped.input[1])
    bias = _other(biased, scaled.output[0])
    slices = [(taken, rewriter.only_user(taken.output[0], "Squeeze")) for taken in rewriter.users(turned.output[0])]
    pairs = tuple((taken, squeezed) for taken, squeezed in slices if squeezed is not None and taken.op_type == "Slice")
    if (
        combined is None
        or shape is None
        or shape.op_type != "Concat"
        or not all(map(rewriter.is_constant, (*shape.input[2:], combined.input[1], bias)))
        or [int(rewriter.constant(name)[0]) for name in shape.input[2:3]] != [_PARTS]
        or _permutation(turned) != _TO_PARTS
        or len(pairs) != _PARTS
        or len(slices) != _PARTS
    ):
        return None
    heads, width = (int(rewriter.constant(name)[0]) for name in shape.input[3:])
    return _Projection(
        product=product,
        others=(cast, scaled, biased, reshaped, turned, combined),
        scale=combined.input[0],
        weight_scales=combined.input[1],
        bias=bias,
        heads=(heads, width),
        slices=pairs,
    )


def _separate(rewriter: GraphRewriter, found: _Projection) -> None:
    product = found.product
    columns = [rewriter.constant(product.input[1]), rewriter.constant(product.input[3])]
    columns += [rewriter.constant(found.weight_scales), rewriter.constant(found.bias)]
    shape = rewriter.add_constant("separate_heads_{}_{}".format(*found.heads), np.array([0, 0, *found.heads]))
    nodes = []
    for taken, squeezed in found.slices:
        part = int(rewriter.constant(taken.input[1])[0])
        name = f"{product.input[1].removesuffix('_quantized')}_part_{part}"  # as `graph_weights` expects it
        weights, zeros, scales, bias = (
            rewriter.add_constant(f"{name}_{kind}", np.array_split(value, _PARTS, axis=-1)[part])
            for kind, value in zip(("weights", "zeros", "scales", "bias"), columns, strict=True)
        )
        nodes += [
            helper.make_node("Mul", [found.scale, scales], [f"{name}_scale"]),
            helper.make_node(
                "MatMulInteger", [product.input[0], weights, product.input[2], zeros], [f"{name}_sums"], name=name
            ),
            helper.make_node("Cast", [f"{name}_sums"], [f"{name}_cast"], to=onnx.TensorProto.FLOAT),
            helper.make_node("Mul", [f"{name}_cast", f"{name}_scale"], [f"{name}_scaled"]),
        ]
        made = f"{name}_scaled"
        if not _are_keys(rewriter, squeezed.output[0]):
            made = f"{name}_biased"
            nodes.append(helper.make_node("Add", [f"{name}_scaled", bias], [made]))
        nodes += [
            helper.make_node("Reshape", [made, shape], [f"{name}_heads"]),
            helper.make_node("Transpose", [f"{name}_heads"], [squeezed.output[0]], perm=_TO_HEADS),
        ]
        rewriter.replace(taken)
        rewriter.replace(squeezed)
    for node in found.others:
        rewriter.replace(node)
    rewriter.replace(product, *nodes)


def _are_keys(rewriter: GraphRewriter, name: str) -> bool:
    """Whether values are multiplied by queries and then normalized.

    Their bias adds the same number to all scores of a query, which the softmax takes away again: it can be left out.
    """
    node = rewriter.only_user(name, "Transpose")
    if node is None or _permutation(node) != _TURNED:
        return False
    node = rewriter.only_user(node.output[0], "MatMul")
    while node is not None:
        if rewriter.only_user(node.output[0], "Softmax") is not None:
            return True
        node = rewriter.only_user(node.output[0], "Add")
    return False


def _permutation(transpose: onnx.NodeProto) -> list[int]:
    return [axis for attribute in transpose.attribute if attribute.name == "perm" for axis in attribute.ints]


def _other(node: onnx.NodeProto, name: str) -> str:
    """Return the input of a node of two that is not this one."""
    first, second = node.input
    return str(second if first == name else first)
