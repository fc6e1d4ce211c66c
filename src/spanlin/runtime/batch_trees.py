"""The trees of a batch's sentences as arrays, one row per tree."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from spanlin.runtime.backend import BOUNDARIES, SCORES, Arrays, BoolArray, IntArray


@dataclass(frozen=True, kw_only=True)
class Trees:
    """Trees of a batch's sentences, those of one sentence one after the other, the best first.

    `found` has TREE, CONFIDENCE and BOUNDARIES, one row per tree; `owners`, [trees], are their sentences. `labelled` is
    true where splits and labels were decoded together; `probabilities` are those of such trees, NaN for others.
    `certified` is true where no tree that the constraints allow is more probable. `log_probs`, [trees], is None where
    the scores were not needed.
    """

    found: Arrays
    owners: IntArray
    certified: BoolArray
    labelled: BoolArray
    probabilities: NDArray[np.float64]
    log_probs: NDArray[np.float64] | None


def select_trees(trees: Trees, places: IntArray) -> Trees:
    """Return some of the trees, in the order of their places."""
    return Trees(
        found={name: rows[places] for name, rows in trees.found.items()},
        owners=trees.owners[places],
        certified=trees.certified[places],
        labelled=trees.labelled[places],
        probabilities=trees.probabilities[places],
        log_probs=None if trees.log_probs is None else trees.log_probs[places],
    )


def join_trees(parts: Sequence[Trees]) -> Trees:
    """Return the trees of several parts, in the order of their sentences."""
    if len(parts) == 1:
        return parts[0]
    owners = np.concatenate([part.owners for part in parts])
    order = np.argsort(owners, kind="stable")
    log_probs = [part.log_probs for part in parts if part.log_probs is not None]
    return Trees(
        found={name: np.concatenate([part.found[name] for part in parts])[order] for name in parts[0].found},
        owners=owners[order],
        certified=np.concatenate([part.certified for part in parts])[order],
        labelled=np.concatenate([part.labelled for part in parts])[order],
        probabilities=np.concatenate([part.probabilities for part in parts])[order],
        log_probs=np.concatenate(log_probs)[order] if len(log_probs) == len(parts) else None,
    )


def own_boundaries(counts: IntArray, found: Arrays) -> BoolArray:
    """Return [trees], where the most probable boundaries, of every side that is scored, are those of the tree itself.

    No tree is more probable by its boundaries, and no other is as near to them. `found` has TREE and BOUNDARIES; of a
    graph that gives no boundaries, nothing can be said, so this is false.
    """
    is_padding = np.arange(1, found["lefts"].shape[1] + 1) >= counts[:, np.newaxis]
    same = np.ones(is_padding.shape, dtype=np.bool_)
    left, right = BOUNDARIES
    if left not in found and right not in found:
        return np.zeros(len(counts), dtype=np.bool_)
    if left in found:
        same &= found[left][:, :-1] == found["lefts"]
    if right in found:
        same &= found[right][:, 1:] == found["rights"]
    own: BoolArray = np.logical_and.reduce(same | is_padding, axis=1)
    return own


def has_all_boundaries(found: Arrays) -> bool:
    """Return whether there are the most probable boundaries of each side whose scores there are."""
    return all(one in found for one, side in zip(BOUNDARIES, SCORES, strict=True) if side in found)
