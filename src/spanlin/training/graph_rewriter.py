"""An ONNX graph some of whose nodes are replaced."""

from __future__ import annotations

from typing import Any

import numpy as np
import onnx
from numpy.typing import NDArray
from onnx import helper, numpy_helper


class GraphRewriter:
    """Who makes and who uses each value of a graph, and what shall stand in place of some nodes."""

    def __init__(self, model: onnx.ModelProto) -> None:
        self._model = model
        self.nodes: tuple[onnx.NodeProto, ...] = tuple(model.graph.node)
        self.makers = {name: node for node in self.nodes for name in node.output}
        self._tensors = {tensor.name: tensor for tensor in model.graph.initializer}
        self._users: dict[str, list[onnx.NodeProto]] = {}
        for node in self.nodes:
            for name in node.input:
                self._users.setdefault(name, []).append(node)
        self._outputs = {item.name for item in model.graph.output}
        self._replaced: dict[str, list[onnx.NodeProto]] = {}  # by the first output of the old node
        self._constants: dict[str, onnx.TensorProto] = {}

    def users(self, name: str) -> list[onnx.NodeProto]:
        """Return the nodes that take a value."""
        return self._users.get(name, [])

    def only_user(self, name: str, kind: str) -> onnx.NodeProto | None:
        """Return the only node that takes a value if it is of this kind, and the value is not an output of the graph."""
        users = self.users(name)
        found = len(users) == 1 and users[0].op_type == kind and name not in self._outputs
        return users[0] if found else None

    def is_constant(self, name: str) -> bool:
        """Whether a value is one of the graph's initializers."""
        return name in self._tensors

    def constant(self, name: str) -> NDArray[Any]:
        """Return the value of an initializer."""
        return np.asarray(numpy_helper.to_array(self._tensors[name]))

    def add_constant(self, name: str, value: Any) -> str:
        """Add an initializer; return its name."""
        self._constants[name] = numpy_helper.from_array(np.ascontiguousarray(value).reshape(np.shape(value)), name)
        return name

    def replace(self, node: onnx.NodeProto, *others: onnx.NodeProto) -> None:
        """Put other nodes, or none, in place of one."""
        self._replaced[node.output[0]] = list(others)

    def rewritten(self, *, opset: int = 0, domain: str = "") -> onnx.ModelProto:
        """Return the new graph; `opset` is the least that it needs, `domain` another one that it has operators of."""
        graph = self._model.graph
        nodes = [new for node in self.nodes for new in self._replaced.get(node.output[0], (node,))]
        used = {name for node in nodes for name in node.input}
        made = {name for node in nodes for name in node.output}
        found = helper.make_model(
            helper.make_graph(
                nodes,
                graph.name,
                graph.input,
                graph.output,
                [tensor for tensor in (*graph.initializer, *self._constants.values()) if tensor.name in used],
                value_info=[item for item in graph.value_info if item.name in made],
            ),
            opset_imports=[helper.make_opsetid(name, version) for name, version in self._versions(opset, domain)],
            ir_version=max(self._model.ir_version, 10),
        )
        onnx.checker.check_model(found)
        return found

    def _versions(self, opset: int, domain: str) -> list[tuple[str, int]]:
        versions = {item.domain: item.version for item in self._model.opset_import}
        versions[""] = max(versions.get("", 0), opset)
        if domain:
            versions.setdefault(domain, 1)
        return list(versions.items())
