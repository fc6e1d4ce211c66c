"""A checkpoint as a model folder, which `Parser.load` reads without torch: graphs, words or pieces, labels, a card."""

from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import Any

import torch
from safetensors.torch import save_file
from torch import Tensor

from spanlin.errors import CheckpointError, ConfigError
from spanlin.model_folder.folder import (
    CARD,
    GRAPH,
    LABEL_GRAPH,
    LEXICON,
    RELATION_GRAPH,
    TAGGER,
    TOKENIZER,
    WEIGHTS,
    ModelFolder,
    open_folder,
    write_manifest,
)
from spanlin.model_folder.lexicon_file import LexiconTables, lexicon_bytes
from spanlin.model_folder.network_input import NetworkInput
from spanlin.model_folder.tokenizer_check import check_tokenizer
from spanlin.network.encoders.native import NativeEncoder
from spanlin.network.graph import ParserGraph, TaggerGraph, TagIds
from spanlin.runtime.lexicon import START, STOP
from spanlin.training.checkpoint import Model, load_model, write_folder
from spanlin.training.graph_export import (
    Precision,
    reduce_precision,
    write_label_graph,
    write_parser_graph,
    write_relation_graph,
)

__all__ = ["Precision", "export_model", "parser_graph"]


def export_model(
    checkpoint: str | Path | Model,
    folder: str | Path,
    *,
    precision: Precision = "fp32",
    treebank: str = "",
    tagger: str | Path | Model | None = None,
    card: str = "",
    with_weights: bool = False,
) -> Path:
    """Write a model folder for `Parser.load` and return its path.

    `treebank` names the one whose annotation the parser gives, for a network with treebank vectors. A network that
    reads tags gets them from the `tagger`, another checkpoint, which the folder then holds too; so does one without a
    tag head, whose words else have the tag XX. `with_weights` adds the weights themselves, in bfloat16: torch then
    parses by them, not by the graph's.
    """
    model = checkpoint if isinstance(checkpoint, Model) else load_model(checkpoint)
    tagging = load_model(tagger) if isinstance(tagger, str | Path) else tagger
    _require_exportable(model, tagging, with_weights=with_weights)
    known = model.vocabularies.treebanks.items
    if treebank and treebank not in known:
        raise ConfigError(f"no treebank {treebank!r}: the model knows {', '.join(known)}")
    files = _word_files(model, str(folder), "")
    if tagging is not None:
        files |= _word_files(tagging, str(folder), TAGGER)
    graph = parser_graph(model, tagging, treebank=treebank)

    def fill(path: Path) -> None:
        write_parser_graph(graph, path / GRAPH)
        details: dict[str, Any] = {"treebank": treebank, "treebanks": list(known)}
        if _is_known_to_torch(model, tagging):
            details |= _weight_details(model, path / GRAPH)
        one_by_one = reduce_precision(path / GRAPH, precision)
        write_label_graph(model.network, path / LABEL_GRAPH)  # small: it is as exact as it can be in every folder
        if model.network.dependencies is not None:
            write_relation_graph(model.network.dependencies, path / RELATION_GRAPH)
        for name, content in files.items():
            (path / name).write_bytes(content)
        (path / CARD).write_text(card or f"# {Path(folder).name}\n", encoding="utf-8")
        if with_weights:
            save_file(
                {name: value.bfloat16().contiguous() for name, value in _used_weights(model).items()}, path / WEIGHTS
            )
        own = _network_input(model)
        write_manifest(
            ModelFolder(
                path=path,
                precision=precision,
                input=own.kind,
                piece_limit=own.piece_limit,
                shape_step=own.shape_step,
                tagger=None if tagging is None else _network_input(tagging),
                one_by_one=one_by_one,
                labels=model.vocabularies.labels.items,
                tags=model.tags if tagging is None or model.network.tag_head is not None else tagging.tags,
                relations=model.vocabularies.relations.items,
                universal_tags=model.vocabularies.universal_tags.items,
                details=details,
            )
        )
        _require_loadable(path, Path(folder))

    write_folder(Path(folder), fill)
    return Path(folder)


def parser_graph(model: Model, tagger: Model | None, *, treebank: str) -> ParserGraph:
    """Return a network as plain tensors in and out, with the tagger that it needs, if any."""

    def treebank_id(of: Model) -> int:
        return of.vocabularies.treebanks.id(treebank) + 1

    tagging = ids = None
    if tagger is not None:
        tagging = TaggerGraph(tagger.network, treebank=treebank_id(tagger))
        if model.reads_tags:
            read = model.vocabularies.input_tags
            numbers = torch.tensor([read.id(tag) for tag in tagger.vocabularies.tags.items])
            ids = TagIds(numbers, start=START, stop=STOP)
    return ParserGraph(model.network, treebank=treebank_id(model), tagger=tagging, tag_ids=ids)


def _require_exportable(model: Model, tagger: Model | None, *, with_weights: bool) -> None:
    network = model.network
    if network.config.scorer.normalization == "span":
        raise CheckpointError(
            "a network with normalization = 'span' has no greedy trees, so it cannot be exported: "
            "train it with 'right-boundary'"
        )
    if model.reads_tags and tagger is None:
        raise CheckpointError("this network reads tags (tag_width): give the checkpoint of a tagger with --tagger")
    if tagger is not None:
        if not model.reads_tags and network.tag_head is not None:
            raise CheckpointError("this network reads no tags and gives its own: leave out the tagger")
        if tagger.network.tag_head is None or tagger.reads_tags:
            reason = "predicts no tags (tag_head is off)" if tagger.network.tag_head is None else "reads tags itself"
            raise CheckpointError(f"the tagger {reason}: give another, such as `spanlin jackknife` trains")
    if with_weights and not _is_known_to_torch(model, tagger):
        raise CheckpointError(
            "weights for torch can be added to parsers over a BERT, RoBERTa or MPNet encoder only: "
            "leave out --with-weights"
        )


def _network_input(model: Model) -> NetworkInput:
    encoder = model.network.pretrained
    if encoder is None:
        return NetworkInput(kind="lexical")
    return NetworkInput(piece_limit=encoder.limit, shape_step=encoder.shape_step)


def _word_files(model: Model, folder: str, prefix: str) -> dict[str, bytes]:
    """Return the files that words are looked up in, checked now and not after the graphs are made."""
    featurizer, vocabularies = model.featurizer, model.vocabularies
    if featurizer.pieces is not None:
        tokenizer = featurizer.pieces.text.encode("utf-8")
        check_tokenizer(tokenizer, str(Path(folder) / (prefix + TOKENIZER)))
        return {prefix + TOKENIZER: tokenizer}
    vectors = () if featurizer.vectors is None else featurizer.vectors.words
    tables = LexiconTables(vocabularies.words.items, vocabularies.chars.items, vectors)
    return {prefix + LEXICON: lexicon_bytes(tables)}


def _is_known_to_torch(model: Model, tagger: Model | None) -> bool:
    """Return whether `spanlin.runtime.torch` can make the network of a folder again; of others, it runs checkpoints."""
    encoder = model.network.pretrained
    return tagger is None and encoder is not None and isinstance(encoder.model, NativeEncoder)


def _weight_details(model: Model, graph: Path) -> dict[str, Any]:
    """Return what torch needs to make the network of an fp32 graph again."""
    from spanlin.training.weight_names import find_weight_names

    assert model.network.pretrained is not None
    network = dataclasses.asdict(model.network.config)
    network["pretrained"]["folder"] = "exported"  # not where it once lay
    encoder = model.network.pretrained.model.config_table()
    encoder["type_vocab_size"] = min(1, encoder["type_vocab_size"])
    details = {"network": network, "encoder": encoder}
    weights = find_weight_names(graph, _used_weights(model))
    return details if weights is None else {**details, "weights": weights}


def _used_weights(model: Model) -> dict[str, Tensor]:
    """Return the weights without those of a second sentence's pieces, for there is never one."""
    weights: dict[str, Tensor] = dict(model.network.state_dict())
    name = "pretrained.model.types.weight"
    if name in weights:
        weights[name] = weights[name][:1]
    return weights


def _require_loadable(path: Path, folder: Path) -> None:
    """Raise a CheckpointError if a parser would refuse what is in `path`, and is going to be `folder`."""
    try:
        open_folder(path)
    except CheckpointError as error:
        raise CheckpointError(str(error).replace(str(path), str(folder))) from error
