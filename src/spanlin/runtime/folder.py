"""A model as a folder of plain files: graphs, tokenizer, manifest, card. Loading checks every byte and runs no code."""

from __future__ import annotations

import hashlib
import json
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from spanlin.errors import CheckpointError
from spanlin.runtime.confidence import Calibration

FORMAT = 2
MANIFEST, GRAPH, LABEL_GRAPH, TOKENIZER, CARD = (
    "manifest.json",
    "graph.onnx",
    "labels.onnx",
    "tokenizer.json",
    "card.md",
)
_PACKAGED = Path(__file__).parents[1] / "models"
WEIGHTS = "weights.safetensors"
"""Only there if the folder was exported for torch too."""


@dataclass(frozen=True, kw_only=True)
class ModelFolder:
    """A checked folder and what its manifest says."""

    path: Path
    precision: str
    piece_limit: int
    shape_step: int  # see `WordPieces`
    labels: tuple[str, ...]
    tags: tuple[str, ...]
    details: dict[str, Any]
    calibration: Calibration = field(default_factory=Calibration)

    @property
    def graph(self) -> Path:
        """The ONNX file that parses."""
        return self.path / GRAPH

    @property
    def label_graph(self) -> Path:
        """The ONNX file that labels the spans of other trees than its own."""
        return self.path / LABEL_GRAPH

    @property
    def tokenizer(self) -> Path:
        """The tokenizer's JSON file."""
        return self.path / TOKENIZER


def write_manifest(folder: ModelFolder) -> None:
    """Write the manifest of a folder whose other files are in place, with their SHA-256 sums."""
    path = folder.path
    manifest = {
        "format": FORMAT,
        "precision": folder.precision,
        "piece_limit": folder.piece_limit,
        "shape_step": folder.shape_step,
        "labels": folder.labels,
        "tags": folder.tags,
        "calibration": asdict(folder.calibration),
        "details": folder.details,
        "files": {file.name: file_hash(file) for file in sorted(path.iterdir()) if file.name != MANIFEST},
    }
    (path / MANIFEST).write_text(json.dumps(manifest, ensure_ascii=False, indent=1), encoding="utf-8")


def find_model(model: str | Path) -> Path:
    """Return the folder of a model: one of the package's by its name, or any folder by its path."""
    packaged = _PACKAGED / model
    if isinstance(model, str) and Path(model).name == model and packaged.is_dir():
        return packaged
    if not Path(model).exists():
        names = ", ".join(sorted(path.parent.name for path in _PACKAGED.glob(f"*/{MANIFEST}"))) or "none"
        raise CheckpointError(f"{model}: no such model; give a model folder, or one of the packaged: {names}")
    return Path(model)


def open_folder(path: str | Path) -> ModelFolder:
    """Return a model folder after checking its format, its files and their sums."""
    path = Path(path)
    manifest_path = path / MANIFEST
    try:
        manifest = json.loads(manifest_path.read_text(encoding="utf-8"))
    except OSError as error:
        raise CheckpointError(f"{path}: no model here ({MANIFEST}: {error.strerror})") from error
    except ValueError as error:
        raise CheckpointError(f"{manifest_path}: damaged: {error}") from error
    found = manifest.get("format") if isinstance(manifest, dict) else None
    if found != FORMAT:
        raise CheckpointError(f"{path}: format {found!r}, but this version reads format {FORMAT}: export it again")
    try:
        files = dict(manifest["files"])
        model = ModelFolder(
            path=path,
            precision=str(manifest["precision"]),
            piece_limit=int(manifest["piece_limit"]),
            shape_step=int(manifest["shape_step"]),
            labels=tuple(map(str, manifest["labels"])),
            tags=tuple(map(str, manifest["tags"])),
            calibration=Calibration.from_table(manifest["calibration"]),
            details=dict(manifest["details"]),
        )
    except (KeyError, TypeError, ValueError) as error:
        raise CheckpointError(f"{manifest_path}: damaged: {error}") from error
    if model.piece_limit < 3 or not model.labels or not {GRAPH, LABEL_GRAPH, TOKENIZER} <= files.keys():
        raise CheckpointError(f"{manifest_path}: damaged: it names no graphs, tokenizer, labels or limit")
    for name, expected in files.items():
        if Path(name).name != name:
            raise CheckpointError(f"{manifest_path}: damaged: {name!r} is no plain file name")
        try:
            actual = file_hash(path / name)
        except OSError as error:
            raise CheckpointError(f"{path / name}: cannot be read: {error.strerror}; copy the model again") from error
        if actual != expected:
            raise CheckpointError(f"{path / name}: damaged (its SHA-256 is not the manifest's); copy the model again")
    return model


def file_hash(path: Path) -> str:
    """Return the SHA-256 sum of a file, in hexadecimal."""
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()
