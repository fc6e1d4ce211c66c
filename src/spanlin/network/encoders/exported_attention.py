"""Attention spelled out, for a network that is being exported."""

from __future__ import annotations

import torch
from torch import Tensor


def exported_attention(queries: Tensor, keys: Tensor, values: Tensor, bias: Tensor) -> Tensor:
    """Return what torch's own attention does, [batch, heads, places, width]; that brings checks for empty rows along.

    `bias` is added to the scores of each query, [batch or 1, heads or 1, queries or 1, keys]; or it is true at the keys
    that can be attended to, of which each query must have one.
    """
    weights = (queries * queries.shape[-1] ** -0.5) @ keys.transpose(2, 3)
    if bias.dtype == torch.bool:
        bias = torch.where(bias, 0.0, torch.finfo(weights.dtype).min)
    attended: Tensor = (weights + bias).softmax(dim=-1) @ values
    return attended
