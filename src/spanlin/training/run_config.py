"""The configuration of a run: kept beside its checkpoints, and the same again when it resumes."""

from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import Any

from spanlin.atomic_files import atomic_file
from spanlin.config.by_size import settle_as
from spanlin.config.training import TrainingConfig, config_to_toml, load_saved_config
from spanlin.errors import CheckpointError, TrainingError

RUN_CONFIG = "config.toml"
_FIRST_LINE = "# Everything this run is trained with, defaults and keys by size included. Written by spanlin train."
_FILES = ("train", "dev", "train_dependencies", "dev_dependencies")
_FREE = ("epochs", "max_minutes", "patience", "save_every")  # a run may be made longer or shorter


def resumed_config(config: TrainingConfig, last: Path) -> TrainingConfig:
    """Return the configuration to resume a checkpoint with; keys left to the size of the treebanks stay as they were.

    Raises a CheckpointError if another key than those of a run's length has changed. Where the treebanks lie may
    change: the fingerprint in a checkpoint is that of what is in them.
    """
    saved = load_saved_config(last / RUN_CONFIG)
    config = settle_as(config, saved)
    before, after = (_fixed(one) for one in (saved, config))
    if key := _differing(before, after, ""):
        raise CheckpointError(f"{last}: the run was started with another value of {key}: put it back to resume")
    return config


def _fixed(config: TrainingConfig) -> dict[str, Any]:
    """Return what must stay as it is; of a treebank's files, which of them there are."""
    table = {key: value for key, value in dataclasses.asdict(config).items() if key not in _FREE}
    for treebank in table["treebanks"]:
        treebank.update({key: bool(value) for key, value in treebank.items() if key in _FILES})
    return table


def _differing(one: Any, two: Any, key: str) -> str | None:
    if isinstance(one, dict) and isinstance(two, dict):
        for name in one:
            found = _differing(one[name], two[name], f"{key}.{name}" if key else name)
            if found:
                return found
        return None
    return key if one != two else None


def require_own_config(folder: Path) -> None:
    """Raise a TrainingError if a run's folder has a configuration that no run has written there."""
    path = folder / RUN_CONFIG
    try:
        with path.open(encoding="utf-8", errors="replace") as stream:
            is_ours = stream.readline().rstrip("\n") == _FIRST_LINE
    except (FileNotFoundError, NotADirectoryError):
        return
    except OSError as error:
        raise TrainingError(f"{path}: cannot be read: {error.strerror}") from error
    if not is_ours:
        raise TrainingError(f"{path}: not written by a run, so it is not replaced: move it, or choose another folder")


def write_run_config(folder: Path, config: TrainingConfig) -> None:
    """Write the whole configuration beside a run's checkpoints."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with atomic_file(folder / RUN_CONFIG) as stream:
            stream.write(f"{_FIRST_LINE}\n{config_to_toml(config)}".encode())
    except OSError as error:
        raise TrainingError(f"{folder / RUN_CONFIG}: cannot be written: {error.strerror}") from error
