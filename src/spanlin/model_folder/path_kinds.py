"""What a path is that was given as a model: a checkpoint, or something else, of which a message says what to do."""

from __future__ import annotations

import hashlib
import os
from pathlib import Path

from spanlin.model_folder.manifest import MANIFEST

CHECKPOINT_FILE = "model.json"
"""What every checkpoint has, and its format; see `spanlin.training.checkpoint`."""

_CHECKPOINTS = ("best", "last")  # of a training run
_ENCODER_FILES = ("model.safetensors", "pytorch_model.bin", "tokenizer.json", "tokenizer_config.json")
_TREE_FILES = ("train.txt", "dev.txt", "test.txt")
_MADE_BY_TRAINING = ("config.toml", "vocabularies.json", "weights.safetensors", "tokenizer.json", "vector_words.txt")


def is_checkpoint(path: Path) -> bool:
    """Whether a path is a checkpoint, which torch can parse with."""
    return not os.path.lexists(path / MANIFEST) and (path / CHECKPOINT_FILE).is_file()


def describe_other(path: Path, *, wanted: str) -> str:
    """Return what a path is that is not what is `wanted`, and what to do; an empty string if nothing can be told.

    `wanted` is the name of a kind: "model folder" or "checkpoint".
    """
    try:
        return _describe(path, wanted)
    except (OSError, ValueError):  # such as a folder that may not be read, or a name with a null character
        return ""


def checkpoint_hash(path: Path) -> str:
    """Return a hash of all files that decide which trees a checkpoint gives."""
    sums = [hashlib.sha256((path / name).read_bytes()).hexdigest() for name in _present(path)]
    return hashlib.sha256("\n".join(sums).encode()).hexdigest()


def _present(path: Path) -> list[str]:
    return [name for name in (*_MADE_BY_TRAINING, "encoder/config.json") if (path / name).is_file()]


def _describe(path: Path, wanted: str) -> str:
    if path.is_file():
        return _describe_file(path, wanted)
    if not path.is_dir():
        return ""
    if (path / MANIFEST).is_file():
        return "" if wanted == "model folder" else "a model folder, exported already; give the checkpoint it came from"
    if is_checkpoint(path):
        return (
            "" if wanted == "checkpoint" else f"a checkpoint; make a model folder first: spanlin export {path} FOLDER"
        )
    for name in _CHECKPOINTS:
        if is_checkpoint(path / name):
            return f"a training run; give one of its checkpoints: {path / name}"
    if (path / "config.json").is_file() and any((path / name).is_file() for name in _ENCODER_FILES):
        return "a pretrained encoder, not a parser; to train one over it, name it as network.pretrained.folder"
    if any((path / name).is_file() for name in _TREE_FILES):
        return "a folder of trees; train a parser on them with spanlin train"
    return ""


def _describe_file(path: Path, wanted: str) -> str:
    if path.name in (MANIFEST, CHECKPOINT_FILE):
        return f"a file of a model; give its folder: {path.parent}"
    if path.suffix == ".whl":
        return f"a wheel; install it with pip install {path}, then give the model's name"
    with path.open("rb") as stream:
        if stream.read(1) == b"(":
            return f"a file of trees, not a {wanted}"
    return f"a file, not a {wanted}"
