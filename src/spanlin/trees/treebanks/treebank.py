"""A treebank as a list of documents, each read only when its turn comes, and the split each tree belongs to."""

from __future__ import annotations

import io
import os
import zipfile
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from spanlin.errors import TreebankError
from spanlin.trees.brackets import OnBad, read_trees
from spanlin.trees.tree import Tree


class Remarks:
    """What readers left out, by kind: how often, and where first."""

    def __init__(self) -> None:
        self._found: dict[str, tuple[int, str]] = {}

    def add(self, kind: str, place: str) -> None:
        count, first = self._found.get(kind, (0, place))
        self._found[kind] = (count + 1, first)

    def lines(self) -> tuple[str, ...]:
        return tuple(f"{kind}: {count:,}, first in {place}" for kind, (count, place) in self._found.items())


DocumentReader = Callable[[OnBad | None, Remarks], Iterator[Tree]]


def _keep() -> str:
    return ""


@dataclass(frozen=True, kw_only=True)
class TreebankDocument:
    """One source text: where it is, how its trees are read, and where each of them goes.

    `split_of` gets the number of the tree in the whole treebank, from 0. `reason_to_drop` returns why the document is
    left out as a whole, or an empty string.
    """

    name: str
    path: Path
    read: DocumentReader
    split_of: Callable[[int], str]
    reason_to_drop: Callable[[], str] = _keep


@dataclass(frozen=True, kw_only=True)
class Treebank:
    """The documents of a treebank in the order in which they are written, and the known counts of its sentences.

    `known_counts` are the sentences of each split in the release that `release` names; a split may be missing.
    `left_out` counts documents that are there and belong to no split; `advice` is for the user who gets an empty split.
    """

    name: str
    source: Path
    splits: tuple[str, ...]
    documents: tuple[TreebankDocument, ...]
    known_counts: Mapping[str, int] = field(default_factory=dict)
    release: str = ""
    left_out: int = 0
    advice: str = "is the treebank complete?"


def bracket_reader(path: Path) -> DocumentReader:
    """Return a reader of one bracket file, plain or gzip."""

    def read(on_bad: OnBad | None, _remarks: Remarks) -> Iterator[Tree]:
        return read_trees(path, on_bad=on_bad)

    return read


def guarded(trees: Iterable[Tree], path: str | os.PathLike[str]) -> Iterator[Tree]:
    """Yield the trees, or raise a TreebankError where a file breaks off or cannot be read."""
    try:
        yield from trees
    except (OSError, EOFError, zlib.error, zipfile.BadZipFile) as error:
        raise TreebankError(f"{os.fspath(path)}: cannot be read to its end: {error}") from error


class NamedBytes(io.BytesIO):
    """Bytes in memory with the name that errors show."""

    def __init__(self, content: bytes, name: str) -> None:
        super().__init__(content)
        self.name = name


def whole(split: str) -> Callable[[int], str]:
    """Return the assignment that puts every tree of a document into one split."""
    return lambda _number: split
