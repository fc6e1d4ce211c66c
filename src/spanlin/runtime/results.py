"""The arrays of a batch as one record a sentence."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from spanlin.runtime.backend import TREE, Arrays, Ints
from spanlin.runtime.confidence import Calibration, span_evidence
from spanlin.trees.transforms import EMPTY_LABEL, ROOT_LABELS, split_chain


class Record(NamedTuple):
    """Tags and labelled spans of a sentence, each with its probability; a span stands before those inside it."""

    tags: tuple[str, ...]
    tag_probabilities: tuple[float, ...]
    spans: tuple[tuple[str, int, int, float], ...]


class RecordMaker:
    """Makes records for one set of labels and tags."""

    def __init__(self, labels: Sequence[str], tags: Sequence[str], calibration: Calibration) -> None:
        self._chains = [
            tuple(part for part in ([] if label == EMPTY_LABEL else split_chain(label)) if part not in ROOT_LABELS)
            for label in labels
        ]
        self._tags = tuple(tags)
        self._calibration = calibration

    def __call__(self, counts: Ints, found: Arrays) -> list[Record]:
        """Return the records of a batch from a backend's outputs TREE and CONFIDENCE."""
        probabilities = self._calibration(span_evidence(counts, found))
        tag_probabilities = np.exp(found["tag_log_probs"].astype(np.float64))
        lists = [found[name].tolist() for name in TREE]
        width = found["lefts"].shape[1]
        rows = zip(counts.tolist(), *lists, probabilities.tolist(), tag_probabilities.tolist(), strict=True)
        return [self._record(width, *row) for row in rows]

    def _record(  # noqa: PLR0917 (the columns of a parse, in their order)
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
    ) -> Record:
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
        return Record(
            tags=tuple(self._tags[tag] for tag in tags[:count]),
            tag_probabilities=tuple(tag_probabilities[:count]),
            spans=tuple(
                (part, left, -right, probability)
                for left, right, label, probability in spans
                for part in self._chains[label]
            ),
        )
