"""A model as a folder of plain files: graphs, tokenizer, manifest, card. Loading checks every byte and runs no code."""

from __future__ import annotations

import hashlib
import json
import mmap
import os
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from spanlin.atomic_files import atomic_file
from spanlin.decoding.labelled import Temperatures
from spanlin.errors import CheckpointError
from spanlin.model_folder.calibration import ArcCalibration, Calibration
from spanlin.model_folder.graph_check import check_graph
from spanlin.model_folder.lexicon_file import read_lexicon
from spanlin.model_folder.lookup import known_models
from spanlin.model_folder.manifest import (
    CARD,
    GRAPH,
    LABEL_GRAPH,
    MANIFEST,
    RELATION_GRAPH,
    WEIGHTS,
    read_facts,
    read_files,
)
from spanlin.model_folder.network_input import LEXICON, TAGGER, TOKENIZER, InputKind, NetworkInput
from spanlin.model_folder.path_kinds import describe_other
from spanlin.model_folder.plain_files import require_plain_file
from spanlin.model_folder.strict_json import check_plain, read_strictly
from spanlin.model_folder.tokenizer_check import check_tokenizer

__all__ = [
    "CARD",
    "FORMAT",
    "GRAPH",
    "LABEL_GRAPH",
    "LEXICON",
    "MANIFEST",
    "ModelFolder",
    "RELATION_GRAPH",
    "TAGGER",
    "TOKENIZER",
    "WEIGHTS",
    "file_hash",
    "manifest_bytes",
    "open_folder",
    "write_manifest",
]

FORMAT = 2
_GRAPHS = frozenset([GRAPH, LABEL_GRAPH, RELATION_GRAPH])
_TOKENIZERS = frozenset([TOKENIZER, TAGGER + TOKENIZER])
_LEXICONS = frozenset([LEXICON, TAGGER + LEXICON])
_LOOKED_INTO = _GRAPHS | _TOKENIZERS | _LEXICONS


@dataclass(frozen=True, kw_only=True)
class ModelFolder:
    """A checked folder and what its manifest says."""

    path: Path
    precision: str
    input: InputKind = "pieces"
    piece_limit: int = 0
    shape_step: int = 0
    tagger: NetworkInput | None = None
    """Of a second network in the graph, which gives tags to the first."""
    one_by_one: bool = False
    """Whether each sentence must run by itself, for what is in its batch would change it."""
    labels: tuple[str, ...]
    tags: tuple[str, ...]
    details: dict[str, Any]
    relations: tuple[str, ...] = ()
    """Of dependencies; none for a model that gives trees alone."""
    universal_tags: tuple[str, ...] = ()
    calibration: Calibration = field(default_factory=Calibration)
    temperatures: Temperatures = field(default_factory=Temperatures)
    arc_calibration: ArcCalibration = field(default_factory=ArcCalibration)
    files: Mapping[str, str] = field(default_factory=dict)
    """The SHA-256 sums of its files, by their names; none for what was not opened as a model folder."""

    @property
    def is_calibrated(self) -> bool:
        """Whether the probabilities of its trees were fitted on gold trees."""
        return (self.calibration, self.temperatures) != (Calibration(), Temperatures())

    @property
    def dependencies_calibrated(self) -> bool:
        """Whether the probabilities of its arcs were fitted on gold dependencies; never if it has none."""
        return self.arc_calibration != ArcCalibration()

    @property
    def graph(self) -> Path:
        """The ONNX file that parses."""
        return self.path / GRAPH

    @property
    def label_graph(self) -> Path:
        """The ONNX file that labels the spans of other trees than its own."""
        return self.path / LABEL_GRAPH

    @property
    def relation_graph(self) -> Path:
        """The ONNX file that names the relations of other arcs than its own, for a model with dependencies."""
        return self.path / RELATION_GRAPH

    @property
    def tokenizer(self) -> Path:
        """The tokenizer's JSON file."""
        return self.path / TOKENIZER

    @property
    def inputs(self) -> dict[str, NetworkInput]:
        """How each network in the graph knows words, by what its files and inputs start with; the parser is first."""
        own = NetworkInput(kind=self.input, piece_limit=self.piece_limit, shape_step=self.shape_step)
        return {"": own} if self.tagger is None else {"": own, TAGGER: self.tagger}

    def read(self, name: str) -> bytes:
        """Return the bytes of a file, or raise a CheckpointError if they are not those that were checked."""
        path = self.path / name
        try:
            data = path.read_bytes()
        except OSError as error:
            raise CheckpointError(f"{path}: cannot be read: {error.strerror}; load the model again") from error
        if self.files and hashlib.sha256(data).hexdigest() != self.files.get(name):
            raise CheckpointError(f"{path}: changed since the model was loaded: load it again")
        return data


def write_manifest(folder: ModelFolder) -> None:
    """Write the manifest of a folder whose other files are in place, with their SHA-256 sums."""
    path = folder.path
    manifest = {
        "format": FORMAT,
        "precision": folder.precision,
        **_input_facts(folder.inputs[""]),
        **({} if folder.tagger is None else {"tagger": _input_facts(folder.tagger)}),
        **({"one_by_one": True} if folder.one_by_one else {}),
        "labels": folder.labels,
        "tags": folder.tags,
        **(_dependency_facts(folder) if folder.relations else {}),
        "calibration": asdict(folder.calibration),
        "temperatures": asdict(folder.temperatures),
        "details": folder.details,
        "files": {file.name: file_hash(file) for file in sorted(path.iterdir()) if file.name != MANIFEST},
    }
    with atomic_file(path / MANIFEST) as stream:  # a folder with half of one would be lost
        stream.write(json.dumps(manifest, ensure_ascii=False, indent=1).encode())


def _dependency_facts(folder: ModelFolder) -> dict[str, Any]:
    facts = {"relations": folder.relations, "universal_tags": folder.universal_tags}
    return facts | ({"arc_calibration": asdict(folder.arc_calibration)} if folder.dependencies_calibrated else {})


def _input_facts(found: NetworkInput) -> dict[str, Any]:
    if found.kind == "lexical":
        return {"input": found.kind}
    return {"input": found.kind, "piece_limit": found.piece_limit, "shape_step": found.shape_step}


def manifest_bytes(path: Path) -> bytes:
    """Return a model folder's manifest as it is on disk, or raise a CheckpointError if it has none."""
    try:
        require_plain_file(path / MANIFEST)
        return (path / MANIFEST).read_bytes()
    except OSError as error:
        what = describe_other(path, wanted="model folder")
        said = f"this is {what}" if what else f"no model here ({MANIFEST}: {error.strerror}); {known_models()}"
        raise CheckpointError(f"{path}: {said}") from error


def open_folder(path: str | Path) -> ModelFolder:
    """Return a model folder after checking its format, its files and their sums, and what is in its graphs."""
    path = Path(path)
    source = path / MANIFEST
    manifest = read_strictly(manifest_bytes(path), str(source))
    found = manifest.get("format") if isinstance(manifest, dict) else None
    if found != FORMAT or isinstance(found, bool):
        shown = found if isinstance(found, int) else type(found).__name__
        raise CheckpointError(f"{path}: format {shown}, but this version reads format {FORMAT}: export it again")
    check_plain(manifest, str(source))
    files = read_files(manifest, str(source))
    # Files are read later, too, when the working directory may be another.
    model = ModelFolder(path=path.absolute(), files=files, **read_facts(manifest, str(source)))
    needed = [GRAPH, LABEL_GRAPH, *(prefix + found.file for prefix, found in model.inputs.items())]
    if model.relations:
        needed.append(RELATION_GRAPH)
    missing = [name for name in needed if name not in files]
    if missing:
        raise CheckpointError(f"{source}: damaged: its files lack {', '.join(missing)}; export the model again")
    for name in (CARD, WEIGHTS):
        if name not in files and os.path.lexists(path / name):
            raise CheckpointError(f"{path / name}: is not listed in {MANIFEST}: remove it, or export the model again")
    for name, expected in files.items():
        _check_file(path / name, expected)
    return model


def _check_file(path: Path, expected: str) -> None:
    """Raise a CheckpointError if a file is not what the manifest says, or is what no model may have."""
    try:
        require_plain_file(path)
        if path.name not in _LOOKED_INTO:
            actual = file_hash(path)
        else:
            data = _mapped(path)
            actual = hashlib.sha256(data).hexdigest()
    except OSError as error:
        raise CheckpointError(f"{path}: cannot be read: {error.strerror}; copy the model again") from error
    if actual != expected:
        raise CheckpointError(f"{path}: damaged (its SHA-256 is not the manifest's); copy the model again")
    if path.name in _TOKENIZERS:
        check_tokenizer(bytes(data), str(path))
    elif path.name in _LEXICONS:
        read_lexicon(bytes(data), str(path))
    elif path.name in _GRAPHS:
        check_graph(data, str(path))


def _mapped(path: Path) -> bytes | memoryview:
    """Return the bytes of a file without reading those that nobody looks at."""
    with path.open("rb") as stream:
        if os.fstat(stream.fileno()).st_size == 0:  # which cannot be mapped
            return b""
        return memoryview(mmap.mmap(stream.fileno(), 0, access=mmap.ACCESS_READ))


def file_hash(path: Path) -> str:
    """Return the SHA-256 sum of a file, in hexadecimal."""
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()
