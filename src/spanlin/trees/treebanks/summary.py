"""What a preparation wrote and what it dropped, as text and as JSON."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True)
class SplitSummary:
    """The counts of one split: `labels` by label (without the root), `dropped` by reason."""

    name: str
    file: str
    documents: int
    sentences: int
    words: int
    labels: Mapping[str, int]
    dropped: Mapping[str, int]
    dropped_documents: Mapping[str, int]
    bytes: int
    sha256: str

    @property
    def dropped_count(self) -> int:
        """The trees read for this split and not written."""
        return sum(self.dropped.values())


@dataclass(frozen=True)
class CountDifference:
    """A split whose number of sentences is not the known one."""

    split: str
    known: int
    found: int


@dataclass(frozen=True, kw_only=True)
class Preparation:
    """The counts of a whole treebank. `malformed` holds the first few errors; `dropped` of each split counts all."""

    treebank: str
    release: str
    source: str
    splits: tuple[SplitSummary, ...]
    documents_left_out: int
    differences: tuple[CountDifference, ...]
    malformed: tuple[str, ...]
    remarks: tuple[str, ...]

    def warnings(self) -> list[str]:
        """Return a line for each split whose count is not the known one."""
        return [
            f"{difference.split} has {difference.found:,} sentences, but {difference.known:,} in {self.release}"
            for difference in self.differences
        ]

    def to_json(self) -> str:
        """Return the counts as a JSON object; the same input gives the same text."""
        return json.dumps(dataclasses.asdict(self), ensure_ascii=False, indent=2)

    def to_text(self) -> str:
        """Return the counts as a table, with a line below for each kind of thing that was left out."""
        rows: list[tuple[str, ...]] = [("split", "documents", "sentences", "words", "labels", "dropped")]
        rows += [
            (
                split.name,
                *(f"{number:,}" for number in (split.documents, split.sentences, split.words)),
                f"{len(split.labels):,}",
                f"{split.dropped_count:,}",
            )
            for split in self.splits
        ]
        widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
        lines = [
            "  ".join(cell.rjust(width) if place else cell.ljust(width) for place, (cell, width) in cells).rstrip()
            for cells in (enumerate(zip(row, widths, strict=True)) for row in rows)
        ]
        for split in self.splits:
            lines += [f"dropped from {split.name}: {count:,} trees, {why}" for why, count in split.dropped.items()]
            lines += [
                f"dropped from {split.name}: {count:,} whole documents, {why}"
                for why, count in split.dropped_documents.items()
            ]
        if self.documents_left_out:
            lines.append(f"left out: {self.documents_left_out:,} documents that belong to no split")
        return "\n".join(lines + [f"left out: {remark}" for remark in self.remarks])
