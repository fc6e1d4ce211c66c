"""The rows of the tables: one TOML file each in `paper/`, which says what it changes from the row it is based on."""

from __future__ import annotations

import functools
import hashlib
import json
import math
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from experiments.tables import DECODER, DECODERS
from spanlin.config.table import config_from_table
from spanlin.config.toml_files import read_toml_with_base
from spanlin.config.training import TrainingConfig
from spanlin.errors import ConfigError
from spanlin.trees.brackets import read_trees

ROWS = Path(__file__).parent / "paper"
_KEYS = {"title", "share", "sentences", "held_out", "predicted_tags", "decoder", "config"}


@dataclass(frozen=True, kw_only=True)
class Row:
    """A way to train. `share` of the trees are trained on; `config` is the training configuration without treebanks.

    Training ends after this many `sentences`, in whole epochs, and never after more epochs than `config` has: so a row
    fits small treebanks and large ones.

    A row that is evaluated while it trains, by its `evaluate_every`, is so on a `held_out` share of its training trees:
    whatever it does, dev is looked at once, at the end. With `predicted_tags` its training trees and its input have
    predicted tags, which `python -m experiments tags` makes. Its trees are found by `decoder`.
    """

    name: str
    title: str
    share: float
    sentences: int
    config: dict[str, Any]
    held_out: float = 0.0
    predicted_tags: bool = False
    decoder: str = DECODER


def load_row(name: str, folder: Path = ROWS) -> Row:
    """Return the row of this name with all that it takes from its base."""
    path = folder / f"{name}.toml"
    table = read_toml_with_base(path)
    if unknown := table.keys() - _KEYS:
        raise ConfigError(f"{path}: unknown key {min(unknown)}; known here: base, {', '.join(sorted(_KEYS))}")
    if not table.get("sentences"):
        raise ConfigError(f"{path}: no `sentences`: say how many to train on in all, or name a base that does")
    row = Row(
        name=name,
        title=table.get("title", name),
        share=table.get("share", 1.0),
        sentences=table["sentences"],
        held_out=table.get("held_out", 0.0),
        predicted_tags=table.get("predicted_tags", False),
        decoder=table.get("decoder", DECODER),
        config=table.get("config", {}),
    )
    if ("evaluate_every" in row.config) != (row.held_out > 0):
        raise ConfigError(f"{path}: `evaluate_every` and `held_out` need each other: dev is only for the end")
    if row.predicted_tags != (row.config.get("network", {}).get("lexical", {}).get("tag_width", 0) > 0):
        raise ConfigError(f"{path}: `predicted_tags` and a `tag_width` need each other: gold tags are not for input")
    if row.decoder not in DECODERS:
        raise ConfigError(f"{path}: unknown decoder {row.decoder}: choose one of {', '.join(DECODERS)}")
    return row


def training_config(row: Row, *, seed: int, name: str, train: Path, dev: Path) -> TrainingConfig:
    """Return the whole configuration of a row on one treebank; without `held_out`, dev is for the end."""
    treebank = {"name": name, "train": str(train), "dev": str(dev)}
    trees = max(1, row.share * _tree_count(train, _digest(train)))
    epochs = min(row.config["epochs"], math.ceil(row.sentences / trees))
    every = row.config.get("evaluate_every", epochs)
    changes = {"epochs": epochs, "evaluate_every": every, "seed": seed, "treebanks": [treebank]}
    return config_from_table(TrainingConfig, {**row.config, **changes})


@functools.cache
def _tree_count(path: Path, digest: str) -> int:  # what is remembered holds as long as the file is the same
    return sum(1 for _ in read_trees(path))


def run_key(
    config: TrainingConfig,
    *,
    share: float,
    held_out: float = 0.0,
    decoder: str = DECODER,
    tagged_dev: Path | None = None,
) -> str:
    """Return a name for what a run depends on: its configuration, its seed and what is in its files, not their place.

    Of the configuration, only what differs from the defaults counts, so that a new key leaves the names of runs without
    it as they were. (If a default becomes another, the rows have to name the value that they want.) A pretrained
    encoder and word vectors go by their path: they are too large to be read each time.
    """
    defaults = asdict(type(config)(treebanks=config.treebanks))
    table = _changes(asdict(config), defaults)
    table["treebanks"] = [
        {"train": _digest(Path(treebank.train)), "dev": _digest(Path(treebank.dev)), "share": share}
        for treebank in config.treebanks
    ]
    others = {"held_out": held_out, "decoder": decoder, "tagged_dev": tagged_dev and _digest(tagged_dev)}
    table |= {"row": others}
    return hashlib.sha256(json.dumps(table, sort_keys=True).encode()).hexdigest()[:16]


def _changes(table: dict[str, Any], defaults: dict[str, Any]) -> dict[str, Any]:
    """Return what of a table differs from the defaults."""
    return {
        key: _changes(value, defaults[key]) if isinstance(value, dict) else value
        for key, value in table.items()
        if value != defaults[key]
    }


def _digest(path: Path) -> str:
    try:
        with path.open("rb") as stream:
            return hashlib.file_digest(stream, "sha256").hexdigest()
    except OSError as error:
        raise ConfigError(
            f"{path}: cannot be read: {error.strerror}; --data needs NAME/train.txt and dev.txt"
        ) from error
