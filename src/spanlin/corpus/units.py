"""A corpus cut into units: byte ranges of files of lines, rows of Parquet's groups. Each unit becomes one shard."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass
from typing import Any

from spanlin.corpus.inputs import CorpusFile
from spanlin.corpus.parquet import row_groups


@dataclass(frozen=True, kw_only=True)
class Unit:
    """A part of a file, and all that a worker needs to find it.

    `begin` and `end` are bytes of a file of lines, or rows of a Parquet file, in its row group `group`. An `end` of -1
    is the end of the file.
    """

    name: str
    file: str
    root: str
    path: str
    format: str
    compression: str
    begin: int
    end: int
    group: int = -1

    @property
    def place(self) -> str:
        """Where it is in the file, for people."""
        if self.end < 0:
            return "whole file"
        return f"{'rows' if self.format == 'parquet' else 'bytes'} {self.begin}-{self.end}"

    def to_json(self) -> str:
        """Return the unit as a line, for another process."""
        return json.dumps(asdict(self))

    @classmethod
    def from_json(cls, line: str) -> Unit:
        """Return the unit of such a line."""
        found: dict[str, Any] = json.loads(line)
        return cls(**found)


def cut_into_units(files: Iterable[CorpusFile], *, unit_size: int) -> Iterator[Unit]:
    """Yield the units of all files in order, each of about `unit_size` bytes.

    Files of lines are not opened: their sizes are enough. A compressed file is one unit, since it can only be read from
    its start, and so is a file that is one document. Of Parquet files the footers are read; a file that cannot be read
    is one unit, whose error will say why.
    """
    for number, file in enumerate(files):
        for part, (begin, end, group) in enumerate(_ranges(file, unit_size)):
            yield Unit(
                name=f"part-{number:06}-{part:06}",
                file=file.name,
                root=file.root,
                path=file.path,
                format=file.format,
                compression=file.compression,
                begin=begin,
                end=end,
                group=group,
            )


def _ranges(file: CorpusFile, unit_size: int) -> Iterator[tuple[int, int, int]]:
    if file.format == "parquet":
        yield from _row_ranges(file, unit_size)
    elif file.compression or file.format == "document":
        if file.size:
            yield 0, -1, -1
    else:
        for begin in range(0, file.size, unit_size):
            yield begin, min(begin + unit_size, file.size), -1


def _row_ranges(file: CorpusFile, unit_size: int) -> Iterator[tuple[int, int, int]]:
    groups = row_groups(file)
    if groups is None:
        yield 0, -1, -1
        return
    first = 0
    for group, (rows, size) in enumerate(groups):
        count = max(1, rows * unit_size // max(size, 1))
        for begin in range(first, first + rows, count):
            yield begin, min(begin + count, first + rows), group
        first += rows
