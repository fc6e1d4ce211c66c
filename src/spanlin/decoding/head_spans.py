"""Which spans of words have one head in a dependency tree, and whether a tree and heads go together.

A span has one head if each of its words but one is governed by another word of the span.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Sequence

import numpy as np

from spanlin.decoding.greedy import BoolArray, IntArray
from spanlin.decoding.heads import are_projective
from spanlin.trees.tree import Span


def one_headed_spans(heads: IntArray) -> BoolArray:
    """Return [n + 1, n + 1], whether the words i to j have one head at [i, j], from [n] heads; O(n^2)."""
    count = len(heads)
    lows = np.minimum(heads - 1, np.arange(count))
    highs = np.maximum(heads - 1, np.arange(count)) + 1
    arcs = np.zeros((count + 1, count + 1), dtype=np.int64)  # from their left end to their right end
    np.add.at(arcs, (lows[heads > 0], highs[heads > 0]), 1)
    inside = np.cumsum(arcs[::-1], axis=0)[::-1].cumsum(axis=1)  # arcs that start at i or later and end by j
    places = np.arange(count + 1)
    found: BoolArray = places[np.newaxis] - places[:, np.newaxis] - inside == 1
    return found


def go_together(constituents: Iterable[Span], heads: Sequence[int]) -> bool:
    """Return whether every constituent has one head, and no arcs between the children of one cross.

    A child, constituent or word, counts as one whatever word of it an arc starts from. `constituents` must be spans of
    one tree, and the heads a dependency tree.
    """
    governors = np.array(heads)
    one_headed = one_headed_spans(governors)
    parents = children_of(constituents, len(heads))
    return all(one_headed[span.left, span.right] for span in parents) and all(
        _are_projective(children, governors) for children in parents.values()
    )


def go_together_batch(
    lefts: IntArray, rights: IntArray, are_constituents: BoolArray, heads: IntArray, word_counts: IntArray
) -> BoolArray:
    """Return [batch], what `go_together` returns for each sentence of a padded batch; O(n^2) for nearly all.

    The spans of the trees are by split point, [batch, words - 1], and so is which are constituents; the heads are
    [batch, words].
    """
    ends = word_counts[:, np.newaxis]
    places = np.arange(heads.shape[1])
    # [batch, spans, words]
    starts, stops = lefts[:, :, np.newaxis], rights[:, :, np.newaxis]
    governors = (heads - 1)[:, np.newaxis]
    leaves = ((governors < starts) | (governors >= stops)) & (places >= starts) & (places < stops)
    one_headed = np.add.reduce(leaves, axis=2, dtype=np.int64) == 1
    ignored = ~are_constituents | (places[1:] >= ends)
    found: BoolArray = np.logical_and.reduce(one_headed | ignored, axis=1)
    # What is projective as it stands is so when the words of a constituent are taken as one.
    for row in np.flatnonzero(found & ~are_projective(heads, word_counts)).tolist():
        count = int(word_counts[row])
        chosen = are_constituents[row, : count - 1]
        spans = zip(lefts[row, : count - 1][chosen].tolist(), rights[row, : count - 1][chosen].tolist(), strict=True)
        found[row] = go_together(itertools.starmap(Span, spans), heads[row, :count].tolist())
    return found


def children_of(constituents: Iterable[Span], word_count: int) -> dict[Span, list[Span]]:
    """Return the children, constituents and words, of each constituent of several words, parents first."""
    words = (Span(word, word + 1) for word in range(word_count))
    found: dict[Span, list[Span]] = {}
    open_spans: list[Span] = []
    for span in sorted({Span(0, word_count), *constituents, *words}, key=lambda span: (span.left, -span.right)):
        while open_spans and open_spans[-1].right <= span.left:
            open_spans.pop()
        if open_spans:
            found[open_spans[-1]].append(span)
        if span.right - span.left > 1:
            found[span] = []
            open_spans.append(span)
    return found


def _are_projective(children: list[Span], heads: IntArray) -> bool:
    """Return whether the arcs between children, each taken as one word, do not cross."""
    edges = np.array([child.left for child in children])
    contracted = np.zeros((1, len(children)), dtype=np.int64)
    for place, (left, right) in enumerate(children):
        governors = heads[left:right]
        (outside,) = governors[(governors <= left) | (governors > right)]
        if edges[0] < outside <= children[-1].right:
            contracted[0, place] = np.searchsorted(edges, outside - 1, side="right")
    return bool(are_projective(contracted, np.array([len(children)]))[0])
