"""The arrays of a batch as one record a sentence, which makes tuples and names of them only when asked."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from spanlin.model_folder.calibration import Calibration
from spanlin.runtime.backend import BOUNDARIES, TREE, Arrays, IntArray
from spanlin.runtime.batch_trees import own_boundaries
from spanlin.runtime.confidence import span_evidence
from spanlin.trees.transforms import constituent_labels

Spans = tuple[tuple[str, int, int, float], ...]


@dataclass(frozen=True)
class _Names:
    """What the numbers of a batch mean: the rows of `Record.numbers`, the labels of spans, the tags."""

    rows: Mapping[str, int]
    chains: Sequence[Sequence[str]]
    tags: Sequence[str]


class Record:
    """The tree of a sentence in numbers of its own, which keep no batch alive, and what they stand for.

    If the most probable boundaries are the tree's own, no tree is more probable, and it is `certified`.
    """

    __slots__ = ("_chances", "_names", "_numbers", "certified")

    def __init__(
        self, names: _Names, numbers: NDArray[np.int32], chances: NDArray[np.float64], certified: bool
    ) -> None:
        """Of n words, `numbers` are [rows, n], and `chances` [3, n]: those of split spans, words' spans and tags."""
        self._names = names
        self._numbers = numbers
        self._chances = chances
        self.certified = certified

    @property
    def rows(self) -> tuple[str, ...]:
        """The names of the rows of `numbers`."""
        return tuple(self._names.rows)

    @property
    def numbers(self) -> NDArray[np.int32]:
        """What was found, [rows, words]."""
        return self._numbers

    @property
    def chances(self) -> NDArray[np.float64]:
        """How probable it is, [3, words]."""
        return self._chances

    def tags(self) -> tuple[str, ...]:
        """Return the tag of each word."""
        return tuple(map(self._names.tags.__getitem__, self._row("tags")))

    def tag_probabilities(self) -> tuple[float, ...]:
        """Return the probability of each tag."""
        return tuple(self._chances[2].tolist())

    def spans(self) -> Spans:
        """Return label, edges and probability of each labelled span; a span stands before those inside it."""
        lefts, rights, split_labels, word_labels = map(self._row, TREE[:4])
        split_chances, word_chances = self._chances[:2].tolist()
        last = len(word_labels) - 1  # there is one split point less
        found = [
            (left, -right, label, chance)
            for left, right, label, chance in zip(
                lefts[:last], rights[:last], split_labels[:last], split_chances[:last], strict=True
            )
            if label
        ]
        found += [
            (place, -place - 1, label, chance)
            for place, (label, chance) in enumerate(zip(word_labels, word_chances, strict=True))
            if label
        ]
        found.sort()
        chains = self._names.chains
        return tuple([(part, left, -right, chance) for left, right, label, chance in found for part in chains[label]])

    def splits(self) -> tuple[tuple[int, int], ...]:
        """Return the spans that the binary tree divides at its split points 1..n-1, with or without a label."""
        return tuple(zip(self._row("lefts")[:-1], self._row("rights")[:-1], strict=True))

    def left_boundaries(self) -> tuple[int, ...] | None:
        """Return the most probable left boundaries; None if this side is not scored."""
        if "left_boundaries" not in self._names.rows:
            return None
        return (*self._row("left_boundaries")[:-1], 0)  # that of the whole sentence is never in question

    def right_boundaries(self) -> tuple[int, ...] | None:
        """Return the most probable right boundaries; None if this side is not scored."""
        if "right_boundaries" not in self._names.rows:
            return None
        found = self._row("right_boundaries")
        return (len(found), *found[1:])

    def _row(self, name: str) -> list[int]:
        numbers: list[int] = self._numbers[self._names.rows[name]].tolist()
        return numbers


class RecordMaker:
    """Makes records for one set of labels and tags."""

    def __init__(self, labels: Sequence[str], tags: Sequence[str], calibration: Calibration) -> None:
        self._chains = [constituent_labels(label) for label in labels]
        self._tags = tuple(tags)
        self._calibration = calibration

    def __call__(self, counts: IntArray, found: Arrays) -> list[Record]:
        """Return the records of a batch from a backend's outputs TREE, CONFIDENCE and BOUNDARIES."""
        rows = [name for name in (*TREE, *BOUNDARIES) if name in found]
        names = _Names({name: row for row, name in enumerate(rows)}, self._chains, self._tags)
        words = found["tags"].shape[1]
        numbers = np.zeros((len(counts), len(rows), words), dtype=np.int32)
        for row, name in enumerate(rows):
            numbers[:, row, : found[name].shape[1]] = found[name]
        spans = self._calibration(span_evidence(counts, found))
        chances = np.zeros((len(counts), 3, words))
        chances[:, 0, :-1], chances[:, 1] = spans[:, : words - 1], spans[:, words - 1 :]
        chances[:, 2] = np.exp(np.minimum(found["tag_log_probs"], 0.0, dtype=np.float64))
        certified = own_boundaries(counts, found).tolist()
        # Copies: a sentence that is kept must not keep the whole batch.
        return [
            Record(names, numbers[place, :, :count].copy(), chances[place, :, :count].copy(), certified)
            for place, (count, certified) in enumerate(zip(counts.tolist(), certified, strict=True))
        ]

    def restore(
        self,
        rows: Sequence[str],
        numbers: NDArray[np.int32],
        chances: NDArray[np.float64],
        spans: Sequence[tuple[int, int]],
        certified: Sequence[bool],
    ) -> list[Record]:
        """Return records from their `numbers` and `chances`, joined along the words; a span of these is a sentence."""
        names = _Names({name: row for row, name in enumerate(rows)}, self._chains, self._tags)
        return [
            Record(names, numbers[:, start:end].copy(), chances[:, start:end].copy(), is_certified)
            for (start, end), is_certified in zip(spans, certified, strict=True)
        ]
