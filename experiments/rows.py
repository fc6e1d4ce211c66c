"""The rows of the tables: one TOML file each in `paper/`, which says what it changes from the row it is based on."""

from __future__ import annotations

import functools
import hashlib
import json
import math
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from spanlin.config.table import config_from_table
from spanlin.config.toml_files import read_toml_with_base
from spanlin.config.training import TrainingConfig
from spanlin.errors import ConfigError
from spanlin.trees.brackets import read_trees

ROWS = Path(__file__).parent / "paper"
_KEYS = {"title", "share", "sentences", "config"}


@dataclass(frozen=True, kw_only=True)
class Row:
    """A way to train. `share` of the trees are trained on; `config` is the training configuration without treebanks.

    Training ends after this many `sentences`, in whole epochs, and never after more epochs than `config` has: so a row
    fits small treebanks and large ones.
    """

    name: str
    title: str
    share: float
    sentences: int
    config: dict[str, Any]


def load_row(name: str, folder: Path = ROWS) -> Row:
    """Return the row of this name with all that it takes from its base."""
    path = folder / f"{name}.toml"
    table = read_toml_with_base(path)
    if unknown := table.keys() - _KEYS:
        raise ConfigError(f"{path}: unknown key {min(unknown)}; known here: base, {', '.join(sorted(_KEYS))}")
    if not table.get("sentences"):
        raise ConfigError(f"{path}: no `sentences`: say how many to train on in all, or name a base that does")
    return Row(
        name=name,
        title=table.get("title", name),
        share=table.get("share", 1.0),
        sentences=table["sentences"],
        config=table.get("config", {}),
    )


def training_config(row: Row, *, seed: int, name: str, train: Path, dev: Path) -> TrainingConfig:
    """Return the whole configuration of a row on one treebank; dev is looked at once, at the end."""
    treebank = {"name": name, "train": str(train), "dev": str(dev)}
    trees = max(1, row.share * _tree_count(train, _digest(train)))
    epochs = min(row.config["epochs"], math.ceil(row.sentences / trees))
    changes = {"epochs": epochs, "evaluate_every": epochs, "seed": seed, "treebanks": [treebank]}
    return config_from_table(TrainingConfig, {**row.config, **changes})


@functools.cache
def _tree_count(path: Path, digest: str) -> int:  # what is remembered holds as long as the file is the same
    return sum(1 for _ in read_trees(path))


def run_key(config: TrainingConfig, *, share: float) -> str:
    """Return a name for what a run depends on: its configuration, its seed and what is in its files, not their place.

    A pretrained encoder and word vectors go by their path: they are too large to be read each time.
    """
    table = asdict(config)
    table["treebanks"] = [
        {"train": _digest(Path(treebank.train)), "dev": _digest(Path(treebank.dev)), "share": share}
        for treebank in config.treebanks
    ]
    return hashlib.sha256(json.dumps(table, sort_keys=True).encode()).hexdigest()[:16]


def _digest(path: Path) -> str:
    try:
        with path.open("rb") as stream:
            return hashlib.file_digest(stream, "sha256").hexdigest()
    except OSError as error:
        raise ConfigError(
            f"{path}: cannot be read: {error.strerror}; --data needs NAME/train.txt and dev.txt"
        ) from error
