"""A training run as frozen dataclasses, to and from TOML; an unknown key is an error that names it."""

from __future__ import annotations

import dataclasses
import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from spanlin.config.network import NetworkConfig
from spanlin.config.table import config_from_table, shown
from spanlin.config.toml_files import read_toml, read_toml_with_base
from spanlin.errors import ConfigError


@dataclass(frozen=True, kw_only=True)
class TreebankConfig:
    """One treebank: trees, dependencies (CoNLL-U), or both of the same sentences.

    `weight` is how often an epoch passes over its training sentences.
    """

    name: str
    train: str = ""
    dev: str = ""
    train_dependencies: str = ""
    dev_dependencies: str = ""
    weight: float = 1.0

    def __post_init__(self) -> None:
        if not self.train and not self.train_dependencies:
            raise ConfigError(
                f"treebank {shown(self.name)}: nothing to train on: give it train, train_dependencies or both"
            )
        if self.weight <= 0:
            raise ConfigError(f"treebank {shown(self.name)}: weight must be positive, got {self.weight}")


@dataclass(frozen=True, kw_only=True)
class OptimizerConfig:
    """Adam with separate rates for a pretrained encoder and for everything else."""

    kind: Literal["adam", "adamw"] = "adamw"
    rate: float = 1e-3
    encoder_rate: float = 5e-5
    betas: tuple[float, float] = (0.9, 0.98)
    epsilon: float = 1e-9
    weight_decay: float = 0.01
    clip: float = 5.0
    """Largest gradient norm; 0 clips nothing."""
    warm_up_steps: int = 0
    """Steps in which the rate rises to its peak; 0: by size."""
    decay: Literal["constant", "linear", "cosine", "plateau"] = "linear"
    plateau_factor: float = 0.5
    plateau_patience: int = 5

    def __post_init__(self) -> None:
        if self.rate <= 0 or self.encoder_rate < 0:
            raise ConfigError("optimizer.rate must be positive and optimizer.encoder_rate not negative")
        if self.warm_up_steps < 0:
            raise ConfigError(f"optimizer.warm_up_steps must not be negative, got {self.warm_up_steps}")


@dataclass(frozen=True, kw_only=True)
class BatchConfig:
    """Batches hold sentences of like length: at most `tokens` padded positions and `sentences` sentences each."""

    tokens: int = 0
    """0: by size."""
    sentences: int = 0
    """0: no limit but that of `tokens`."""
    accumulate: int = 1
    max_words: int = 0
    """Leave longer sentences out of training; 0 keeps all."""
    prefetch: int = 8

    def __post_init__(self) -> None:
        for key, least in {"tokens": 0, "sentences": 0, "accumulate": 1, "prefetch": 1}.items():
            if getattr(self, key) < least:
                raise ConfigError(f"batch.{key} must be at least {least}, got {getattr(self, key)}")


@dataclass(frozen=True, kw_only=True)
class DistillationConfig:
    """Teachers (models by name, model folders or checkpoints) and plain sentences that they parse."""

    teachers: tuple[str, ...] = ()
    unlabelled: tuple[str, ...] = ()
    """Files with one sentence per line, words separated by spaces."""
    unlabelled_weight: float = 1.0
    tree_share: float = 0.5
    """The trees' share of the loss (gold ones, or the teachers' best); the teachers' probabilities have the rest."""
    memory_gib: float = 8.0
    """The teachers' answers are kept up to this size, so that they are asked only once."""

    def __post_init__(self) -> None:
        if not 0 <= self.tree_share <= 1:
            raise ConfigError(f"distillation.tree_share must be in [0, 1], got {self.tree_share}")
        if self.unlabelled and not self.teachers:
            raise ConfigError("distillation.unlabelled needs distillation.teachers to parse it")


@dataclass(frozen=True, kw_only=True)
class TrainingConfig:
    """A whole run. Where a key is 0 "by size", `config.by_size` puts a number for it, by the size of the treebanks."""

    treebanks: tuple[TreebankConfig, ...]
    network: NetworkConfig = field(default_factory=NetworkConfig)
    optimizer: OptimizerConfig = field(default_factory=OptimizerConfig)
    batch: BatchConfig = field(default_factory=BatchConfig)
    distillation: DistillationConfig = field(default_factory=DistillationConfig)
    start: str = ""
    """A model to start from, by its name or path: its network and its weights."""
    seed: int = 1
    epochs: int = 0
    """Most passes over the treebanks; 0: by size."""
    max_minutes: float = 0.0
    """End after this many minutes of training, if that is sooner, with the schedule planned for it; 0: no limit."""
    precision: Literal["fp32", "bf16"] = "fp32"
    cuda_graphs: bool = True
    """On one GPU, record and replay the kernels of each shape of batch, where the network allows it."""
    averaging: float = 0.999
    """Decay of an exponential moving average of the weights, which is then evaluated and kept; 0: none."""
    evaluate_every: int = 0
    """Epochs between two dev evaluations; 0: by size."""
    patience: int = 0
    """Stop after this many evaluations without a better dev F1; 0: never."""
    save_every: int = 0
    """Optimizer steps between two checkpoints; 0: after each epoch."""
    min_word_count: int = 2
    """Words seen less often in training get no embedding of their own."""

    def __post_init__(self) -> None:
        if not self.treebanks:
            raise ConfigError("no [[treebanks]]: name at least one with its train file")
        names: set[str] = set()
        for treebank in self.treebanks:
            if treebank.name in names:
                raise ConfigError(f"two [[treebanks]] have the name {shown(treebank.name)}: give each its own")
            if treebank.name == "mean":
                raise ConfigError(
                    "a treebank has the name 'mean', which the mean of all dev scores has: choose another"
                )
            names.add(treebank.name)
        if self.epochs < 0 or self.evaluate_every < 0:
            raise ConfigError("epochs and evaluate_every must not be negative")
        if not 0 <= self.averaging < 1:
            raise ConfigError(f"averaging must be in [0, 1), got {self.averaging}")
        if not 0 <= self.seed < 2**32:
            raise ConfigError(f"seed must be in 0..{2**32 - 1}, got {self.seed}")
        normalization = self.network.scorer.normalization
        if self.distillation.teachers and normalization != "right-boundary":
            raise ConfigError(
                "distillation.teachers needs network.scorer.normalization = 'right-boundary', which gives "
                f"probabilities to learn; got {normalization!r}"
            )


def load_config(path: str | Path) -> TrainingConfig:
    """Return the configuration in a TOML file, which may take keys from its `base`."""
    return _checked_config(path, read_toml_with_base(path))


def load_saved_config(path: str | Path) -> TrainingConfig:
    """Return the configuration in a checkpoint's file, which is complete: no other file is read."""
    return _checked_config(path, read_toml(path))


def _checked_config(path: str | Path, table: dict[str, Any]) -> TrainingConfig:
    try:
        return config_from_table(TrainingConfig, table)
    except ConfigError as error:
        raise ConfigError(f"{path}: {error}") from error


def config_to_toml(config: TrainingConfig) -> str:
    """Return the whole configuration as TOML, defaults included."""
    lines: list[str] = []
    _write_table(dataclasses.asdict(config), "", lines)
    return "\n".join(lines).lstrip("\n") + "\n"


def _write_table(table: dict[str, Any], path: str, lines: list[str]) -> None:
    tables = {name: value for name, value in table.items() if isinstance(value, dict)}
    lists = {
        name: value
        for name, value in table.items()
        if isinstance(value, (list, tuple)) and value and isinstance(value[0], dict)
    }
    for name, value in table.items():
        if name not in tables and name not in lists:
            # JSON's strings, numbers, booleans and flat lists are TOML's too, except for one control character.
            written = json.dumps(list(value) if isinstance(value, tuple) else value, ensure_ascii=False)
            written = written.replace("\x7f", "\\u007f")
            lines.append(f"{name} = {written}")
    for name, value in tables.items():
        lines += ["", f"[{path}{name}]"]
        _write_table(value, f"{path}{name}.", lines)
    for name, items in lists.items():
        for item in items:
            lines += ["", f"[[{path}{name}]]"]
            _write_table(item, f"{path}{name}.", lines)
