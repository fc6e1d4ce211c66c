"""The arrays of a batch as one record a sentence, which makes tuples and names of them only when asked."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from spanlin.model_folder.calibration import Calibration
from spanlin.runtime.backend import BOUNDARIES, Arrays, IntArray
from spanlin.runtime.batch_trees import own_boundaries
from spanlin.runtime.confidence import FloatArray, span_evidence
from spanlin.trees.transforms import constituent_labels

Spans = tuple[tuple[str, int, int, float], ...]
Columns = tuple[list[str], list[int], list[int], list[float]]

_KEPT = ("lefts", "rights", "tags")  # of a tree, word by word; its labels are those of constituents


@dataclass(frozen=True)
class _Names:
    """What the numbers of a batch mean: the rows of `Record.numbers`, the labels of constituents, the tags."""

    rows: Mapping[str, int]
    labels: Sequence[str]
    tags: Sequence[str]


class Record:
    """The tree of a sentence in numbers of its own, which keep no batch alive, and what they stand for.

    If the most probable boundaries are the tree's own, no tree is more probable, and it is `certified`.
    """

    __slots__ = ("_names", "certified", "constituents", "numbers", "span_chances", "tag_chances")

    def __init__(
        self,
        names: _Names,
        *,
        numbers: NDArray[np.int32],
        tag_chances: FloatArray,
        constituents: NDArray[np.int32],
        span_chances: FloatArray,
        certified: bool,
    ) -> None:
        """Of n words and m constituents, `numbers` are [rows, n], and `constituents` [3, m]: label, left, right."""
        self._names = names
        self.numbers = numbers
        self.tag_chances = tag_chances
        self.constituents = constituents
        self.span_chances = span_chances
        self.certified = certified

    @property
    def rows(self) -> tuple[str, ...]:
        """The names of the rows of `numbers`."""
        return tuple(self._names.rows)

    def tags(self) -> tuple[str, ...]:
        """Return the tag of each word."""
        return tuple(map(self._names.tags.__getitem__, self._row("tags")))

    def tag_probabilities(self) -> tuple[float, ...]:
        """Return the probability of each tag."""
        return tuple(self.tag_chances.tolist())

    def spans(self) -> Spans:
        """Return label, edges and probability of each constituent; each stands before those inside it."""
        return tuple(zip(*self.columns(), strict=True))

    def columns(self) -> Columns:
        """Return all labels, then all left edges, right edges and probabilities."""
        labels, lefts, rights = self.constituents.tolist()
        return list(map(self._names.labels.__getitem__, labels)), lefts, rights, self.span_chances.tolist()

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
        numbers: list[int] = self.numbers[self._names.rows[name]].tolist()
        return numbers


class JoinedRecords(NamedTuple):
    """The records of several sentences as few arrays: what each record has stands behind that of the one before."""

    rows: tuple[str, ...]
    words: list[int]
    numbers: NDArray[np.int32]
    tag_chances: FloatArray
    sizes: list[int]
    """How many constituents each tree has."""
    constituents: NDArray[np.int32]
    span_chances: FloatArray
    certified: list[bool]


class RecordMaker:
    """Makes records for one set of labels and tags."""

    def __init__(self, labels: Sequence[str], tags: Sequence[str], calibration: Calibration) -> None:
        chains = [constituent_labels(label) for label in labels]
        self._labels = tuple(itertools.chain.from_iterable(chains))
        self._sizes = np.array([len(chain) for chain in chains])
        self._firsts = np.cumsum(self._sizes) - self._sizes
        self._tags = tuple(tags)
        self._calibration = calibration

    def __call__(self, counts: IntArray, found: Arrays) -> list[Record]:
        """Return the records of a batch from a backend's outputs TREE, CONFIDENCE and BOUNDARIES."""
        rows = tuple(name for name in (*_KEPT, *BOUNDARIES) if name in found)
        is_word = np.arange(found["tags"].shape[1]) < counts[:, np.newaxis]
        numbers = np.zeros((len(rows), *is_word.shape), dtype=np.int32)
        for row, name in enumerate(rows):
            numbers[row, :, : found[name].shape[1]] = found[name]
        tag_chances = np.exp(np.minimum(found["tag_log_probs"][is_word], 0.0, dtype=np.float64))
        return self.divide(
            JoinedRecords(
                rows,
                counts.tolist(),
                numbers[:, is_word],
                tag_chances,
                *self._constituents(counts, found),
                own_boundaries(counts, found).tolist(),
            )
        )

    def divide(self, joined: JoinedRecords) -> list[Record]:
        """Return the records of which `join_records` made this."""
        names = _Names({name: row for row, name in enumerate(joined.rows)}, self._labels, self._tags)
        numbers, tag_chances = joined.numbers, joined.tag_chances
        constituents, span_chances = joined.constituents, joined.span_chances
        # Copies: a sentence that is kept must not keep the others.
        return [
            Record(
                names,
                numbers=numbers[:, word:word_end].copy(),
                tag_chances=tag_chances[word:word_end].copy(),
                constituents=constituents[:, first:end].copy(),
                span_chances=span_chances[first:end].copy(),
                certified=certified,
            )
            for (word, word_end), (first, end), certified in zip(
                _stretches(joined.words), _stretches(joined.sizes), joined.certified, strict=True
            )
        ]

    def _constituents(self, counts: IntArray, found: Arrays) -> tuple[list[int], NDArray[np.int32], FloatArray]:
        """Return how many constituents each tree has; label, left and right of all of them; and how probable each is.

        A span with a chain of labels has one for each, the outermost first.
        """
        labels = np.concatenate([found["split_labels"], found["word_labels"]], axis=1)
        batch, words = found["word_labels"].shape
        ends = counts[:, np.newaxis]
        is_span = np.concatenate([np.arange(words - 1) < ends - 1, np.arange(words) < ends], axis=1)
        trees, places = np.nonzero(is_span & (labels != 0))
        word_lefts = np.broadcast_to(np.arange(words), (batch, words))
        lefts = np.concatenate([found["lefts"], word_lefts], axis=1)[trees, places]
        rights = np.concatenate([found["rights"], word_lefts + 1], axis=1)[trees, places]
        # Tree by tree; in a tree by the left edge, and of one left edge the longest first.
        order = np.argsort((trees * words + lefts) * (words + 1) - rights)
        chances = self._calibration(span_evidence(counts, found))[trees, places][order]
        labels = labels[trees, places][order]
        repeated = self._sizes[labels]
        steps = np.arange(repeated.sum()) - np.repeat(np.cumsum(repeated) - repeated, repeated)
        numbers = np.empty((3, len(steps)), dtype=np.int32)
        numbers[0] = np.repeat(self._firsts[labels], repeated) + steps
        numbers[1], numbers[2] = np.repeat(lefts[order], repeated), np.repeat(rights[order], repeated)
        sizes = np.bincount(trees, weights=repeated, minlength=len(counts))
        return sizes.astype(np.int64).tolist(), numbers, np.repeat(chances, repeated)


def join_records(records: Sequence[Record]) -> JoinedRecords:
    """Return records that one `RecordMaker` made as few arrays, which it divides again."""
    if not records:
        nothing = np.zeros(0)
        return JoinedRecords((), [], np.zeros((0, 0), np.int32), nothing, [], np.zeros((3, 0), np.int32), nothing, [])
    return JoinedRecords(
        records[0].rows,
        [len(record.tag_chances) for record in records],
        np.concatenate([record.numbers for record in records], axis=1),
        np.concatenate([record.tag_chances for record in records]),
        [len(record.span_chances) for record in records],
        np.concatenate([record.constituents for record in records], axis=1),
        np.concatenate([record.span_chances for record in records]),
        [record.certified for record in records],
    )


def _stretches(sizes: Sequence[int]) -> Iterator[tuple[int, int]]:
    """Return where each of some stretches in a row starts and ends."""
    return itertools.pairwise(itertools.accumulate(sizes, initial=0))
