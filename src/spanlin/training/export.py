"""A checkpoint as self-contained ONNX graphs: one parses, ids in and labelled spans out; a small one labels spans."""

from __future__ import annotations

import dataclasses
import logging
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Literal

import torch
from safetensors.torch import save_file
from torch import Tensor, nn

from spanlin.errors import CheckpointError, ConfigError, MissingExtraError
from spanlin.model_folder.folder import (
    CARD,
    GRAPH,
    LABEL_GRAPH,
    TOKENIZER,
    WEIGHTS,
    ModelFolder,
    open_folder,
    write_manifest,
)
from spanlin.model_folder.tokenizer_check import check_tokenizer
from spanlin.network.encoders.native import NativeEncoder
from spanlin.network.graph import LabelGraph, ParserGraph
from spanlin.network.span_scorer import LabelTupleScorer
from spanlin.runtime.backend import LABEL_INPUTS, LABEL_OUTPUT, graph_outputs
from spanlin.runtime.input_rows import PIECE_INPUTS, WORD_COUNTS
from spanlin.training.checkpoint import Model, load_model, write_folder

Precision = Literal["fp32", "fp16", "int8"]
_OPSET = 20


def export_model(
    checkpoint: str | Path | Model,
    folder: str | Path,
    *,
    precision: Precision = "fp32",
    treebank: str = "",
    card: str = "",
    with_weights: bool = False,
) -> Path:
    """Write a model folder for `Parser.load` and return its path.

    `treebank` names the one whose annotation the parser gives, for a network with treebank vectors.
    `with_weights` adds the weights themselves, in bfloat16: torch then parses by them, not by the graph's.
    """
    model = checkpoint if isinstance(checkpoint, Model) else load_model(checkpoint)
    _require_exportable(model)
    known = model.vocabularies.treebanks.items
    if treebank and treebank not in known:
        raise ConfigError(f"no treebank {treebank!r}: the model knows {', '.join(known)}")
    assert model.network.pretrained is not None
    assert model.featurizer.pieces is not None
    limit, shape_step = model.network.pretrained.limit, model.network.pretrained.shape_step
    tokenizer = model.featurizer.pieces.text
    check_tokenizer(tokenizer.encode("utf-8"), str(Path(folder) / TOKENIZER))  # now, not after the graphs are made

    def fill(path: Path) -> None:
        graph = path / GRAPH
        _export_graph(model, graph, treebank=model.vocabularies.treebanks.id(treebank) + 1)
        details = _details(model, graph, treebank)
        if precision == "int8":
            _quantize(graph)
        elif precision == "fp16":
            _halve(graph)
        _export_label_graph(model, path / LABEL_GRAPH)  # small: it is as exact as it can be in every folder
        (path / TOKENIZER).write_text(tokenizer, encoding="utf-8")
        (path / CARD).write_text(card or f"# {Path(folder).name}\n", encoding="utf-8")
        if with_weights:
            save_file(
                {name: value.bfloat16().contiguous() for name, value in _used_weights(model).items()}, path / WEIGHTS
            )
        write_manifest(
            ModelFolder(
                path=path,
                precision=precision,
                piece_limit=limit,
                shape_step=shape_step,
                labels=model.vocabularies.labels.items,
                tags=model.vocabularies.tags.items,
                details=details,
            )
        )
        _require_loadable(path, Path(folder))

    write_folder(Path(folder), fill)
    return Path(folder)


def _details(model: Model, graph: Path, treebank: str) -> dict[str, Any]:
    """Return what torch needs to make the network of an fp32 graph again, and the names of the treebanks."""
    from spanlin.training.weight_names import find_weight_names

    assert model.network.pretrained is not None
    network = dataclasses.asdict(model.network.config)
    network["pretrained"]["folder"] = "exported"  # not where it once lay
    encoder = model.network.pretrained.model.config_table()
    encoder["type_vocab_size"] = min(1, encoder["type_vocab_size"])
    details = {
        "treebank": treebank,
        "treebanks": list(model.vocabularies.treebanks.items),
        "network": network,
        "encoder": encoder,
    }
    weights = find_weight_names(graph, _used_weights(model))
    return details if weights is None else {**details, "weights": weights}


def _used_weights(model: Model) -> dict[str, Tensor]:
    """Return the weights without those of a second sentence's pieces, for there is never one."""
    weights: dict[str, Tensor] = dict(model.network.state_dict())
    name = "pretrained.model.types.weight"
    if name in weights:
        weights[name] = weights[name][:1]
    return weights


def _require_exportable(model: Model) -> None:
    network = model.network
    if network.pretrained is None or not isinstance(network.pretrained.model, NativeEncoder):
        raise CheckpointError("only parsers over a BERT, RoBERTa or MPNet encoder can be exported yet")
    scorer = network.config.scorer
    if scorer.normalization == "span" or network.tag_head is None:
        raise CheckpointError("only parsers with greedy decoding and a tag head can be exported yet")


def _require_loadable(path: Path, folder: Path) -> None:
    """Raise a CheckpointError if a parser would refuse what is in `path`, and is going to be `folder`."""
    try:
        open_folder(path)
    except CheckpointError as error:
        raise CheckpointError(str(error).replace(str(path), str(folder))) from error


def _export_graph(model: Model, path: Path, *, treebank: int) -> None:
    module = ParserGraph(model.network, treebank=treebank).eval()
    rows, pieces, batch, positions = (
        torch.export.Dim(name, min=2) for name in ("rows", "pieces", "batch", "positions")
    )
    # Three sentences of 4, 2 and 3 words in four rows: no two sizes alike, so that none is taken for another.
    example = (
        torch.ones(4, 7, dtype=torch.long),
        torch.tensor([7, 6, 5, 4]),
        torch.arange(1, 7).repeat(3, 1),
        torch.arange(1, 7).repeat(3, 1),
        torch.tensor([4, 2, 3]),
    )
    shapes = ({0: rows, 1: pieces}, {0: rows}, {0: batch, 1: positions}, {0: batch, 1: positions}, {0: batch})
    network = model.network
    names = graph_outputs(left=network.left_scorer is not None, right=network.right_scorer is not None)
    assert model.network.pretrained is not None
    encoder = model.network.pretrained.model
    assert isinstance(encoder, NativeEncoder)
    with encoder.explicit_attention():
        _write_graph(module, example, path, inputs=(*PIECE_INPUTS, WORD_COUNTS), outputs=names, shapes=(shapes,))


def _export_label_graph(model: Model, path: Path) -> None:
    scorer = model.network.labels
    width = model.network.config.scorer.label_width
    if isinstance(scorer, LabelTupleScorer):
        width = len(model.vocabularies.labels.items)
    spans = torch.export.Dim("spans", min=2)
    example = (torch.zeros(3, width), torch.zeros(3, width), *torch.tensor([[True, False, True], [False, False, True]]))
    _write_graph(
        LabelGraph(model.network).eval(),
        example,
        path,
        inputs=LABEL_INPUTS,
        outputs=(LABEL_OUTPUT,),
        shapes=({0: spans},) * len(LABEL_INPUTS),
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
        raise MissingExtraError("exporting needs onnxscript: pip install 'spanlin[train]'") from error
    export: Any = torch.onnx.export
    with _quiet(), torch.inference_mode():
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


def _quantize(path: Path) -> None:
    from spanlin.training.quantization import quantize

    fp32 = path.with_suffix(".fp32")
    path.rename(fp32)
    with _quiet():
        quantize(fp32, path)
    fp32.unlink()


def _halve(path: Path) -> None:
    import onnx
    from onnxruntime.transformers.float16 import convert_float_to_float16

    convert: Any = convert_float_to_float16
    onnx.save(convert(onnx.load(str(path)), keep_io_types=True), str(path))
