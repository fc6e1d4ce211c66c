"""The sum over all trees of a sentence, by dynamic programming: the divisor of a tree's probability."""

from __future__ import annotations

from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor

from spanlin.network.span_scorer import IMPOSSIBLE


def tree_log_mass(left: Tensor | None, right: Tensor | None, word_counts: Tensor) -> Tensor:
    """Return [batch]: the log of the summed probability of all legal boundary sequences, 0 if there are no others.

    `left` is [batch, words, words] with log P(i|j) in row j-1, column i; `right` has log P(j|i) in row i, column j-1.
    A tree's score is the sum over its boundaries on the sides that are given. The scores of a split point are
    normalized over its boundaries, and every tree takes one of them, so that normalizing once more over trees gives
    the same TreeCRF as the raw scores would. O(n^3) operations in n steps, O(n^2) memory.
    """
    given = left if left is not None else right
    assert given is not None
    size = given.shape[1]
    # Spans by where they start and by where they end, then by their length.
    starts = torch.arange(size + 1, device=given.device).unsqueeze(1)
    lengths = torch.arange(size + 1, device=given.device)
    of_left = given.new_zeros((len(given), size + 1, size + 1))
    of_right = of_left
    if left is not None:
        ends = starts + lengths  # of the span that starts there: row ends - 1, column starts
        picked = _cells(left, (ends - 1).clamp(0, size - 1), starts.clamp(max=size - 1))
        of_left = picked.masked_fill((ends > size) | (lengths < 1), IMPOSSIBLE)
    if right is not None:
        firsts = starts - lengths  # of the span that ends there: row firsts, column starts - 1
        picked = _cells(right, firsts.clamp(0, size - 1), (starts - 1).clamp(min=0))
        of_right = picked.masked_fill((firsts < 0) | (lengths < 1), IMPOSSIBLE)
    mass: Tensor = _Inside.apply(of_left, of_right, word_counts)  # type: ignore[no-untyped-call]
    # The root ends and starts at the edges of the sentence; it is not a child.
    last = (word_counts - 1).unsqueeze(1)
    if left is not None:
        mass = mass + left[:, :, 0].gather(1, last).squeeze(1)
    if right is not None:
        mass = mass + right[:, 0].gather(1, last).squeeze(1)
    return mass


def _cells(table: Tensor, rows: Tensor, columns: Tensor) -> Tensor:
    """Return [batch, ...]: the cells of each sentence's table at these places."""
    places = rows * table.shape[2] + columns
    return table.flatten(1).index_select(1, places.flatten()).view(-1, *places.shape)


class _Inside(torch.autograd.Function):
    """The inside algorithm; its gradient, the chance of each span as a left and as a right child, by the outside one.

    Written out because autograd would keep, and walk back through, one small tensor for every pair of lengths.
    """

    @staticmethod
    def forward(ctx: Any, of_left: Tensor, of_right: Tensor, word_counts: Tensor) -> Tensor:
        size = of_left.shape[1] - 1
        inside = torch.zeros_like(of_left)  # by start and length; one-word spans are 0
        as_left, as_right = of_left.clone(), of_right.clone()  # the inside score with the child's own
        for length in range(2, size + 1):
            found = _splits(as_left, as_right, length).logsumexp(dim=2)
            inside[:, : size + 1 - length, length] = found
            as_left[:, : size + 1 - length, length] += found
            as_right[:, length:, length] += found
        ctx.save_for_backward(inside, as_left, as_right, word_counts)
        return inside[:, 0].gather(1, word_counts.unsqueeze(1)).squeeze(1)

    @staticmethod
    def backward(ctx: Any, *gradients: Tensor) -> tuple[Tensor, Tensor, None]:
        inside, as_left, as_right, word_counts = ctx.saved_tensors
        size = inside.shape[1] - 1
        left_children, right_children = torch.zeros_like(inside), torch.zeros_like(inside)
        for length in range(size, 1, -1):
            count = size + 1 - length
            chance = left_children[:, :count, length] + right_children[:, length:, length]
            is_root = (word_counts == length).to(chance.dtype).unsqueeze(1)
            chance = chance + F.pad(is_root, (0, count - 1))
            splits = (_splits(as_left, as_right, length) - inside[:, :count, length, None]).exp() * chance.unsqueeze(2)
            left_children[:, :count, 1:length] += splits
            right_children[:, length:, 1:length] += splits.flip(2)
        scale = gradients[0][:, None, None]
        return left_children * scale, right_children * scale, None


def _splits(as_left: Tensor, as_right: Tensor, length: int) -> Tensor:
    """Return [batch, spans of this length, length - 1]: the score of each way to split them, left child growing."""
    count = as_left.shape[1] - length
    return as_left[:, :count, 1:length] + as_right[:, length:, 1:length].flip(2)
