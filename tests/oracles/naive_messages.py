"""Message passing between split points, one edge after the other, to check the layer in tensors against."""

from __future__ import annotations

import torch
from torch import Tensor

from spanlin.network.message_passing import MessagePassing


def pass_messages(
    layer: MessagePassing, lefts: Tensor, rights: Tensor, by_left: Tensor | None, by_right: Tensor | None
) -> tuple[Tensor, Tensor]:
    """Return what the layer makes of one sentence of n words.

    The vectors are [n + 1, width]. `by_left` has P(i|j) at [j - 1, i], `by_right` has P(j|i) at [i, j - 1], n x n.
    """
    count = len(lefts) - 1
    sides = [side for side in (by_left, None if by_right is None else by_right.T) if side is not None]
    heard_left = [[torch.zeros_like(one) for one in lefts] for _ in sides]
    heard_right = [[torch.zeros_like(one) for one in rights] for _ in sides]
    for number, side in enumerate(sides):
        for i in range(count):
            total = 1.0
            for j in range(i + 1, count + 1):
                heard_left[number][i] = heard_left[number][i] + side[j - 1, i] * rights[j]
                total += side[j - 1, i].item()
            heard_left[number][i] = heard_left[number][i] / total
        for j in range(1, count + 1):
            total = 1.0
            for i in range(j):
                heard_right[number][j] = heard_right[number][j] + side[j - 1, i] * lefts[i]
                total += side[j - 1, i].item()
            heard_right[number][j] = heard_right[number][j] / total

    def updated(update: torch.nn.Module, own: Tensor, heard: list[list[Tensor]]) -> Tensor:
        new = []
        for place, vector in enumerate(own):
            known = update.norm(torch.cat([vector, *(one[place] for one in heard)]))  # type: ignore[operator]
            new.append(vector + update.outer(update.inner(known).relu()))  # type: ignore[operator]
        return torch.stack(new)

    return updated(layer.to_lefts, lefts, heard_left), updated(layer.to_rights, rights, heard_right)
