"""A bidirectional LSTM over the positions of a sentence (Wei et al. 2020, sec. 3.1)."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from spanlin.config.network import ContextConfig
from spanlin.network.encoders.dropout import SharedDropout
from spanlin.network.encoders.exported_lstm import exported_lstm
from spanlin.network.encoders.recurrent_dropout import run_both
from spanlin.network.encoders.reversal import pick, reversed_places


class BiLstm(nn.Module):
    """Returns [batch, positions, width]; each vector's first half has read from the left, its second from the right."""

    def __init__(self, input_width: int, config: ContextConfig) -> None:
        super().__init__()
        self.rightward, self.leftward = (
            nn.ModuleList(
                nn.LSTM(config.width if layer else input_width, config.width // 2, batch_first=True)
                for layer in range(config.layers)
            )
            for _ in range(2)
        )
        self.dropout = SharedDropout(config.dropout)
        self.recurrent_dropout = config.recurrent_dropout
        self.width = config.width

    def forward(self, x: Tensor, position_counts: Tensor) -> Tensor:
        """Encode [batch, positions, input width] of sentences with this many positions, [batch]."""
        if torch.onnx.is_in_onnx_export():
            for pair in zip(self.rightward, self.leftward, strict=True):
                both = [exported_lstm(x, position_counts, pair[way], leftward=bool(way))[0] for way in range(2)]
                x = torch.cat(both, dim=-1)
            return x
        backwards = reversed_places(position_counts, x.shape[1])
        rate = self.recurrent_dropout if self.training else 0.0
        for rightward, leftward in zip(self.rightward, self.leftward, strict=True):
            from_left, from_right = run_both(rightward, leftward, x, pick(x, backwards), dropout=rate)
            x = self.dropout(torch.cat([from_left, pick(from_right, backwards)], dim=-1))
        return x
