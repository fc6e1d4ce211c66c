"""A graph neural network over split points, the future work of Wei et al. (2020), sec. 5.

The edges are the spans, weighted by the probabilities of their boundaries: where (i, j) is likely to be a left child,
i as a left edge and j as a right edge learn of each other. Each layer scores all spans anew, so that a decision can
follow from those around it, and the next layer's edges are better ones (after Ji et al. 2019, who do so for heads).
"""

from __future__ import annotations

import torch
from torch import Tensor, nn

from spanlin.config.network import ScorerConfig


class MessagePassing(nn.Module):
    """One layer: the vectors of split points as left and as right edges, with what their likely partners are added.

    What is added is 0 at first, so that a new network gives the scores that it would give without the layer.
    """

    def __init__(self, width: int, config: ScorerConfig) -> None:
        super().__init__()
        sides = 2 if config.target == "both" else 1
        self.to_lefts, self.to_rights = (_Update(width, sides, config) for _ in range(2))

    def forward(
        self, lefts: Tensor, rights: Tensor, left_log_probs: Tensor | None, right_log_probs: Tensor | None
    ) -> tuple[Tensor, Tensor]:
        """Return new vectors of all split points 0 to n in either role, [batch, split points, width] each.

        The log-probabilities are those of `SpanScores`, each [batch, words, words]; a side may be missing.
        """
        to_lefts: list[Tensor] = []
        to_rights: list[Tensor] = []
        spans = []
        if left_log_probs is not None:
            spans.append(left_log_probs.exp())  # row j-1, column i
        if right_log_probs is not None:
            spans.append(right_log_probs.exp().transpose(1, 2))
        for weights in spans:
            to_lefts.append(_mean(weights.transpose(1, 2), rights[:, 1:]))
            to_rights.append(_mean(weights, lefts[:, :-1]))
        # Split point n is no left edge, and split point 0 no right edge.
        nothing = torch.zeros_like(lefts[:, :1])
        new_lefts = self.to_lefts(lefts, [torch.cat([one, nothing], dim=1) for one in to_lefts])
        new_rights = self.to_rights(rights, [torch.cat([nothing, one], dim=1) for one in to_rights])
        return new_lefts, new_rights


class _Update(nn.Module):
    """A vector and the messages to it, [batch, split points, width] each, to a new vector."""

    def __init__(self, width: int, messages: int, config: ScorerConfig) -> None:
        super().__init__()
        self.norm = nn.LayerNorm((1 + messages) * width)
        self.inner = nn.Linear((1 + messages) * width, width)
        self.dropout = nn.Dropout(config.dropout)
        self.outer = nn.Linear(width, width)
        nn.init.zeros_(self.outer.weight)
        nn.init.zeros_(self.outer.bias)

    def forward(self, vectors: Tensor, messages: list[Tensor]) -> Tensor:
        known = self.norm(torch.cat([vectors, *messages], dim=-1))
        added: Tensor = self.outer(self.dropout(self.inner(known).relu()))
        return vectors + added


def _mean(weights: Tensor, vectors: Tensor) -> Tensor:
    """Return [batch, receivers, width]: the weighted sum of vectors, [batch, senders, width], over 1 + all weights.

    `weights` is [batch, receivers, senders]. A split point may be the edge of many spans or of none: so what it hears
    is never louder than one vector, and silent where no span is likely.
    """
    return (weights.to(vectors.dtype) @ vectors) / (1 + weights.sum(dim=2, keepdim=True)).to(vectors.dtype)
