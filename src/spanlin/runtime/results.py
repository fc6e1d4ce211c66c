"""The arrays of a batch as one record a sentence."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from spanlin.model_folder.calibration import Calibration
from spanlin.runtime.backend import TREE, Arrays, IntArray
from spanlin.runtime.confidence import span_evidence
from spanlin.trees.transforms import constituent_labels

_Row = tuple[int, ...]


class Record(NamedTuple):
    """Tags and labelled spans of a sentence, each with its probability; a span stands before those inside it.

    The splits are the spans that the binary tree divides at its split points 1..n-1, with or without a label. The
    boundaries are the most probable ones, None for a side that is not scored. If they are the tree's own, no tree
    is more probable, and it is `certified`.
    """

    tags: tuple[str, ...]
    tag_probabilities: tuple[float, ...]
    spans: tuple[tuple[str, int, int, float], ...]
    splits: tuple[tuple[int, int], ...]
    left_boundaries: tuple[int, ...] | None
    right_boundaries: tuple[int, ...] | None
    certified: bool


class RecordMaker:
    """Makes records for one set of labels and tags."""

    def __init__(self, labels: Sequence[str], tags: Sequence[str], calibration: Calibration) -> None:
        self._chains = [constituent_labels(label) for label in labels]
        self._tags = tuple(tags)
        self._calibration = calibration

    def __call__(self, counts: IntArray, found: Arrays) -> list[Record]:
        """Return the records of a batch from a backend's outputs TREE, CONFIDENCE and BOUNDARIES."""
        probabilities = self._calibration(span_evidence(counts, found))
        tag_probabilities = np.exp(np.minimum(found["tag_log_probs"].astype(np.float64), 0.0))
        lists = [found[name].tolist() for name in TREE]
        width = found["lefts"].shape[1]
        rows = zip(counts.tolist(), *lists, probabilities.tolist(), tag_probabilities.tolist(), strict=True)
        boundaries = zip(*_boundaries(counts, found), _certified(counts, found), strict=True)
        return [Record(*self._columns(width, *row), *rest) for row, rest in zip(rows, boundaries, strict=True)]

    def _columns(  # noqa: PLR0917 (the columns of a parse, in their order)
        self,
        width: int,
        count: int,
        lefts: list[int],
        rights: list[int],
        split_labels: list[int],
        word_labels: list[int],
        tags: list[int],
        probabilities: list[float],
        tag_probabilities: list[float],
    ) -> tuple[
        tuple[str, ...], tuple[float, ...], tuple[tuple[str, int, int, float], ...], tuple[tuple[int, int], ...]
    ]:
        spans = [
            (lefts[split], -rights[split], split_labels[split], probabilities[split])
            for split in range(count - 1)
            if split_labels[split]
        ]
        spans += [
            (place, -place - 1, word_labels[place], probabilities[width + place])
            for place in range(count)
            if word_labels[place]
        ]
        spans.sort()
        parts = (
            (part, left, -right, probability)
            for left, right, label, probability in spans
            for part in self._chains[label]
        )
        splits = zip(lefts[: count - 1], rights[: count - 1], strict=True)
        return (
            tuple(self._tags[tag] for tag in tags[:count]),
            tuple(tag_probabilities[:count]),
            tuple(parts),
            tuple(splits),
        )


def _boundaries(counts: IntArray, found: Arrays) -> tuple[list[_Row | None], list[_Row | None]]:
    """Return the left and the right boundaries of each sentence; those of the whole sentence are never in question."""
    left: list[_Row | None] = [None] * len(counts)
    right: list[_Row | None] = [None] * len(counts)
    if "left_boundaries" in found:
        rows = zip(counts.tolist(), found["left_boundaries"].tolist(), strict=True)
        left = [(*row[: count - 1], 0) for count, row in rows]
    if "right_boundaries" in found:
        rows = zip(counts.tolist(), found["right_boundaries"].tolist(), strict=True)
        right = [(count, *row[1:count]) for count, row in rows]
    return left, right


def _certified(counts: IntArray, found: Arrays) -> list[bool]:
    is_padding = np.arange(1, found["lefts"].shape[1] + 1) >= counts[:, np.newaxis]
    same = np.ones(is_padding.shape, dtype=np.bool_)
    if "left_boundaries" in found:
        same &= found["left_boundaries"][:, :-1] == found["lefts"]
    if "right_boundaries" in found:
        same &= found["right_boundaries"][:, 1:] == found["rights"]
    certified: list[bool] = np.logical_and.reduce(same | is_padding, axis=1).tolist()
    return certified
