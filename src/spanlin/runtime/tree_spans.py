"""The spans of any binary trees of a batch: their labels, and how sure the network is of each.

Twins in NumPy of what the graph does for its own trees. A tree is a row of `lefts` and of `rights`, [trees, words - 1],
by split point; `owners`, [trees], are the sentences whose scores it is read with.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from spanlin.decoding.tree_roles import all_spans, left_children
from spanlin.runtime.backend import Backend, BoolArray, Float32Array, IntArray

MOST_SPANS = 8192  # labelled together: each has a number for every label
_ONE_MORE = ((0, 0), (0, 1))


def span_log_probs(
    counts: IntArray,
    lefts: IntArray,
    rights: IntArray,
    *,
    owners: IntArray,
    left: NDArray[np.floating] | None,
    right: NDArray[np.floating] | None,
) -> NDArray[np.floating]:
    """Return [trees, 2 * words - 1]: how sure the network is of each span, given the span around it.

    `left` and `right` are the outputs SCORES; where one of them is None, the other speaks of both children of a span.
    """
    splits = np.arange(1, lefts.shape[1] + 1)
    rows = owners[:, np.newaxis]
    by_left = None if left is None else left[rows, splits - 1, lefts]
    by_right = None if right is None else right[rows, splits, np.maximum(rights - 1, 0)]
    by_left = by_right if by_left is None else by_left
    by_right = by_left if by_right is None else by_right
    assert by_left is not None
    assert by_right is not None
    # Split points 0 and n divide nothing.
    by_left, by_right = (np.pad(side, ((0, 0), (1, 1))) for side in (by_left, by_right))
    left_edges, right_edges = all_spans(lefts, rights)
    is_root = (left_edges == 0) & (right_edges == counts[:, np.newaxis])
    each = np.where(
        left_children(counts, lefts, rights),
        np.take_along_axis(by_left, right_edges, axis=1),
        np.take_along_axis(by_right, left_edges, axis=1),
    )
    return np.where(is_root, 0.0, each)


def tree_log_probs(
    counts: IntArray,
    lefts: IntArray,
    rights: IntArray,
    *,
    owners: IntArray,
    left: NDArray[np.floating] | None,
    right: NDArray[np.floating] | None,
) -> NDArray[np.float64]:
    """Return [trees], the log-probabilities of trees by their boundaries, the root's included.

    `left` and `right` are the outputs SCORES, of which only the cells of the trees' own boundaries are read.
    """
    splits = np.arange(1, lefts.shape[1] + 1)
    rows, ends = owners[:, np.newaxis], counts[:, np.newaxis]
    inner = splits < ends
    terms: list[NDArray[np.float64]] = []
    roots = np.zeros(len(lefts))
    # Each row ends with the term of the root, so that a side is read once.
    for side, heads, tails in (
        (left, np.concatenate([np.broadcast_to(splits - 1, lefts.shape), ends - 1], axis=1), np.pad(lefts, _ONE_MORE)),
        (
            right,
            np.pad(np.broadcast_to(splits, lefts.shape), _ONE_MORE),
            np.concatenate([np.maximum(rights - 1, 0), ends - 1], axis=1),
        ),
    ):
        if side is not None:
            found = side[rows, heads, tails].astype(np.float64)
            terms.append(np.where(inner, found[:, :-1], 0.0))
            roots += found[:, -1]
    with np.errstate(over="ignore", invalid="ignore"):  # huge negative scores may add up to -inf
        # One by one, so that rounding is the same whatever the padding.
        sums: NDArray[np.float64] = np.add.accumulate(np.concatenate(terms, axis=1), axis=1)
        found_log_probs: NDArray[np.float64] = (sums[:, -1] if sums.shape[1] else np.zeros(len(lefts))) + roots
    return found_log_probs


def label_spans(
    backend: Backend,
    counts: IntArray,
    lefts: IntArray,
    rights: IntArray,
    *,
    owners: IntArray,
    halves: tuple[Float32Array, Float32Array],
    root_labels: BoolArray | None = None,
    given: IntArray | None = None,
) -> tuple[IntArray, Float32Array]:
    """Return the most probable label of every span and its log-probability, each [trees, 2 * words - 1].

    `halves` are the outputs LABEL_HALVES; `root_labels`, [labels], says which labels a root may have. Where labels are
    `given`, as the first result is, their log-probabilities are returned. Results are 0 in the padding.
    """
    left_edges, right_edges = all_spans(lefts, rights)
    columns = np.arange(left_edges.shape[1])
    split_count = lefts.shape[1]
    ends = counts[:, np.newaxis]
    is_span = np.where(columns < split_count, columns < ends - 1, columns - split_count < ends)
    trees, places = np.nonzero(is_span)
    roots = (left_edges == 0) & (right_edges == ends)
    children = left_children(counts, lefts, rights)
    labels = np.zeros(left_edges.shape, dtype=np.int64)
    log_probs = np.zeros(left_edges.shape, dtype=np.float32)
    for start in range(0, len(trees), MOST_SPANS):
        some = trees[start : start + MOST_SPANS], places[start : start + MOST_SPANS]
        rows = owners[some[0]]
        is_root = roots[some]
        found = backend.label(
            halves[0][rows, left_edges[some]], halves[1][rows, right_edges[some]], children[some], is_root
        )
        if root_labels is not None:
            found = np.where(is_root[:, np.newaxis] & ~root_labels, -np.inf, found)
        best = found.argmax(axis=1) if given is None else given[some]
        labels[some] = best
        log_probs[some] = found[np.arange(len(best)), best]
    return labels, log_probs
