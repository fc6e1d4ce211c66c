"""All 2n - 1 spans of the binary trees of a padded batch, and what each is in its tree.

A tree is a row of `lefts` and of `rights`, [trees, words - 1], by split point.
"""

from __future__ import annotations

from enum import IntEnum

import numpy as np

from spanlin.decoding.greedy import BoolArray, IntArray


class Role(IntEnum):
    """What a span is in its tree."""

    LEFT = 0
    RIGHT = 1
    ROOT = 2


def all_spans(lefts: IntArray, rights: IntArray) -> tuple[IntArray, IntArray]:
    """Return the edges of all spans, [trees, 2 * words - 1]: the split spans, then the words."""
    words = np.broadcast_to(np.arange(lefts.shape[1] + 1), (len(lefts), lefts.shape[1] + 1))
    return np.concatenate([lefts, words], axis=1), np.concatenate([rights, words + 1], axis=1)


def left_children(counts: IntArray, lefts: IntArray, rights: IntArray) -> BoolArray:
    """Return [trees, 2 * words - 1], which spans are left children, the root among them."""
    left_edges, right_edges = all_spans(lefts, rights)
    longest = np.pad(lefts, ((0, 0), (1, 1)))  # the left boundaries at split points 0..n
    at_end = np.where(right_edges == counts[:, np.newaxis], 0, np.take_along_axis(longest, right_edges, axis=1))
    found: BoolArray = at_end == left_edges
    return found


def span_roles(counts: IntArray, lefts: IntArray, rights: IntArray) -> IntArray:
    """Return [trees, 2 * words - 1], the role of each span."""
    left_edges, right_edges = all_spans(lefts, rights)
    is_root = (left_edges == 0) & (right_edges == counts[:, np.newaxis])
    roles: IntArray = np.where(
        is_root, int(Role.ROOT), np.where(left_children(counts, lefts, rights), int(Role.LEFT), int(Role.RIGHT))
    )
    return roles
