"""Networks as ONNX graphs: one parses, ids in and labelled spans out; small ones label spans and arcs."""

from __future__ import annotations

import logging
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Literal

import torch
from torch import Tensor, nn

from spanlin.errors import missing_extra
from spanlin.model_folder.network_input import TAGGER
from spanlin.network.dependency_graph import RelationGraph
from spanlin.network.dependency_scorer import DependencyScorer
from spanlin.network.encoders.exported_lstm import exportable_lstms
from spanlin.network.graph import LabelGraph, ParserGraph
from spanlin.network.network import ParserNetwork
from spanlin.network.span_scorer import LabelTupleScorer
from spanlin.runtime.backend import LABEL_INPUTS, LABEL_OUTPUT, RELATION_INPUTS, RELATION_OUTPUT, graph_outputs
from spanlin.runtime.input_rows import LEXICAL_INPUTS, PIECE_INPUTS, WORD_COUNTS

Precision = Literal["fp32", "fp16", "int8"]
_OPSET = 20
_Shapes = tuple[dict[int, Any], ...]


def write_parser_graph(module: ParserGraph, path: Path) -> None:
    """Write the graph from a batch to labelled spans."""
    batch = torch.export.Dim("batch", min=2)
    # torch finds that its trace asks for two words or more, and would trace again. The graph takes one word as well.
    positions = torch.export.Dim("positions", min=4)
    networks = {"": module.network}
    if module.tagger is not None:
        networks[TAGGER] = module.tagger.network
    names: list[str] = []
    example: list[Tensor] = []
    shapes: list[dict[int, Any]] = []
    for prefix, network in networks.items():
        make = _piece_example if network.lexical is None else _lexical_example
        for name, tensor, shape in make(prefix, batch, positions):
            names.append(prefix + name)
            example.append(tensor.clone())  # one tensor in two places would be one input
            shapes.append(shape)
    network = module.network
    _write_graph(
        module.eval(),
        (*example, torch.tensor([4, 2, 3])),
        path,
        inputs=(*names, WORD_COUNTS),
        outputs=graph_outputs(
            left=network.left_scorer is not None,
            right=network.right_scorer is not None,
            dependencies=network.dependencies is not None,
        ),
        shapes=((*shapes, {0: batch}),),
    )


# Three sentences of 4, 2 and 3 words: no two sizes are alike, so that none is taken for another.


def _piece_example(prefix: str, batch: Any, positions: Any) -> Iterator[tuple[str, Tensor, dict[int, Any]]]:
    """Yield the name, an example and the sizes that vary of each input, in four rows of pieces."""
    rows, pieces = (torch.export.Dim(prefix + name, min=2) for name in ("rows", "pieces"))
    each = {0: batch, 1: positions}
    examples = (torch.ones(4, 7, dtype=torch.long), torch.tensor([7, 6, 5, 4]), *[torch.arange(1, 7).repeat(3, 1)] * 2)
    yield from zip(PIECE_INPUTS, examples, ({0: rows, 1: pieces}, {0: rows}, each, each), strict=True)


def _lexical_example(prefix: str, batch: Any, positions: Any) -> Iterator[tuple[str, Tensor, dict[int, Any]]]:
    """Yield the same of words, of which there are eight distinct ones."""
    distinct, characters = (torch.export.Dim(prefix + name, min=2) for name in ("distinct", "characters"))
    each = {0: batch, 1: positions}
    ids = torch.zeros(3, 6, dtype=torch.long)
    examples = (ids, ids, torch.ones(8, 9, dtype=torch.long), torch.tensor([9, 3, 4, 5, 6, 7, 8, 3]), ids + 1)
    shapes = (each, each, {0: distinct, 1: characters}, {0: distinct}, each)
    yield from zip(LEXICAL_INPUTS, examples, shapes, strict=True)


def write_label_graph(network: ParserNetwork, path: Path) -> None:
    """Write the graph that labels given spans."""
    scorer = network.labels
    width = network.config.scorer.label_width
    if isinstance(scorer, LabelTupleScorer):
        last = scorer.ending[-1]
        assert isinstance(last, nn.Linear)
        width = last.out_features
    spans = torch.export.Dim("spans", min=2)
    example = (torch.zeros(3, width), torch.zeros(3, width), *torch.tensor([[True, False, True], [False, False, True]]))
    _write_graph(
        LabelGraph(network).eval(),
        example,
        path,
        inputs=LABEL_INPUTS,
        outputs=(LABEL_OUTPUT,),
        shapes=({0: spans},) * len(LABEL_INPUTS),
    )


def write_relation_graph(scorer: DependencyScorer, path: Path) -> None:
    """Write the graph that names the relations of given arcs."""
    width = scorer.relations.right.out_features
    arcs = torch.export.Dim("arcs", min=2)
    _write_graph(
        RelationGraph(scorer).eval(),
        (torch.zeros(3, width), torch.zeros(3, width), torch.tensor([True, False, True])),
        path,
        inputs=RELATION_INPUTS,
        outputs=(RELATION_OUTPUT,),
        shapes=({0: arcs},) * len(RELATION_INPUTS),
    )


def _write_graph(
    module: nn.Module,
    example: tuple[Tensor, ...],
    path: Path,
    *,
    inputs: Sequence[str],
    outputs: Sequence[str],
    shapes: tuple[Any, ...],
) -> None:
    try:
        import onnxscript  # noqa: F401 (torch's exporter needs it)
    except ImportError as error:
        raise missing_extra("exporting needs onnxscript", "train") from error
    export: Any = torch.onnx.export
    with _quiet(), torch.inference_mode(), exportable_lstms(module):
        export(
            module,
            example,
            str(path),
            input_names=list(inputs),
            output_names=list(outputs),
            opset_version=_OPSET,
            dynamic_shapes=shapes,
            dynamo=True,
            external_data=False,
            verbose=False,
            optimize=True,
        )
    _strip(path)


def _strip(path: Path) -> None:
    """Remove what the exporter adds about its origin: stack traces, with paths of the machine it ran on."""
    import onnx

    model = onnx.load(str(path))
    functions = list(model.functions)
    for holder in (model, model.graph, *functions):
        holder.doc_string = ""
        del holder.metadata_props[:]
    for part in (model.graph, *functions):
        for item in (*part.node, *part.value_info):
            item.doc_string = ""
            del item.metadata_props[:]
    for item in (*model.graph.input, *model.graph.output, *model.graph.initializer):
        item.doc_string = ""
        del item.metadata_props[:]
    onnx.save(model, str(path))


@contextmanager
def _quiet() -> Iterator[None]:
    """Silence the exporter's warnings about optional packages and about every number it leaves unchanged."""
    before = logging.root.manager.disable
    logging.disable(logging.WARNING)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            yield
    finally:
        logging.disable(before)


def reduce_precision(path: Path, precision: Precision) -> bool:
    """Write an fp32 graph in another precision, in its place; return whether each sentence must now run by itself."""
    if precision == "int8":
        return _quantize(path)
    if precision == "fp16":
        _halve(path)
    return False


def _quantize(path: Path) -> bool:
    from spanlin.training.quantization import needs_sentences_alone, quantize

    fp32 = path.with_suffix(".fp32")
    path.rename(fp32)
    with _quiet():
        quantize(fp32, path)
    fp32.unlink()
    return needs_sentences_alone(path)


def _halve(path: Path) -> None:
    import onnx
    from onnxruntime.transformers.float16 import convert_float_to_float16

    convert: Any = convert_float_to_float16
    onnx.save(convert(onnx.load(str(path)), keep_io_types=True), str(path))
