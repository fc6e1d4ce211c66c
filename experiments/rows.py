"""The rows of the tables: one TOML file each in `paper/`, which says what it changes from the row it is based on."""

from __future__ import annotations

import hashlib
import json
import tomllib
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from spanlin.errors import ConfigError
from spanlin.network.config_table import config_from_table
from spanlin.training.config import TrainingConfig

ROWS = Path(__file__).parent / "paper"
_KEYS = {"title", "base", "share", "config"}


@dataclass(frozen=True, kw_only=True)
class Row:
    """A way to train. `share` of the trees are trained on; `config` is the training configuration without treebanks."""

    name: str
    title: str
    share: float
    config: dict[str, Any]


def load_row(name: str, folder: Path = ROWS) -> Row:
    """Return the row of this name with all that it takes from its base."""
    path = folder / f"{name}.toml"
    try:
        table = tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise ConfigError(f"{path}: cannot be read: {error.strerror}") from error
    except tomllib.TOMLDecodeError as error:
        raise ConfigError(f"{path}: not TOML: {error}") from error
    if unknown := table.keys() - _KEYS:
        raise ConfigError(f"{path}: unknown key {min(unknown)}; known here: {', '.join(sorted(_KEYS))}")
    config = table.get("config", {})
    if "base" in table:
        config = merged(load_row(table["base"], folder).config, config)
    return Row(name=name, title=table.get("title", name), share=table.get("share", 1.0), config=config)


def merged(table: Mapping[str, Any], changes: Mapping[str, Any]) -> dict[str, Any]:
    """Return nested tables with some of their keys changed."""
    result = dict(table)
    for key, value in changes.items():
        old = result.get(key)
        result[key] = merged(old, value) if isinstance(old, dict) and isinstance(value, dict) else value
    return result


def training_config(row: Row, *, seed: int, name: str, train: Path, dev: Path) -> TrainingConfig:
    """Return the whole configuration of a row on one treebank."""
    treebank = {"name": name, "train": str(train), "dev": str(dev)}
    return config_from_table(TrainingConfig, {**row.config, "seed": seed, "treebanks": [treebank]})


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
