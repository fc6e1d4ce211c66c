"""Both directions of an LSTM over padded sequences, without packing.

Packing needs every length on the CPU and another kernel for each; reading the sequences backwards through an index
gives the same states with one fixed set of kernels for a shape, which can be recorded or exported as one graph.
"""

from __future__ import annotations

import torch
from torch import Tensor


def reversed_places(lengths: Tensor, width: int) -> Tensor:
    """Return [batch, width]: where each place of a sequence lies when it is read backwards; padding stays put."""
    place = torch.arange(width, device=lengths.device)
    mirrored = lengths.unsqueeze(1) - 1 - place
    return torch.where(mirrored >= 0, mirrored, place)


def pick(x: Tensor, places: Tensor) -> Tensor:
    """Return x [batch, width, features] at places [batch, any]."""
    return x.gather(1, places.unsqueeze(-1).expand(-1, -1, x.shape[-1]))
