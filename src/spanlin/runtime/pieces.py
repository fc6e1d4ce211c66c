"""Word pieces for pretrained encoders, word by word and cached."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from tokenizers import Tokenizer

from spanlin.errors import CheckpointError
from spanlin.trees.escapes import plain_word
from spanlin.trees.shapes import word_shape

MAX_PIECES = 48
"""Pieces of a word that are read: of a longer one, the first and last half as many."""


@contextmanager
def _told(what: str) -> Iterator[None]:
    """Turn what goes wrong inside tokenizers, which raises plain Exception or panics, into a CheckpointError."""
    try:
        yield
    except BaseException as error:
        # A panic of its Rust is no Exception, and its class has no name to import.
        if not isinstance(error, Exception) and type(error).__name__ != "PanicException":
            raise
        raise CheckpointError(f"{what}: {' '.join(str(error).split())[:200]}") from error


class WordPieces:
    """Splits words as a folder's `tokenizer.json` does; every word has at least one piece.

    Uncased encoders can still be shown capitals: with `shape_step`, the size of the vocabulary,
    the ids of a word of shape s are those of its pieces plus s times that.
    """

    def __init__(self, text: str, source: str, *, shape_step: int = 0, max_pieces: int = MAX_PIECES) -> None:
        with _told(f"{source}: not a tokenizer"):
            self._tokenizer = Tokenizer.from_str(text)
            description = json.loads(text)
            self._tokenizer.no_truncation()
            self._tokenizer.no_padding()
            edges = self._tokenizer.encode("", add_special_tokens=True).ids
        self.text = text
        self.shape_step = shape_step
        self._max_pieces = max_pieces
        self._source = source
        if len(edges) < 2:
            raise CheckpointError(f"{source}: the tokenizer adds no start and stop pieces; no such encoder fits")
        self.start: int = edges[0]
        self.stop: int = edges[-1]
        # Byte-level pieces mark the start of a word by the space before it.
        self._prefix = " " if "ByteLevel" in json.dumps(description.get("pre_tokenizer")) else ""
        unknown = description.get("model", {}).get("unk_token")
        self._unknown = self._tokenizer.token_to_id(unknown) if unknown else None
        self._cache: dict[str, tuple[int, ...]] = {}

    @classmethod
    def from_folder(cls, folder: str | Path, *, shape_step: int = 0) -> WordPieces:
        """Return the word pieces of a transformers folder."""
        path = Path(folder) / "tokenizer.json"
        try:
            data = path.read_bytes()
        except OSError as error:
            raise CheckpointError(f"{path}: cannot be read: {error.strerror}") from error
        return cls.from_bytes(data, str(path), shape_step=shape_step)

    @classmethod
    def from_bytes(cls, data: bytes, source: str, *, shape_step: int = 0, max_pieces: int = MAX_PIECES) -> WordPieces:
        """Return the word pieces of a `tokenizer.json`, at most `max_pieces` per word."""
        try:
            text = data.decode()
        except UnicodeDecodeError as error:
            raise CheckpointError(f"{source}: not a tokenizer: not UTF-8") from error
        return cls(text, source, shape_step=shape_step, max_pieces=max_pieces)

    def __call__(self, word: str) -> tuple[int, ...]:
        """Return the ids of a word's pieces."""
        found = self._cache.get(word)
        if found is None:
            found = self._cache[word] = self.split([word])[0]
        return found

    def split(self, words: Sequence[str]) -> list[tuple[int, ...]]:
        """Return the ids of each word's pieces, all words split in one go."""
        plain = [self._prefix + plain_word(word).encode("utf-8", "replace").decode("utf-8") for word in words]
        with _told(f"{self._source}: cannot split words"):
            encodings = self._tokenizer.encode_batch_fast(plain, add_special_tokens=False)  # offsets are not needed
        return [self._ids(word, encoding.ids) for word, encoding in zip(words, encodings, strict=True)]

    def _ids(self, word: str, ids: list[int]) -> tuple[int, ...]:
        if not ids:
            # Control characters and the like vanish in normalization; the word must not.
            ids = [self._unknown if self._unknown is not None else self.stop]
        if len(ids) > self._max_pieces:
            half = self._max_pieces // 2
            ids = ids[:half] + ids[half - self._max_pieces :]
        shape = self.shape_step * word_shape(word) if self.shape_step else 0
        return tuple(number + shape for number in ids) if shape else tuple(ids)
