"""A Transformer that keeps content and position separate, after Kitaev & Klein (2018), sec. 3.

Every weight matrix is two: one for the content half of a vector, one for the position half. The halves meet only in
the attention logits, which are the sum of a content and a position part, and, with `joint_norm`, where they are
normalized.
"""

from __future__ import annotations

import math

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from spanlin.config.network import ContextConfig
from spanlin.network.encoders.dropout import SharedDropout
from spanlin.network.encoders.exported_attention import exported_attention

LEARNED_POSITIONS = 300
"""How many places have a learned vector, as in the paper's code; the next ones have those of the first again."""


class PartitionedTransformer(nn.Module):
    """Returns [batch, positions, width], rearranged so that each half holds half of the content and of the position."""

    def __init__(self, input_width: int, config: ContextConfig) -> None:
        super().__init__()
        half = config.width // 2
        self.half_width = half
        self.width = config.width
        self.project = nn.Linear(input_width, half, bias=False)
        self.place = nn.Embedding(LEARNED_POSITIONS, half) if config.positions == "learned" else nn.Linear(half, half)
        self.joint_norm = config.joint_norm
        self.norm = nn.LayerNorm(config.width if config.joint_norm else half)
        self.dropout = SharedDropout(config.dropout)
        self.layers = nn.ModuleList(_Layer(config) for _ in range(config.layers))

    def forward(self, x: Tensor, position_counts: Tensor) -> Tensor:
        """Encode [batch, positions, input width]; `position_counts` is [batch]."""
        batch, positions, _ = x.shape
        content = self.project(x)
        place = self._places(positions, x.device).to(content.dtype).expand(batch, -1, -1)
        if self.joint_norm:
            content, place = self.norm(torch.cat([content, place], dim=-1)).chunk(2, dim=-1)
        else:
            content = self.norm(content)
        content, place = self.dropout(content), self.dropout(place)
        mask = torch.arange(positions, device=x.device) < position_counts.unsqueeze(1)
        mask = mask.view(batch, 1, 1, positions)
        for layer in self.layers:
            content, place = layer(content, place, mask)
        quarter = self.half_width // 2
        return torch.cat(
            [content[..., :quarter], place[..., :quarter], content[..., quarter:], place[..., quarter:]], dim=-1
        )

    def _places(self, positions: int, device: torch.device) -> Tensor:
        """Return a vector for each position, [positions, half width]."""
        known = (
            torch.arange(positions, device=device) % LEARNED_POSITIONS
            if isinstance(self.place, nn.Embedding)
            else _sinusoids(positions, self.half_width, device)
        )
        places: Tensor = self.place(known)
        return places


class _Layer(nn.Module):
    def __init__(self, config: ContextConfig) -> None:
        super().__init__()
        half = config.width // 2
        part = config.heads * config.head_width // 2
        self.heads = config.heads
        self.queries_keys_values = nn.ModuleList(nn.Linear(half, 3 * part, bias=False) for _ in range(2))
        self.outputs = nn.ModuleList(nn.Linear(part, half, bias=False) for _ in range(2))
        self.feed_forwards = nn.ModuleList(
            nn.Sequential(
                nn.Linear(half, config.feed_forward_width // 2),
                nn.ReLU(),
                nn.Dropout(config.dropout),
                nn.Linear(config.feed_forward_width // 2, half),
            )
            for _ in range(2)
        )
        norms = [config.width] if config.joint_norm else [half, half]
        self.attention_norms = nn.ModuleList(map(nn.LayerNorm, norms))
        self.feed_forward_norms = nn.ModuleList(map(nn.LayerNorm, norms))
        # Attention itself divides by the root of the head's width.
        self.query_scale = 1.0
        if config.attention_scale == "model":
            self.query_scale = math.sqrt(2 * part / config.heads / config.width)
        self.attention_dropout = config.dropout
        self.dropout = SharedDropout(config.dropout)

    def forward(self, content: Tensor, place: Tensor, mask: Tensor) -> tuple[Tensor, Tensor]:
        batch, positions, _ = content.shape
        halves = [content, place]
        split = [
            linear(half).view(batch, positions, 3, self.heads, -1).permute(2, 0, 3, 1, 4)
            for linear, half in zip(self.queries_keys_values, halves, strict=True)
        ]
        queries, keys, values = torch.cat(split, dim=-1)  # each [batch, heads, positions, head width]
        if self.query_scale != 1:
            queries = queries * self.query_scale
        if torch.onnx.is_in_onnx_export():
            attended = exported_attention(queries, keys, values, mask)
        else:
            dropout = self.attention_dropout if self.training else 0.0
            attended = F.scaled_dot_product_attention(queries, keys, values, attn_mask=mask, dropout_p=dropout)
        joined = [mixed.transpose(1, 2).reshape(batch, positions, -1) for mixed in attended.chunk(2, dim=-1)]
        halves = _added(halves, [self.dropout(output(one)) for output, one in zip(self.outputs, joined, strict=True)])
        halves = _normalized(self.attention_norms, halves)
        fed = [self.dropout(feed(half)) for feed, half in zip(self.feed_forwards, halves, strict=True)]
        content, place = _normalized(self.feed_forward_norms, _added(halves, fed))
        return content, place


def _added(some: list[Tensor], others: list[Tensor]) -> list[Tensor]:
    return [one + other for one, other in zip(some, others, strict=True)]


def _normalized(norms: nn.ModuleList, halves: list[Tensor]) -> list[Tensor]:
    """Return both halves, each by its own norm or, where there is only one, together."""
    if len(norms) == 1:
        return list(norms[0](torch.cat(halves, dim=-1)).chunk(2, dim=-1))
    return [norm(half) for norm, half in zip(norms, halves, strict=True)]


def _sinusoids(positions: int, width: int, device: torch.device) -> Tensor:
    """Return [positions, width]; unlike a table of learned positions it has no last one."""
    rates = torch.exp(torch.arange(0, width, 2, device=device) * (-math.log(10000.0) / width))
    angles = torch.arange(positions, device=device).unsqueeze(1) * rates
    return torch.cat([angles.sin(), angles.cos()], dim=-1)
