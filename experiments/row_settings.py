"""The settings of a row: what its file says now, what a result was run with, and in which keys the two differ."""

from __future__ import annotations

import copy
import functools
from collections.abc import Iterator
from dataclasses import asdict
from typing import Any

from experiments.rows import ROWS, load_row
from spanlin.config.table import config_from_table
from spanlin.config.toml_files import merge_tables
from spanlin.config.training import TrainingConfig

_ANY = {"treebanks": [{"name": "any", "train": "train.txt"}]}
# What differs between runs of one row: chosen by the treebank, or by who runs it.
_OF_A_RUN = ("treebanks", "seed", "epochs", "evaluate_every", "cuda_graphs")


def settings_now(row: str) -> dict[str, Any]:
    """Return the whole training configuration that a row's file gives."""
    return copy.deepcopy(_settings_now(row))


@functools.cache
def _settings_now(row: str) -> dict[str, Any]:
    return asdict(config_from_table(TrainingConfig, {**load_row(row).config, **_ANY}))


def settings_then(config: dict[str, Any]) -> dict[str, Any]:
    """Return the whole training configuration of a result; keys that are newer than it have their defaults."""
    return merge_tables(asdict(config_from_table(TrainingConfig, _ANY)), config)


def changed_keys(row: str, config: dict[str, Any]) -> list[str]:
    """Return the keys in which a result's configuration is not what the row's file has now.

    None where nothing is known: of rows that are no more, and of results without a configuration.
    """
    if not config or not (ROWS / f"{row}.toml").exists():
        return []
    then = dict(_flat(settings_then(config)))
    return [
        key
        for key, value in _flat(_settings_now(row))
        if key.partition(".")[0] not in _OF_A_RUN and _plain(then[key]) != _plain(value)
    ]


def _flat(table: dict[str, Any], before: str = "") -> Iterator[tuple[str, Any]]:
    for key, value in table.items():
        if isinstance(value, dict):
            yield from _flat(value, f"{before}{key}.")
        else:
            yield f"{before}{key}", value


def _plain(value: Any) -> Any:
    return list(value) if isinstance(value, tuple) else value  # JSON has no tuples
