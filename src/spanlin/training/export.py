"""A checkpoint as one self-contained ONNX graph: ids in, labelled spans out, tree inference inside."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any, Literal

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from spanlin.errors import CheckpointError, ConfigError, MissingExtraError
from spanlin.network.encoders.native import NativeEncoder
from spanlin.runtime.folder import CARD, GRAPH, TOKENIZER, write_manifest
from spanlin.runtime.onnx import OUTPUTS
from spanlin.training.checkpoint import Model, load_model, write_folder

Precision = Literal["fp32", "fp16", "int8"]
_OPSET = 20
_INPUTS = ("pieces", "piece_counts", "first_pieces", "last_pieces", "word_counts")


class _ParserGraph(nn.Module):
    """The network as plain tensors in and out; the treebank whose annotation is wanted is fixed."""

    def __init__(self, model: Model, treebank: int) -> None:
        super().__init__()
        self.network = model.network
        self.treebank = treebank

    def forward(
        self, pieces: Tensor, piece_counts: Tensor, first_pieces: Tensor, last_pieces: Tensor, word_counts: Tensor
    ) -> tuple[Tensor, ...]:
        network = self.network
        assert network.pretrained is not None
        mask = torch.arange(pieces.shape[1], device=pieces.device) < piece_counts.unsqueeze(1)
        hidden = network.pretrained.encode(pieces, mask)
        features = network.pretrained.gather(hidden, first_pieces, last_pieces)
        treebanks = torch.full_like(word_counts, self.treebank)
        scores = network.score_positions(network.contextualize(features, word_counts, treebanks), word_counts)
        lefts, rights, _ = network.infer_tree(scores, word_counts)
        labels = F.log_softmax(network.label_scores(scores, lefts, rights, word_counts), dim=-1).max(dim=-1)
        split_count = lefts.shape[1]
        assert scores.tags is not None
        assert scores.left is not None
        tags = F.log_softmax(scores.tags, dim=-1).max(dim=-1)
        return (
            lefts,
            rights,
            labels.indices[:, :split_count],
            labels.indices[:, split_count:],
            labels.values,
            tags.indices,
            tags.values,
            scores.left,
        )


def export_model(
    checkpoint: str | Path | Model,
    folder: str | Path,
    *,
    precision: Precision = "fp32",
    treebank: str = "",
    card: str = "",
) -> Path:
    """Write a model folder for `Parser.load` and return its path.

    `treebank` names the one whose annotation the parser gives, for a network that was told its treebanks.
    """
    model = checkpoint if isinstance(checkpoint, Model) else load_model(checkpoint)
    _require_exportable(model)
    known = model.vocabularies.treebanks.items
    if treebank and treebank not in known:
        raise ConfigError(f"no treebank {treebank!r}: the model knows {', '.join(known)}")
    assert model.network.pretrained is not None
    assert model.featurizer.pieces is not None
    limit = model.network.pretrained.limit
    tokenizer = model.featurizer.pieces.text

    def fill(path: Path) -> None:
        graph = path / GRAPH
        _export_graph(model, graph, treebank=model.vocabularies.treebanks.id(treebank) + 1)
        if precision == "int8":
            _quantize(graph)
        elif precision == "fp16":
            _halve(graph)
        (path / TOKENIZER).write_text(tokenizer, encoding="utf-8")
        (path / CARD).write_text(card or f"# {Path(folder).name}\n", encoding="utf-8")
        write_manifest(
            path,
            precision=precision,
            piece_limit=limit,
            labels=model.vocabularies.labels.items,
            tags=model.vocabularies.tags.items,
            details={"treebank": treebank, "treebanks": list(known)},
        )

    write_folder(Path(folder), fill)
    return Path(folder)


def _require_exportable(model: Model) -> None:
    network = model.network
    if network.pretrained is None or not isinstance(network.pretrained.model, NativeEncoder):
        raise CheckpointError("only parsers over a BERT, RoBERTa or MPNet encoder can be exported yet")
    scorer = network.config.scorer
    if scorer.target != "left" or scorer.normalization == "span" or network.tag_head is None:
        raise CheckpointError("only parsers with target 'left', greedy decoding and a tag head can be exported yet")


def _export_graph(model: Model, path: Path, *, treebank: int) -> None:
    try:
        import onnxscript  # noqa: F401 (torch's exporter needs it)
    except ImportError as error:
        raise MissingExtraError("exporting needs onnxscript: pip install 'spanlin[train]'") from error
    module = _ParserGraph(model, treebank).eval()
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
    export: Any = torch.onnx.export
    with warnings.catch_warnings(), torch.inference_mode():
        warnings.simplefilter("ignore")
        export(
            module,
            example,
            str(path),
            input_names=list(_INPUTS),
            output_names=list(OUTPUTS),
            opset_version=_OPSET,
            dynamic_shapes=shapes,
            dynamo=True,
            external_data=False,
            verbose=False,
            optimize=True,
        )


def _quantize(path: Path) -> None:
    from onnxruntime.quantization import QuantType, quantize_dynamic

    quantize: Any = quantize_dynamic
    fp32 = path.with_suffix(".fp32")
    path.rename(fp32)
    quantize(str(fp32), str(path), per_channel=True, weight_type=QuantType.QInt8)
    fp32.unlink()


def _halve(path: Path) -> None:
    import onnx
    from onnxruntime.transformers.float16 import convert_float_to_float16

    convert: Any = convert_float_to_float16
    onnx.save(convert(onnx.load(str(path)), keep_io_types=True), str(path))
