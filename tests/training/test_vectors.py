from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from spanlin.errors import CheckpointError
from spanlin.training.vectors import WordVectors

TABLE = np.arange(8, dtype=np.float32).reshape(4, 2)
WORDS = ["the", "cat", "Paris", "été"]


def write_folder(folder: Path, words: list[str], table: np.ndarray) -> Path:
    folder.mkdir()
    (folder / "words.txt").write_text("".join(f"{word}\n" for word in words), encoding="utf-8")
    np.save(folder / "vectors.npy", table)
    return folder


def write_text(path: Path, words: list[str], table: np.ndarray) -> Path:
    lines = [f"{word} {' '.join(map(str, row))}\n" for word, row in zip(words, table.tolist(), strict=True)]
    path.write_text("".join(lines), encoding="utf-8")
    return path


@pytest.mark.parametrize("write", [write_folder, write_text])
def test_vectors_are_read_from_a_folder_and_from_text(write: object, tmp_path: Path) -> None:
    assert callable(write)
    vectors = WordVectors.load(write(tmp_path / "vectors", WORDS, TABLE))
    assert vectors.words == WORDS
    np.testing.assert_array_equal(vectors.table, np.concatenate([np.zeros((1, 2)), TABLE]))
    limited = WordVectors.load(tmp_path / "vectors", limit=2)
    assert limited.words == WORDS[:2]
    assert limited.table.shape == (3, 2)


def test_missing_vectors_are_an_error(tmp_path: Path) -> None:
    with pytest.raises(CheckpointError, match="nowhere: word vectors cannot be read"):
        WordVectors.load(tmp_path / "nowhere")
    (tmp_path / "empty").mkdir()
    with pytest.raises(CheckpointError, match="empty: word vectors cannot be read"):
        WordVectors.load(tmp_path / "empty")


def test_more_words_than_vectors_are_an_error(tmp_path: Path) -> None:
    folder = write_folder(tmp_path / "vectors", [*WORDS, "more"], TABLE)
    with pytest.raises(CheckpointError, match=r"vectors: 5 words but vectors of shape \(4, 2\)"):
        WordVectors.load(folder)


@pytest.mark.parametrize("text", ["", "cat 1 2\ndog 1\n", "cat one two\n"])
def test_text_that_is_no_vectors_is_an_error(text: str, tmp_path: Path) -> None:
    (tmp_path / "glove.txt").write_text(text)
    with pytest.raises(CheckpointError, match=r"glove\.txt: not word vectors"):
        WordVectors.load(tmp_path / "glove.txt")
