"""Small training configurations over generated treebanks, as tests of the network and of training need them."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from spanlin.config.network import NetworkConfig
from spanlin.config.table import config_from_table
from spanlin.config.toml_files import merge_tables
from spanlin.config.training import TrainingConfig
from spanlin.training.checkpoint import Model, new_model
from spanlin.training.dependencies import KnownDependencies
from spanlin.training.vocabulary import build_vocabularies
from spanlin.trees.labelled import LabelledSplits, labelled_splits
from spanlin.trees.transforms import strip_root
from spanlin.trees.tree import Tree

SMALL_NETWORK: dict[str, Any] = {
    "lexical": {"word_width": 16, "char_width": 8, "char_embedding_width": 8, "dropout": 0.0},
    "pretrained": {"dropout": 0.0},
    "context": {
        "width": 32,
        "layers": 1,
        "heads": 2,
        "head_width": 16,
        "feed_forward_width": 32,
        "dropout": 0.0,
    },
    "dependencies": {"width": 16, "dropout": 0.0},
    "scorer": {"hidden_width": 24, "label_width": 24, "dropout": 0.0},
    # The spans of predicted trees change from step to step; a few steps show a falling loss only on the gold ones.
    "loss": {"label_tree": "gold"},
}
SMALL_RUN: dict[str, Any] = {
    "network": SMALL_NETWORK,
    "optimizer": {"rate": 3e-3, "encoder_rate": 1e-3, "warm_up_steps": 4},
    "batch": {"tokens": 400, "sentences": 16},
    "epochs": 2,
    "averaging": 0.0,
    "min_word_count": 1,
}


def small_network(**changes: Any) -> NetworkConfig:
    """Return a small network's configuration, without dropout."""
    return config_from_table(NetworkConfig, merge_tables(SMALL_NETWORK, changes))


def small_table(train: Path, dev: Path | None = None, **changes: Any) -> dict[str, Any]:
    """Return a small run's configuration as nested tables."""
    treebank = {"name": "generated", "train": str(train)} | ({} if dev is None else {"dev": str(dev)})
    return merge_tables({"treebanks": [treebank], **SMALL_RUN}, changes)


def small_config(train: Path, dev: Path | None = None, **changes: Any) -> TrainingConfig:
    """Return a small run's configuration."""
    return config_from_table(TrainingConfig, small_table(train, dev, **changes))


def splits_of(trees: list[Tree]) -> list[LabelledSplits]:
    """Return trees as networks see them."""
    return [labelled_splits(strip_root(tree)) for tree in trees]


def untrained_model(trees: list[Tree], known: Sequence[KnownDependencies] = (), **network_changes: Any) -> Model:
    """Return a small model whose vocabularies are those of some trees, and of dependencies if it has any."""
    config = small_config(Path("unused"), network=network_changes)
    return new_model(config, build_vocabularies(splits_of(trees), dependencies=known, min_word_count=1))


def random_dependencies(sentences: Sequence[LabelledSplits], *, seed: int) -> list[KnownDependencies]:
    """Return a random dependency tree for each sentence, with relations and tags that follow from its arcs."""
    random = np.random.default_rng(seed)
    found = []
    for sentence in sentences:
        order = random.permutation(len(sentence.words))  # each word's head comes before it, so there is no cycle
        heads = [0] * len(order)
        for place, word in enumerate(order[1:], start=1):
            heads[word] = int(order[random.integers(place)]) + 1
        relations = ["root" if head == 0 else ("before" if head > word else "after") for word, head in enumerate(heads)]
        tags = ["X" if tag.isalpha() else "PUNCT" for tag in sentence.tags]
        found.append(KnownDependencies(tuple(heads), tuple(relations), tuple(tags)))
    return found
