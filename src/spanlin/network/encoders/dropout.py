"""Dropout with one mask for all positions of a sentence."""

from __future__ import annotations

from torch import Tensor, nn


class SharedDropout(nn.Module):
    """Drops the same features at every position of a sentence: [batch, positions, width]."""

    def __init__(self, rate: float) -> None:
        super().__init__()
        self.rate = rate

    def forward(self, x: Tensor) -> Tensor:
        if not self.training or self.rate == 0:
            return x
        mask = x.new_empty(x.shape[0], 1, x.shape[2]).bernoulli_(1 - self.rate).div_(1 - self.rate)
        return x * mask
