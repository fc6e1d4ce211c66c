"""The encoder of a model folder as an ONNX graph of its own: the limit of the parser, in the parser's own precision."""

from __future__ import annotations

import re
from pathlib import Path

import onnx
from onnx.utils import Extractor

from spanlin.errors import CheckpointError
from spanlin.model_folder.folder import open_folder

_LAST_WEIGHTS = re.compile(r"network\.pretrained\.model\.layers\.(\d+)\.norm\.weight")
_INPUTS = ("pieces", "piece_counts")


def write_encoder_graph(model: str | Path, destination: Path) -> None:
    """Write the part of a folder's graph that ends with the encoder's last layer."""
    folder = open_folder(model)
    graph = onnx.load(folder.graph)
    ends: dict[int, str] = {}
    for node in graph.graph.node:
        for name in node.input:
            if found := _LAST_WEIGHTS.fullmatch(name):
                ends[int(found[1])] = node.output[0]
    if not ends:
        raise CheckpointError(f"{folder.graph}: has no pretrained encoder")
    last = ends[max(ends)]
    if last not in {value.name for value in graph.graph.value_info}:
        graph.graph.value_info.append(onnx.helper.make_tensor_value_info(last, onnx.TensorProto.FLOAT, None))
    onnx.save(Extractor(graph).extract_model(list(_INPUTS), [last]), destination)
