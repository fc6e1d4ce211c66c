"""A model that training starts from or learns from: a checkpoint, or a model folder, such as those in the package."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import torch
from torch import nn

from spanlin.config.network import NetworkConfig
from spanlin.config.training import TrainingConfig, TreebankConfig
from spanlin.errors import CheckpointError, ConfigError
from spanlin.model_folder.folder import open_folder
from spanlin.model_folder.lookup import find_model
from spanlin.model_folder.path_kinds import is_checkpoint
from spanlin.network.network import ParserNetwork
from spanlin.network.span_scorer import LabelScorer
from spanlin.runtime.pieces import WordPieces
from spanlin.runtime.torch import network_of
from spanlin.training.checkpoint import Model, load_model, make_featurizer
from spanlin.training.vocabulary import Vocabularies, Vocabulary


def read_model(model: str) -> Model:
    """Return a model by the path of its checkpoint or model folder, or by its name, with its weights in fp32.

    A model folder says nothing of how it was trained, nor which words it has seen.
    """
    path = find_model(model)
    if is_checkpoint(path):
        return load_model(path)
    folder = open_folder(path)
    network = network_of(folder)
    vocabularies = Vocabularies(
        words=Vocabulary((), special=True),
        word_counts=(),
        chars=Vocabulary((), special=True),
        input_tags=Vocabulary((), special=True),
        labels=Vocabulary(folder.labels, special=False),
        tags=Vocabulary(folder.tags, special=False),
        treebanks=Vocabulary(folder.details["treebanks"], special=False),
        relations=Vocabulary(folder.relations, special=False),
        universal_tags=Vocabulary(folder.universal_tags, special=False),
    )
    return Model(
        config=TrainingConfig(treebanks=(TreebankConfig(name=path.name, train="unknown"),), network=network.config),
        network=network.eval(),
        vocabularies=vocabularies,
        featurizer=make_featurizer(
            vocabularies, WordPieces.from_folder(folder.path, shape_step=folder.shape_step), network.pretrained
        ),
    )


def read_start(config: TrainingConfig, start: str) -> Model:
    """Return the model that a run starts from, or raise an error if the configuration does not fit it."""
    model = read_model(start)
    if model.network.pretrained is None or not isinstance(model.network.labels, LabelScorer):
        raise CheckpointError(
            f"{start}: training starts from models with a pretrained encoder and labels of spans alone: "
            "leave `start` out to train a new one"
        )
    if config.network not in (NetworkConfig(), model.config.network):
        raise ConfigError("network: a run with `start` has the network of that model: leave out everything in it")
    return model


def with_start(vocabularies: Vocabularies, start: Model) -> Vocabularies:
    """Return the vocabularies of treebanks with what the start can say besides.

    Relations and universal tags only if the treebanks have some: heads are not learned without.
    """
    own = start.vocabularies
    vocabularies = replace(
        vocabularies,
        labels=_joined(own.labels, vocabularies.labels),
        tags=_joined(own.tags, vocabularies.tags),
        treebanks=_joined(own.treebanks, vocabularies.treebanks),
    )
    if not len(vocabularies.relations):
        return vocabularies
    return replace(
        vocabularies,
        relations=_joined(own.relations, vocabularies.relations),
        universal_tags=_joined(own.universal_tags, vocabularies.universal_tags),
    )


def started_model(config: TrainingConfig, vocabularies: Vocabularies, start: Model) -> Model:
    """Return a model with the network and the weights of its start; labels and the like have theirs by their names.

    The weights of what the start does not know are new.
    """
    assert start.network.pretrained is not None
    network = ParserNetwork(config.network, vocabularies.sizes, pretrained=start.network.pretrained.model)
    before, rows_before = dict(start.network.named_parameters()), _named_rows(start.network, start.vocabularies)
    rows = _named_rows(network, vocabularies)
    with torch.no_grad():
        for name, weights in network.named_parameters():
            known = before.get(name)
            if known is None:
                continue
            if name not in rows:
                weights.copy_(known)
                continue
            places = {item: place for place, item in enumerate(rows_before[name])}
            for place, item in enumerate(rows[name]):
                if item in places:
                    weights[place] = known[places[item]]
    return Model(
        config=config,
        network=network,
        vocabularies=vocabularies,
        featurizer=make_featurizer(vocabularies, start.featurizer.pieces, network.pretrained),
    )


def _named_rows(network: ParserNetwork, vocabularies: Vocabularies) -> dict[str, Sequence[str]]:
    """Return the parameters with a row for each label, tag and so on, and what the rows are of."""
    found: list[tuple[nn.Module, Sequence[str]]] = [
        (layers[-1], getattr(vocabularies, kind).items) for kind, layers in network.output_layers().items()
    ]
    if network.treebanks is not None:
        found.append((network.treebanks, ("", *vocabularies.treebanks.items)))  # the first is of none
    names = {id(module): name for name, module in network.named_modules()}
    return {f"{names[id(layer)]}.{name}": items for layer, items in found for name, _ in layer.named_parameters()}


def _joined(first: Vocabulary, second: Vocabulary) -> Vocabulary:
    return Vocabulary(tuple(dict.fromkeys((*first.items, *second.items))), special=False)
