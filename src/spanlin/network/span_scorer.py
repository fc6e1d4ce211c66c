"""Scores of spans, labels and tags from split-point vectors (Wei et al. 2020, sec. 3.2)."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from spanlin.network.config import ScorerConfig


class BoundaryScorer(nn.Module):
    """Biaffine scores of all spans, from the vectors of their two edges in their two roles."""

    def __init__(self, width: int) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.empty(width, width))
        self.left_bias = nn.Parameter(torch.zeros(width))
        self.right_bias = nn.Parameter(torch.zeros(width))
        nn.init.xavier_uniform_(self.weight)

    def forward(self, lefts: Tensor, rights: Tensor) -> Tensor:
        """Return alpha[b, j, i] = l_i W r_j + b1 l_i + b2 r_j for all split points i, j: [batch, right, left]."""
        bilinear = torch.einsum("bjd,bid->bji", rights @ self.weight.T + self.left_bias, lefts)
        return bilinear + rights @ self.right_bias.unsqueeze(1)


class LabelScorer(nn.Module):
    """MLP_label over the two edges of a span.

    Its first layer is linear in each edge, so it is applied to the n + 1 split points before the 2n - 1 spans are
    gathered: the same function of [l_i; r_j] (or of r_j - l_i), for half the work.
    """

    def __init__(self, width: int, config: ScorerConfig, label_count: int) -> None:
        super().__init__()
        self.right = nn.Linear(width, config.label_width)
        self.left = nn.Linear(width, config.label_width, bias=False) if config.label_input == "concatenate" else None
        self.output = nn.Sequential(
            nn.LayerNorm(config.label_width),
            nn.ReLU(),
            nn.Dropout(config.dropout),
            nn.Linear(config.label_width, label_count),
        )

    def forward(self, lefts: Tensor, rights: Tensor, left_edges: Tensor, right_edges: Tensor) -> Tensor:
        """Return [batch, spans, labels] for spans given by their edges, [batch, spans]."""
        by_left = self.right(lefts) * -1 if self.left is None else self.left(lefts)
        by_right = self.right(rights)
        scores: Tensor = self.output(_pick(by_left, left_edges) + _pick(by_right, right_edges))
        return scores


class LabelTupleScorer(nn.Module):
    """Labels by linearization: for each split point, of the longest span ending and of the longest starting there."""

    def __init__(self, width: int, config: ScorerConfig, label_count: int) -> None:
        super().__init__()
        self.ending, self.starting = (
            nn.Sequential(
                nn.Linear(width, config.label_width),
                nn.LayerNorm(config.label_width),
                nn.ReLU(),
                nn.Dropout(config.dropout),
                nn.Linear(config.label_width, label_count),
            )
            for _ in range(2)
        )

    def forward(
        self, lefts: Tensor, rights: Tensor, left_edges: Tensor, right_edges: Tensor, is_left_child: Tensor
    ) -> Tensor:
        """Return [batch, spans, labels]: a left child is the longest span that ends where it does."""
        ending = _pick(self.ending(rights), right_edges)
        starting = _pick(self.starting(lefts), left_edges)
        return torch.where(is_left_child.unsqueeze(-1), ending, starting)


class TagHead(nn.Module):
    """Part-of-speech tags from the vectors of words."""

    def __init__(self, width: int, config: ScorerConfig, tag_count: int) -> None:
        super().__init__()
        self.layers = nn.Sequential(
            nn.Linear(width, config.label_width),
            nn.LayerNorm(config.label_width),
            nn.ReLU(),
            nn.Dropout(config.dropout),
            nn.Linear(config.label_width, tag_count),
        )

    def forward(self, words: Tensor) -> Tensor:
        """Return [batch, words, tags] from [batch, words, width]."""
        scores: Tensor = self.layers(words)
        return scores


class BoundaryRoles(nn.Module):
    """MLP_l and MLP_r (Eq. 2): a split point's vectors as a left and as a right edge."""

    def __init__(self, width: int, config: ScorerConfig) -> None:
        super().__init__()
        self.left = self.right = None
        self.width = width
        if config.separate_boundaries:
            self.left, self.right = (
                nn.Sequential(
                    nn.Dropout(config.dropout),
                    nn.Linear(width, config.hidden_width),
                    nn.ReLU(),
                    nn.Dropout(config.dropout),
                )
                for _ in range(2)
            )
            self.width = config.hidden_width

    def forward(self, split_points: Tensor) -> tuple[Tensor, Tensor]:
        """Return l and r, each [batch, split points, width]."""
        if self.left is None or self.right is None:
            return split_points, split_points
        return self.left(split_points), self.right(split_points)


def _pick(vectors: Tensor, index: Tensor) -> Tensor:
    """Return [batch, spans, width]: the vectors at these split points."""
    return vectors.gather(1, index.unsqueeze(-1).expand(-1, -1, vectors.shape[-1]))
