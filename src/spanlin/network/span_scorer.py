"""Scores of spans, labels and tags from split-point vectors (Wei et al. 2020, sec. 3.2)."""

from __future__ import annotations

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from spanlin.config.network import ScorerConfig

IMPOSSIBLE = -1e4
"""Stands for minus infinity: far below any score, and finite in every precision and after a softmax."""


class BoundaryScorer(nn.Module):
    """Biaffine scores of all spans, from the vectors of their two edges in their two roles."""

    def __init__(self, width: int) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.empty(width, width))
        self.left_bias = nn.Parameter(torch.zeros(width))
        self.right_bias = nn.Parameter(torch.zeros(width))
        nn.init.xavier_uniform_(self.weight)

    def forward(self, lefts: Tensor, rights: Tensor) -> Tensor:
        """Return alpha = l_i W r_j + b1 l_i + b2 r_j at [b, j-1, i], for right edges j >= 1 and left edges i < n.

        Both are given for all split points, 0 to n.
        """
        by_right = F.linear(rights, self.weight, self.left_bias)
        bilinear = torch.bmm(by_right[:, 1:], lefts[:, :-1].transpose(1, 2))
        return bilinear + (rights @ self.right_bias.unsqueeze(1))[:, 1:]


class LabelScorer(nn.Module):
    """MLP_label over the two edges of a span.

    Its first layer is linear in each edge, so it is applied to the n + 1 split points before the 2n - 1 spans are
    gathered: the same function W [l_i; r_j] + b (or W (r_j - l_i) + b), for half the work.
    """

    def __init__(self, width: int, config: ScorerConfig, label_count: int) -> None:
        super().__init__()
        self.right = nn.Linear(width, config.label_width)
        self.left = nn.Linear(width, config.label_width, bias=False) if config.label_input == "concatenate" else None
        self.output = nn.Sequential(
            nn.LayerNorm(config.label_width),
            nn.ReLU(),
            nn.Dropout(config.dropout if config.label_dropout else 0.0),
            nn.Linear(config.label_width, label_count),
        )

    def halves(self, lefts: Tensor, rights: Tensor) -> tuple[Tensor, Tensor]:
        """Return what a span has from its left and from its right edge, each [batch, split points, label width]."""
        by_left = -F.linear(lefts, self.right.weight) if self.left is None else self.left(lefts)
        return by_left, self.right(rights)

    def forward(self, by_left: Tensor, by_right: Tensor, is_left_child: Tensor | None) -> Tensor:
        """Return [..., labels] from the two halves of spans, [..., label width]; all children alike."""
        scores: Tensor = self.output(by_left + by_right)
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
                nn.Dropout(config.dropout if config.label_dropout else 0.0),
                nn.Linear(config.label_width, label_count),
            )
            for _ in range(2)
        )

    def halves(self, lefts: Tensor, rights: Tensor) -> tuple[Tensor, Tensor]:
        """Return the labels of what starts and of what ends at each split point, each [batch, split points, labels]."""
        return self.starting(lefts), self.ending(rights)

    def forward(self, by_left: Tensor, by_right: Tensor, is_left_child: Tensor | None) -> Tensor:
        """Return [..., labels] from the two halves of spans: a left child is the longest that ends where it does."""
        assert is_left_child is not None
        return torch.where(is_left_child.unsqueeze(-1), by_right, by_left)


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
        return self.from_hidden(self.hidden(words))

    def hidden(self, words: Tensor) -> Tensor:
        """Return the hidden layer, [batch, words, hidden width]."""
        found: Tensor = self.layers[:-1](words)
        return found

    def from_hidden(self, hidden: Tensor) -> Tensor:
        """Return [batch, words, tags] from the hidden layer."""
        scores: Tensor = self.layers[-1](hidden)
        return scores


class BoundaryRoles(nn.Module):
    """MLP_l and MLP_r (Eq. 2): a split point's vectors as a left and as a right edge."""

    def __init__(self, width: int, config: ScorerConfig) -> None:
        super().__init__()
        self.left = self.right = None
        self.dropout = nn.Dropout(config.dropout) if config.role_dropout else None
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
            if self.dropout is None:
                return split_points, split_points
            # One mask before and one after where MLP_l and MLP_r would be.
            return self.dropout(self.dropout(split_points)), self.dropout(self.dropout(split_points))
        return self.left(split_points), self.right(split_points)


def pick(vectors: Tensor, index: Tensor) -> Tensor:
    """Return [batch, spans, width]: the vectors at these split points."""
    if torch.is_grad_enabled():
        return vectors.gather(1, index.unsqueeze(-1).expand(-1, -1, vectors.shape[-1]))
    # Whole rows are copied faster than single numbers, but their gradients take longer to add up.
    row_starts = torch.arange(vectors.shape[0], device=index.device).unsqueeze(1) * vectors.shape[1]
    return F.embedding(index + row_starts, vectors.flatten(0, 1))
