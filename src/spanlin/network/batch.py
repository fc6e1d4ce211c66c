"""What a network reads and returns: padded tensors for a batch of sentences."""

from __future__ import annotations

from dataclasses import dataclass, fields, replace

import torch
from torch import Tensor


@dataclass(frozen=True, kw_only=True)
class LexicalInput:
    """Ids for the embeddings of sec. 3.1. A sentence of n words takes n + 2 positions: start, words, stop."""

    words: Tensor  # [batch, positions]
    vectors: Tensor  # [batch, positions], ids of pretrained word vectors
    tags: Tensor  # [batch, positions]
    spellings: Tensor  # [distinct words, characters]
    spelling_lengths: Tensor  # [distinct words]
    spelling_of: Tensor  # [batch, positions], rows of `spellings`


@dataclass(frozen=True, kw_only=True)
class PieceInput:
    """Word pieces for a pretrained encoder, and where each position's pieces begin and end.

    A row is a sentence or a window of a long one; `first_pieces` and `last_pieces` are indices into all rows' pieces.
    """

    pieces: Tensor  # [rows, pieces]
    piece_counts: Tensor  # [rows]
    first_pieces: Tensor  # [batch, positions]
    last_pieces: Tensor  # [batch, positions]


@dataclass(frozen=True, kw_only=True)
class Targets:
    """Gold trees by split point; padding is -1 in labels and tags, 0 elsewhere."""

    split_lefts: Tensor  # [batch, words - 1]
    split_rights: Tensor  # [batch, words - 1]
    split_labels: Tensor  # [batch, words - 1]
    word_labels: Tensor  # [batch, words]
    tags: Tensor  # [batch, words]


@dataclass(frozen=True, kw_only=True)
class Batch:
    """A padded batch; `has_tree` marks the sentences whose targets count."""

    word_counts: Tensor  # [batch]
    lengths: Tensor  # [batch], the same on the CPU
    treebanks: Tensor  # [batch], whose annotation is wanted; 0 names no treebank
    lexical: LexicalInput | None
    pieces: PieceInput | None
    targets: Targets | None
    has_tree: Tensor | None  # [batch], bool

    def to(self, device: torch.device) -> Batch:
        """Return the batch on a device; copies from pinned memory do not wait."""

        def move(value: object, name: str) -> object:
            if isinstance(value, Tensor):
                return value if name in _STAY_ON_CPU else value.to(device, non_blocking=True)
            if isinstance(value, LexicalInput | PieceInput | Targets):
                changes = {item.name: move(getattr(value, item.name), item.name) for item in fields(value)}
                return replace(value, **changes)  # type: ignore[arg-type]
            return value

        return replace(self, **{item.name: move(getattr(self, item.name), item.name) for item in fields(self)})  # type: ignore[arg-type]

    def pin(self) -> Batch:
        """Return the batch in page-locked memory."""

        def pin(value: object) -> object:
            if isinstance(value, Tensor):
                return value.pin_memory()
            if isinstance(value, LexicalInput | PieceInput | Targets):
                return replace(value, **{item.name: pin(getattr(value, item.name)) for item in fields(value)})  # type: ignore[arg-type]
            return value

        return replace(self, **{item.name: pin(getattr(self, item.name)) for item in fields(self)})  # type: ignore[arg-type]


_STAY_ON_CPU = frozenset({"lengths"})
