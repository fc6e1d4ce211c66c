"""Pretrained word vectors, such as GloVe, from a folder."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from spanlin.errors import CheckpointError


class WordVectors:
    """Words and their vectors; id 0 is a vector of zeros, for words that have none."""

    def __init__(self, words: list[str], table: NDArray[np.float32]) -> None:
        self.words = words
        self.table = table  # [words + 1, width]

    @classmethod
    def load(cls, path: str | Path, *, limit: int = 0) -> WordVectors:
        """Read GloVe's text format, or a folder with `words.txt` (one per line) and `vectors.npy` ([words, width])."""
        path = Path(path)
        try:
            words, table = _read_folder(path) if path.is_dir() else _read_text(path, limit)
        except OSError as error:
            raise CheckpointError(f"{path}: word vectors cannot be read: {error}") from error
        except ValueError as error:
            raise CheckpointError(f"{path}: not word vectors: {error}") from error
        if table.ndim != 2 or len(words) != len(table):
            raise CheckpointError(f"{path}: {len(words)} words but vectors of shape {table.shape}")
        if limit:
            words, table = words[:limit], table[:limit]
        padded = np.zeros((len(words) + 1, table.shape[1]), dtype=np.float32)
        padded[1:] = table
        return cls(words, padded)


def _read_folder(folder: Path) -> tuple[list[str], NDArray[np.floating]]:
    words = (folder / "words.txt").read_text(encoding="utf-8").split("\n")
    if words and not words[-1]:
        words.pop()
    table: NDArray[np.floating] = np.load(folder / "vectors.npy", mmap_mode="r", allow_pickle=False)
    return words, table


def _read_text(path: Path, limit: int) -> tuple[list[str], NDArray[np.floating]]:
    words: list[str] = []
    rows: list[NDArray[np.float32]] = []
    with path.open(encoding="utf-8") as stream:
        for line in stream:
            if limit and len(words) == limit:
                break
            word, _, numbers = line.rstrip("\n").partition(" ")
            words.append(word)
            rows.append(np.array(numbers.split(), dtype=np.float32))
    if len({len(row) for row in rows}) != 1:
        raise ValueError("its lines have different numbers of fields")
    return words, np.stack(rows)
