"""Tree inference (Wei et al. 2020, sec. 3.4) as tensor operations over a padded batch, with no loop over words.

A binary tree is two tensors [batch, split points 1..n-1]: the left and right edge of the span divided at each split
point. Split points at or beyond a sentence's end are padding; their edges mean nothing.
"""

from __future__ import annotations

import torch
from torch import Tensor


def argmin_tree(left_boundaries: Tensor, word_counts: Tensor) -> tuple[Tensor, Tensor]:
    """Return the edges of the tree that divides each span at the last smallest left boundary inside it.

    `left_boundaries` is [batch, words], item j-1 for split point j; `word_counts` is [batch]. O(words^2) memory,
    constant depth.
    """
    return _cartesian_trees(_left_ranks(left_boundaries), word_counts)


def argmax_tree_right(right_boundaries: Tensor, word_counts: Tensor) -> tuple[Tensor, Tensor]:
    """Return the edges of the tree that divides each span at the first largest right boundary inside it.

    The mirror image of `argmin_tree`; item k of [batch, words] is the right boundary at split point k = 0..n-1.
    """
    return _cartesian_trees(_right_ranks(right_boundaries), word_counts)


def argmin_and_argmax_trees(
    left_boundaries: Tensor, right_boundaries: Tensor, word_counts: Tensor
) -> tuple[Tensor, Tensor]:
    """Return the edges of the trees of `argmin_tree` and of `argmax_tree_right`, [2, batch, split points]."""
    ranks = torch.stack([_left_ranks(left_boundaries), _right_ranks(right_boundaries)])
    return _cartesian_trees(ranks, word_counts)


def _left_ranks(boundaries: Tensor) -> Tensor:
    """Return [batch, split points 1..n-1]: which is divided first in a span, the smallest; no two are alike.

    That is the smallest left boundary and, of equal ones, the last. 32 bits hold them up to 46,000 words.
    """
    size = boundaries.shape[1]
    return (boundaries[:, :-1] * size - torch.arange(1, size, device=boundaries.device)).to(torch.int32)


def _right_ranks(boundaries: Tensor) -> Tensor:
    """Return what `_left_ranks` does for the largest right boundary and, of equal ones, the first."""
    size = boundaries.shape[1]
    return (torch.arange(1, size, device=boundaries.device) - boundaries[:, 1:] * size).to(torch.int32)


def _cartesian_trees(ranks: Tensor, word_counts: Tensor) -> tuple[Tensor, Tensor]:
    """Return the edges of the Cartesian trees of [..., batch, split points].

    The span divided at k reaches left to the last split point before it that goes first, and right to the next one.
    """
    count = ranks.shape[-1]
    if not count:
        empty = ranks.to(torch.int64)
        return empty, empty
    split_points = torch.arange(1, count + 1, device=ranks.device)
    valid = split_points < word_counts.unsqueeze(1)
    # Split points behind the sentence go before all others, so that no span goes beyond it.
    ranks = torch.where(valid, ranks, torch.iinfo(torch.int32).min)
    # All [..., k', k], for the largest of neighbouring columns are found faster than that of a row.
    first = ranks.unsqueeze(-1) < ranks.unsqueeze(-2)  # k' goes before k
    places = split_points.to(torch.int32)
    others = places.unsqueeze(1)
    nothing = torch.zeros_like(others)
    # What to look for: 0 on the wrong side, and else the greater the nearer k' is to k.
    before = torch.where(others < places, others, nothing)
    after = torch.where(others > places, count + 1 - others, nothing)
    lefts = torch.where(first, before, nothing).amax(dim=-2)
    rights = count + 1 - torch.where(first, after, nothing).amax(dim=-2)
    return torch.where(valid, lefts, 0).to(torch.int64), torch.where(valid, rights, 0).to(torch.int64)


def largest_tree(left_boundaries: Tensor, word_counts: Tensor) -> tuple[Tensor, Tensor]:
    """Return the edges of the tree that divides each span (i, j) at the largest k with d_k <= i.

    The left edge i at split point k is the one in [d_k, k) whose own left edge L(i) is smaller than every boundary
    in (i, k]. Left edges of the outermost spans need no other; each round settles those one level further in, so
    the loop runs once per level of nesting, not per word.
    """
    boundaries, split_points = _inner(left_boundaries, word_counts)
    batch, count = boundaries.shape
    if not count:
        return boundaries, boundaries
    # least[b, i, k] = min of d over split points in (i, k], for edges i = 0..count-1 and k = i+1..count
    edges = torch.arange(count, device=boundaries.device)
    inside = split_points.unsqueeze(0) > edges.unsqueeze(1)  # [i, k]
    spread = torch.where(inside, boundaries.unsqueeze(1), count + 1)
    least = spread.cummin(dim=2).values
    reaches = inside & (boundaries.unsqueeze(1) <= edges.unsqueeze(1))  # d_k <= i < k
    lefts = torch.full_like(boundaries, count + 1)  # not settled: larger than any boundary
    outermost = boundaries.new_full((batch, 1), -1)
    for _ in range(count):
        own_left = torch.cat([outermost, lefts[:, :-1]], dim=1)  # L(i); the sentence's left end lies in nothing
        found = reaches & (own_left.unsqueeze(2) < least)
        settled = torch.where(found, edges.view(1, -1, 1), count + 1).amin(dim=1)
        if torch.equal(settled, lefts):
            break
        lefts = settled
    before = split_points.unsqueeze(0) < split_points.unsqueeze(1)
    valid = split_points < word_counts.unsqueeze(1)
    padded = torch.where(valid, lefts, -1)
    closes = before.T & (padded.unsqueeze(1) <= lefts.unsqueeze(2))
    rights = torch.where(closes, split_points, word_counts.view(-1, 1, 1)).amin(dim=2)
    return torch.where(valid, lefts, 0), torch.where(valid, rights, 0)


def largest_tree_right(right_boundaries: Tensor, word_counts: Tensor) -> tuple[Tensor, Tensor]:
    """Return the edges of the tree that divides each span (i, j) at the smallest k whose right boundary is >= j.

    The mirror image of `largest_tree`; item k of [batch, words] is the right boundary at split point k = 0..n-1.
    """
    lefts, rights = largest_tree(_from_the_end(right_boundaries, word_counts, word_counts), word_counts)
    return _from_the_end(rights, word_counts - 1, word_counts), _from_the_end(lefts, word_counts - 1, word_counts)


def _from_the_end(ends: Tensor, lengths: Tensor, word_counts: Tensor) -> Tensor:
    """Return each row's first `lengths` items reversed and measured from the end of the sentence; 0 in the padding."""
    columns = lengths.unsqueeze(1) - 1 - torch.arange(ends.shape[1], device=ends.device)
    reversed_ends = ends.gather(1, columns.clamp(min=0))
    return torch.where(columns >= 0, word_counts.unsqueeze(1) - reversed_ends, 0)


def _inner(boundaries: Tensor, word_counts: Tensor) -> tuple[Tensor, Tensor]:
    """Return the boundaries at split points 1..n-1, 0 in the padding, and those split points."""
    split_points = torch.arange(1, boundaries.shape[1], device=boundaries.device)
    valid = split_points < word_counts.unsqueeze(1)
    return torch.where(valid, boundaries[:, :-1], 0), split_points
