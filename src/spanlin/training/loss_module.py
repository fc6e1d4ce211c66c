"""The network under its loss, as one module."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from spanlin.network.batch import Batch
from spanlin.network.loss import SoftTargets, distillation_loss, gold_loss
from spanlin.training.checkpoint import Model


class LossModule(nn.Module):
    """The network under its loss, so that DistributedDataParallel sees one forward pass."""

    def __init__(self, model: Model, tree_share: float) -> None:
        super().__init__()
        self.network = model.network
        self.tree_share = tree_share

    def forward(self, batch: Batch, soft: SoftTargets | None) -> Tensor:
        """Return the summed loss of a batch, perhaps with teachers' answers."""
        scores = self.network.score(batch)
        if soft is None:
            return gold_loss(self.network, scores, batch).total
        total = scores.left_edges.new_zeros((), dtype=torch.float32)
        if self.tree_share:
            total = total + self.tree_share * gold_loss(self.network, scores, soft.trees(batch)).total
        if self.tree_share < 1:
            weights = torch.full_like(batch.word_counts, 1 - self.tree_share, dtype=torch.float32)
            total = total + distillation_loss(self.network, scores, batch, soft, weights).total
        return total
