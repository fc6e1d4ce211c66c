"""Treebanks of the example's grammar, of any size, for the tests and for `--data tiny`."""

from __future__ import annotations

from pathlib import Path

from spanlin.trees.brackets import write_trees
from spanlin.trees.treebanks.example import generate_trees


def generate_treebank(folder: Path, *, train: int, dev: int, seed: int = 1) -> tuple[Path, Path]:
    """Write `train.txt` and `dev.txt` of random trees; return their paths."""
    folder.mkdir(parents=True, exist_ok=True)
    paths = folder / "train.txt", folder / "dev.txt"
    for number, (path, count) in enumerate(zip(paths, (train, dev), strict=True)):
        write_trees(generate_trees(count, seed=seed * 2 + number), path)
    return paths
