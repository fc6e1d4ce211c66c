"""A packaged model from a recipe folder: teachers, a student, its export, its calibration, its figures, its card."""

from __future__ import annotations

import json
import platform
import shutil
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import cache
from importlib import metadata
from pathlib import Path

import numpy as np
import torch

from spanlin import __version__
from spanlin.atomic_files import recover_folder
from spanlin.config.recipe import Recipe, load_recipe
from spanlin.config.training import TrainingConfig
from spanlin.errors import TrainingError
from spanlin.model_folder.folder import CARD, file_hash, open_folder, write_manifest
from spanlin.training.calibrating import fit_probabilities
from spanlin.training.card import InputFile, PackageFigures, Run, write_card
from spanlin.training.checkpoint import MODEL_FOLDER, require_replaceable, write_folder
from spanlin.training.export import export_model
from spanlin.training.loop import train
from spanlin.training.metrics import Watcher
from spanlin.training.packaged import parse_treebank, treebank_figures
from spanlin.training.state import load_progress


@dataclass(frozen=True, kw_only=True)
class BuiltModel:
    """A packaged model, its figures, and the file that holds them."""

    folder: Path
    figures: PackageFigures
    figures_file: Path


def build_model(
    recipe: str | Path, destination: str | Path, *, work: str | Path, device: str = "", watch: Watcher | None = None
) -> BuiltModel:
    """Train what a recipe folder names and package its student.

    Runs are kept in `work`: a finished one is used again, an interrupted one is resumed.
    """
    loaded, work = load_recipe(recipe), Path(work)
    require_replaceable(Path(destination), MODEL_FOLDER)  # now, not after all the training
    teachers = [
        _trained(loaded.config(name), run_folder(loaded, name, work), device=device, watch=watch)
        for name in loaded.teachers
    ]
    config = loaded.config(loaded.student)
    if teachers:
        config = replace(config, distillation=replace(config.distillation, teachers=tuple(map(str, teachers))))
    student = _trained(config, run_folder(loaded, loaded.student, work), device=device, watch=watch)
    return package_checkpoint(student, recipe, destination, work=work)


def package_checkpoint(
    checkpoint: str | Path, recipe: str | Path, destination: str | Path, *, work: str | Path
) -> BuiltModel:
    """Export a checkpoint, calibrate and measure the export, and put it at `destination` with its card.

    The figures go to `work`, as JSON. Nothing is trained.
    """
    loaded, destination, work = load_recipe(recipe), Path(destination), Path(work)
    require_replaceable(destination, MODEL_FOLDER)
    inputs = tuple(_input_files(loaded))
    with tempfile.TemporaryDirectory() as temporary:
        path = export_model(
            checkpoint, Path(temporary) / destination.name, precision=loaded.precision, treebank=loaded.treebank
        )
        folder = open_folder(path)
        parsed = cache(lambda file: parse_treebank(folder, file))
        calibration, temperatures = fit_probabilities(folder, [parsed(item.file) for item in loaded.calibration_files])
        figures = PackageFigures(
            treebanks=tuple(
                treebank_figures(item.name, item.file, parsed(item.file), calibration) for item in loaded.dev
            ),
            calibration=calibration,
            temperatures=temperatures,
            calibrated_on=tuple(f"{item.name} (`{item.file}`)" for item in loaded.calibration_files),
            runs=tuple(_runs(loaded, work)),
            inputs=inputs,
            versions=_versions(),
            date=datetime.now(UTC).date().isoformat(),
            precision=loaded.precision,
            megabytes=sum(file.stat().st_size for file in path.iterdir()) / 1e6,
        )
        (path / CARD).write_text(write_card(loaded, figures), encoding="utf-8")
        write_manifest(replace(folder, calibration=calibration, temperatures=temperatures))
        write_folder(destination, lambda new: _copy(path, new))
    figures_file = work / f"{destination.name}-figures.json"
    try:
        work.mkdir(parents=True, exist_ok=True)
        text = json.dumps(figures.to_dict(), ensure_ascii=False, allow_nan=False, indent=1)
        figures_file.write_text(f"{text}\n", encoding="utf-8")
    except OSError as error:
        raise TrainingError(f"{figures_file}: cannot be written: {error.strerror}") from error
    return BuiltModel(folder=destination, figures=figures, figures_file=figures_file)


def run_folder(recipe: Recipe, config: str, work: Path) -> Path:
    """Return where the run of one of the recipe's configurations is kept."""
    return work / f"{Path(recipe.folder).resolve().name}-{Path(config).stem}"


def _trained(config: TrainingConfig, folder: Path, *, device: str, watch: Watcher | None) -> Path:
    """Return the best model of a run, after training whatever of it is not finished."""
    recover_folder(folder / "last")
    # A finished run is resumed too: that checks its configuration and its data, and trains nothing.
    result = train(config, folder, resume=(folder / "last").exists(), device=device, watch=watch)
    if result.interrupted:
        raise TrainingError(f"{folder}: interrupted: build again to resume")
    return result.best


def _runs(recipe: Recipe, work: Path) -> Iterator[Run]:
    for name in (*recipe.teachers, recipe.student):
        last = run_folder(recipe, name, work) / "last"
        minutes = load_progress(last).seconds / 60 if last.exists() else None
        yield Run(config=name, seed=recipe.config(name).seed, minutes=minutes)


def _input_files(recipe: Recipe) -> Iterator[InputFile]:
    """Yield every file that goes into a model once, with all its uses."""
    uses: dict[str, list[str]] = {}

    def add(file: str, use: str) -> None:
        known = uses.setdefault(file, [])
        if use not in known:
            known.append(use)

    for name in (*recipe.teachers, recipe.student):
        config = recipe.config(name)
        for treebank in config.treebanks:
            for file in filter(None, (treebank.train, treebank.train_dependencies)):
                add(file, "training")
            for file in filter(None, (treebank.dev, treebank.dev_dependencies)):
                add(file, "dev")
        for file in config.distillation.unlabelled:
            add(file, "distillation")
        if config.network.input == "pretrained":
            for file in _encoder_files(config.network.pretrained.folder):
                add(file, "encoder")
    for item in recipe.calibration_files:
        add(item.file, "calibration")
    for item in recipe.dev:
        add(item.file, "dev")
    for file, found in uses.items():
        recipe.source_of(file)
        try:
            yield InputFile(file=file, use=", ".join(found), sha256=file_hash(Path(file)))
        except OSError as error:
            raise TrainingError(f"{file}: cannot be read: {error.strerror}; a card has every input's sum") from error


def _encoder_files(folder: str) -> Sequence[str]:
    found = [*Path(folder).glob("*.safetensors"), *Path(folder).glob("*.bin"), *Path(folder).glob("tokenizer.json")]
    # Without any, the name to expect is the one to miss.
    return sorted(path.as_posix() for path in found or [Path(folder) / "model.safetensors"])


def _versions() -> dict[str, str]:
    return {
        "spanlin": __version__,
        "python": platform.python_version(),
        "torch": torch.__version__,
        "onnxruntime": metadata.version("onnxruntime"),
        "numpy": np.__version__,
    }


def _copy(source: Path, destination: Path) -> None:
    for path in source.iterdir():
        shutil.copyfile(path, destination / path.name)
