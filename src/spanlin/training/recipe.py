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
from typing import Any

import numpy as np
import torch

from spanlin import __version__
from spanlin.atomic_files import recover_folder
from spanlin.config.recipe import Recipe, load_recipe
from spanlin.dependencies.conllu import is_conllu
from spanlin.errors import TrainingError
from spanlin.model_folder.folder import CARD, file_hash, open_folder, write_manifest
from spanlin.training.calibrating import fit_probabilities
from spanlin.training.card import InputFile, PackageFigures, Run, write_card
from spanlin.training.checkpoint import MODEL_FOLDER, require_replaceable, write_folder
from spanlin.training.export import export_model
from spanlin.training.folder_arcs import arc_outcomes, fit_arc_calibration
from spanlin.training.loop import TrainingResult, train
from spanlin.training.metrics import Watcher
from spanlin.training.packaged import parse_treebank, treebank_figures
from spanlin.training.packaged_dependencies import dependency_figures
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
    for name in (*loaded.teachers, loaded.student):
        result = train_run(loaded, name, work=work, device=device, watch=watch)
        if result.interrupted:
            raise TrainingError(f"{run_folder(loaded, name, work)}: interrupted: build again to resume")
    return package_checkpoint(result.best, recipe, destination, work=work)


def train_run(
    recipe: Recipe, name: str, *, work: str | Path, device: str = "", watch: Watcher | None = None
) -> TrainingResult:
    """Train one of a recipe's configurations, or what is left of it, and note beside its folder how far it is.

    The student's teachers are the best models of the recipe's, which must have finished.
    """
    work = Path(work)
    config, folder = recipe.config(name), run_folder(recipe, name, work)
    if name == recipe.student and recipe.teachers:
        teachers = tuple(str(_finished(recipe, teacher, work)) for teacher in recipe.teachers)
        config = replace(config, distillation=replace(config.distillation, teachers=teachers))
    recover_folder(folder / "last")
    # A finished run is resumed too: that checks its configuration and its data, and trains nothing.
    result = train(config, folder, resume=(folder / "last").exists(), device=device, watch=watch)
    _write_json(_record_file(folder), _run_record(recipe, name, result, folder))
    return result


def _finished(recipe: Recipe, teacher: str, work: Path) -> Path:
    """Return the best model of a teacher's run."""
    folder = run_folder(recipe, teacher, work)
    if not (folder / "last").exists() or not load_progress(folder / "last").finished:
        raise TrainingError(f"{folder}: this teacher is not trained yet: train the recipe's teachers first")
    return folder / "best" if (folder / "best").exists() else folder / "last"


def _record_file(folder: Path) -> Path:
    """Return what says of a run how far it is, beside its folder."""
    return folder.with_name(f"{folder.name}.json")


def _run_record(recipe: Recipe, name: str, result: TrainingResult, folder: Path) -> dict[str, Any]:
    return {
        "config": name,
        "seed": recipe.config(name).seed,
        "finished": not result.interrupted,
        "minutes": round(load_progress(folder / "last").seconds / 60, 2),
        "steps": result.steps,
        "best_mean_dev_score": round(result.best_score, 3),
        "date": datetime.now(UTC).date().isoformat(),
        "versions": _versions(),
    }


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
        calibration, temperatures = fit_probabilities(
            folder, [parsed(item.file) for item in loaded.calibration_files if not is_conllu(item.file)]
        )
        folder = replace(folder, calibration=calibration, temperatures=temperatures)
        arcs = [arc_outcomes(folder, item.file) for item in loaded.calibration_files if is_conllu(item.file)]
        if arcs:
            folder = replace(folder, arc_calibration=fit_arc_calibration(arcs))
        figures = PackageFigures(
            treebanks=tuple(
                treebank_figures(item.name, item.file, parsed(item.file), calibration)
                for item in loaded.dev
                if not is_conllu(item.file)
            ),
            dependencies=tuple(
                dependency_figures(item.name, item.file, folder) for item in loaded.dev if is_conllu(item.file)
            ),
            calibration=calibration,
            temperatures=temperatures,
            arc_calibration=folder.arc_calibration if folder.relations else None,
            calibrated_on=tuple(f"{item.name} (`{item.file}`)" for item in loaded.calibration_files),
            runs=tuple(_runs(loaded, work)),
            inputs=inputs,
            versions=_versions(),
            date=datetime.now(UTC).date().isoformat(),
            precision=loaded.precision,
            megabytes=sum(file.stat().st_size for file in path.iterdir()) / 1e6,
        )
        (path / CARD).write_text(write_card(loaded, figures), encoding="utf-8")
        write_manifest(folder)
        write_folder(destination, lambda new: _copy(path, new))
    figures_file = work / f"{destination.name}-figures.json"
    _write_json(figures_file, figures.to_dict())
    return BuiltModel(folder=destination, figures=figures, figures_file=figures_file)


def run_folder(recipe: Recipe, config: str, work: Path) -> Path:
    """Return where the run of one of the recipe's configurations is kept: one place, whichever recipe names it."""
    path = (Path(recipe.folder) / config).resolve()
    return work / f"{path.parent.name}-{path.stem}"


def _runs(recipe: Recipe, work: Path) -> Iterator[Run]:
    for name in (*recipe.teachers, recipe.student):
        # The record beside a run's folder is what there is of a run that another machine did.
        record = _record_file(run_folder(recipe, name, work))
        minutes = json.loads(record.read_text(encoding="utf-8"))["minutes"] if record.exists() else None
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


def _write_json(path: Path, table: dict[str, Any]) -> None:
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        text = json.dumps(table, ensure_ascii=False, allow_nan=False, indent=1)
        path.write_text(f"{text}\n", encoding="utf-8")
    except OSError as error:
        raise TrainingError(f"{path}: cannot be written: {error.strerror}") from error


def _copy(source: Path, destination: Path) -> None:
    for path in source.iterdir():
        shutil.copyfile(path, destination / path.name)
