"""Word pieces for pretrained encoders, word by word and cached."""

from __future__ import annotations

import json
from pathlib import Path

from tokenizers import Tokenizer

from spanlin.errors import CheckpointError
from spanlin.trees.escapes import plain_word

MAX_PIECES = 48
"""Pieces of a word that are read: of a longer one, the first and last half as many."""


class WordPieces:
    """Splits words as a folder's `tokenizer.json` does; every word has at least one piece."""

    def __init__(self, text: str, source: str) -> None:
        try:
            self._tokenizer = Tokenizer.from_str(text)
            description = json.loads(text)
        except Exception as error:  # tokenizers raises plain Exception
            raise CheckpointError(f"{source}: not a tokenizer: {error}") from error
        self.text = text
        self._tokenizer.no_truncation()
        self._tokenizer.no_padding()
        edges = self._tokenizer.encode("", add_special_tokens=True).ids
        if len(edges) < 2:
            raise CheckpointError(f"{source}: the tokenizer adds no start and stop pieces; no such encoder fits")
        self.start: int = edges[0]
        self.stop: int = edges[-1]
        # Byte-level pieces tell the start of a word by the space before it.
        self._prefix = " " if "ByteLevel" in json.dumps(description.get("pre_tokenizer")) else ""
        unknown = description.get("model", {}).get("unk_token")
        self._unknown = self._tokenizer.token_to_id(unknown) if unknown else None
        self._cache: dict[str, tuple[int, ...]] = {}

    @classmethod
    def from_folder(cls, folder: str | Path) -> WordPieces:
        """Return the word pieces of a transformers folder."""
        return cls.from_file(Path(folder) / "tokenizer.json")

    @classmethod
    def from_file(cls, path: Path) -> WordPieces:
        """Return the word pieces of a `tokenizer.json`."""
        try:
            return cls(path.read_text(encoding="utf-8"), str(path))
        except OSError as error:
            raise CheckpointError(f"{path}: cannot be read: {error.strerror}") from error

    def __call__(self, word: str) -> tuple[int, ...]:
        """Return the ids of a word's pieces."""
        found = self._cache.get(word)
        if found is None:
            plain = plain_word(word).encode("utf-8", "replace").decode("utf-8")
            found = tuple(self._tokenizer.encode(self._prefix + plain, add_special_tokens=False).ids)
            if not found:
                # Control characters and the like vanish in normalization; the word must not.
                found = (self._unknown if self._unknown is not None else self.stop,)
            if len(found) > MAX_PIECES:
                found = found[: MAX_PIECES // 2] + found[-MAX_PIECES // 2 :]
            self._cache[word] = found
        return found
