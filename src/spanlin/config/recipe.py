"""A recipe folder's `recipe.toml`: which configurations make a packaged model, and what its card says of them."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from spanlin.config.table import config_from_table, shown
from spanlin.config.toml_files import read_toml_with_base
from spanlin.config.training import TrainingConfig, load_config
from spanlin.errors import ConfigError

RECIPE = "recipe.toml"


@dataclass(frozen=True, kw_only=True)
class TreebankFile:
    """A treebank file, of trees or of dependencies (CoNLL-U), and the name it goes by."""

    name: str
    file: str


@dataclass(frozen=True, kw_only=True)
class Source:
    """Where some input files come from and on what terms; a folder stands for all files in it."""

    name: str
    files: tuple[str, ...]
    licence: str
    about: str = ""

    def holds(self, file: str) -> bool:
        """Return whether a file is one of these."""
        return any(Path(file).is_relative_to(one) for one in self.files)


@dataclass(frozen=True, kw_only=True)
class Recipe:
    """All of a recipe. Data files are found from where it is run, training configurations in its own `folder`."""

    folder: str
    title: str
    description: str
    intended_use: str
    licence: str
    """The terms of the model itself."""
    student: str
    dev: tuple[TreebankFile, ...]
    sources: tuple[Source, ...]
    weaknesses: tuple[str, ...] = ()
    calibration: tuple[TreebankFile, ...] = ()
    """What to calibrate on: trees, and dependencies for the probabilities of arcs; none: the files of `dev`."""
    teachers: tuple[str, ...] = ()
    """Configurations; their models take the place of the teachers that the student's configuration names."""
    precision: Literal["fp32", "fp16", "int8"] = "int8"
    treebank: str = ""
    """The one whose annotation the parser gives, for a student with treebank vectors."""
    trained_on: str = ""
    """The machine and its time, in words."""

    def __post_init__(self) -> None:
        if not self.dev:
            raise ConfigError("the table [dev] is empty: name at least one treebank file to score on")

    @property
    def calibration_files(self) -> tuple[TreebankFile, ...]:
        """The files to calibrate on."""
        return self.calibration or self.dev

    def config(self, name: str) -> TrainingConfig:
        """Return one of the recipe's training configurations."""
        return load_config(Path(self.folder) / name)

    def source_of(self, file: str) -> Source:
        """Return where an input file comes from; a recipe must say it of each."""
        for source in self.sources:
            if source.holds(file):
                return source
        raise ConfigError(f"{Path(self.folder) / RECIPE}: no [[sources]] names {file}: add it with its licence")


def load_recipe(folder: str | Path) -> Recipe:
    """Return the recipe in a folder; its file may take keys from its `base`."""
    path = Path(folder) / RECIPE
    table = read_toml_with_base(path)
    try:
        if "folder" in table:
            raise ConfigError("unknown key folder: a recipe is where its file is")
        for key in ("dev", "calibration"):
            files = table.get(key, {})
            if not isinstance(files, dict):
                raise ConfigError(f"{key} must be a table of names and files, got {shown(files)}")
            table[key] = [{"name": name, "file": file} for name, file in files.items()]
        return config_from_table(Recipe, {**table, "folder": str(folder)})
    except ConfigError as error:
        raise ConfigError(f"{path}: {error}") from error
