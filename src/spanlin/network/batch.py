"""What a network reads and returns: padded tensors for a batch of sentences."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, fields, is_dataclass, replace
from typing import Any, TypeVar, cast

import torch
from torch import Tensor

Carrier = TypeVar("Carrier")


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
    """Gold trees by split point, and dependencies by word; padding and what is unknown is -1, in lefts and rights 0."""

    split_lefts: Tensor  # [batch, words - 1]
    split_rights: Tensor  # [batch, words - 1]
    split_labels: Tensor  # [batch, words - 1]
    word_labels: Tensor  # [batch, words]
    tags: Tensor  # [batch, words]
    heads: Tensor  # [batch, words], words counted from 1, 0 the root
    relations: Tensor  # [batch, words]
    universal_tags: Tensor  # [batch, words]


@dataclass(frozen=True, kw_only=True)
class Batch:
    """A padded batch; `has_tree` marks the sentences that have a gold tree. Heads are known or not word by word."""

    word_counts: Tensor  # [batch]
    lengths: Tensor  # [batch], the same on the CPU
    treebanks: Tensor  # [batch], whose annotation is wanted; 0 names no treebank
    lexical: LexicalInput | None
    pieces: PieceInput | None
    targets: Targets | None
    has_tree: Tensor | None  # [batch], bool

    def to(self, device: torch.device) -> Batch:
        """Return the batch on a device; copies from pinned memory do not wait."""

        def move(tensor: Tensor, name: str) -> Tensor:
            return tensor if name in _STAY_ON_CPU else tensor.to(device, non_blocking=True)

        return map_tensors(self, move)

    def pin(self) -> Batch:
        """Return the batch in page-locked memory."""
        return map_tensors(self, lambda tensor, _: tensor.pin_memory())


_STAY_ON_CPU = frozenset({"lengths"})


def map_tensors(carrier: Carrier, change: Callable[[Tensor, str], Tensor]) -> Carrier:
    """Return a dataclass with its tensors changed, those of dataclasses in it too; `change` gets their names too."""
    given = cast(Any, carrier)
    changes: dict[str, Any] = {}
    for item in fields(given):
        value = getattr(given, item.name)
        if isinstance(value, Tensor):
            changes[item.name] = change(value, item.name)
        elif is_dataclass(value):
            changes[item.name] = map_tensors(value, change)
    return cast(Carrier, replace(given, **changes))


def tensors_in(carrier: Any, *, leave_out: frozenset[str] = frozenset()) -> Iterator[Tensor]:
    """Yield the tensors of a dataclass, and of those in it, always in the same order."""
    for item in fields(carrier):
        value = getattr(carrier, item.name)
        if item.name in leave_out:
            continue
        if isinstance(value, Tensor):
            yield value
        elif is_dataclass(value):
            yield from tensors_in(value, leave_out=leave_out)
