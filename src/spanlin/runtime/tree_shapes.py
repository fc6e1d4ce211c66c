"""Binary trees as arrays, a row a tree, before and after they have labels."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from spanlin.decoding import Constraints, ScoredTree
from spanlin.runtime.backend import Arrays, Bools, Ints


@dataclass(frozen=True, kw_only=True)
class TreeShapes:
    """Binary trees of a batch's sentences without their labels; the arrays are as in `Trees` and in TREE."""

    owners: Ints
    lefts: Ints
    rights: Ints
    certified: Bools
    log_probs: NDArray[np.float64] | None

    def select(self, trees: Sequence[int]) -> TreeShapes:
        """Return some of the trees."""
        log_probs = None if self.log_probs is None else self.log_probs[trees]
        return TreeShapes(
            owners=self.owners[trees],
            lefts=self.lefts[trees],
            rights=self.rights[trees],
            certified=self.certified[trees],
            log_probs=log_probs,
        )


def shapes_of(drawn: Sequence[tuple[int, ScoredTree]], split_count: int) -> TreeShapes:
    """Return trees, each with its sentence, as arrays; none is certified."""
    lefts, rights = np.zeros((2, len(drawn), split_count), dtype=np.int64)
    for number, (_, tree) in enumerate(drawn):
        if tree.spans:
            lefts[number, : len(tree.spans)], rights[number, : len(tree.spans)] = np.array(tree.spans).T
    return TreeShapes(
        owners=np.array([row for row, _ in drawn]),
        lefts=lefts,
        rights=rights,
        certified=np.zeros(len(drawn), dtype=np.bool_),
        log_probs=np.array([tree.log_prob for _, tree in drawn]),
    )


def join_rounds(parts: Sequence[tuple[TreeShapes, Arrays]]) -> tuple[TreeShapes, Arrays]:
    """Return the trees of several rounds, those of one sentence together, those of earlier rounds first."""
    shapes = [shapes for shapes, _ in parts]
    owners = np.concatenate([part.owners for part in shapes])
    joined = TreeShapes(
        owners=owners,
        lefts=np.concatenate([part.lefts for part in shapes]),
        rights=np.concatenate([part.rights for part in shapes]),
        certified=np.concatenate([part.certified for part in shapes]),
        log_probs=np.concatenate([part.log_probs for part in shapes if part.log_probs is not None]),
    )
    order = np.argsort(owners, kind="stable").tolist()
    found = {name: np.concatenate([arrays[name] for _, arrays in parts])[order] for name in parts[0][1]}
    return joined.select(order), found


def labelled_spans(found: Arrays, tree: int, count: int) -> Hashable:
    """Return what is left of a tree without the spans that have no label."""
    columns = (found[name][tree, : count - 1].tolist() for name in ("lefts", "rights", "split_labels"))
    labelled = sorted(span for span in zip(*columns, strict=True) if span[2])
    return tuple(labelled), tuple(found["word_labels"][tree, :count].tolist())


def required_spans(shapes: TreeShapes, constraints: Sequence[Constraints | None]) -> Bools:
    """Return [trees, 2 * words - 1], which spans of several words are required."""
    split_count = shapes.lefts.shape[1]
    required = np.zeros((len(shapes.owners), 2 * split_count + 1), dtype=np.bool_)
    for tree, owner in enumerate(shapes.owners.tolist()):
        wanted = constraints[owner]
        for left, right in () if wanted is None else wanted.required:
            is_span = (shapes.lefts[tree] == left) & (shapes.rights[tree] == right)
            required[tree, :split_count] |= is_span & (right - left > 1)
    return required
