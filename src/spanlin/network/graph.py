"""The whole parser as plain tensors in and out, as it is exported or recorded: one static graph."""

from __future__ import annotations

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from spanlin.network.network import ParserNetwork


class ParserGraph(nn.Module):
    """A network over a pretrained encoder, from rows of word pieces to labelled spans.

    The treebank whose annotation is wanted is fixed.
    """

    def __init__(self, network: ParserNetwork, *, treebank: int) -> None:
        super().__init__()
        self.network = network
        self.treebank = treebank

    def forward(
        self, pieces: Tensor, piece_counts: Tensor, first_pieces: Tensor, last_pieces: Tensor, word_counts: Tensor
    ) -> tuple[Tensor, ...]:
        """Return lefts, rights, split labels, word labels, their log-probabilities, tags, theirs, and log P(i|j).

        Inputs are as in `PieceInput`; [batch, words - 1] for each split point, [batch, words] for each word,
        [batch, 2 * words - 1] for the labels' log-probabilities, [batch, words, words] for those of boundaries.
        """
        network = self.network
        assert network.pretrained is not None
        mask = torch.arange(pieces.shape[1], device=pieces.device) < piece_counts.unsqueeze(1)
        hidden = network.pretrained.encode(pieces, mask)
        features = network.pretrained.gather(hidden, first_pieces, last_pieces)
        treebanks = torch.full_like(word_counts, self.treebank)
        scores = network.score_positions(network.contextualize(features, word_counts, treebanks), word_counts)
        lefts, rights, _ = network.infer_tree(scores, word_counts)
        labels = F.log_softmax(network.label_scores(scores, lefts, rights, word_counts), dim=-1).max(dim=-1)
        split_count = lefts.shape[1]
        assert scores.tags is not None
        assert scores.left is not None
        tags = F.log_softmax(scores.tags, dim=-1).max(dim=-1)
        return (
            lefts,
            rights,
            labels.indices[:, :split_count],
            labels.indices[:, split_count:],
            labels.values,
            tags.indices,
            tags.values,
            scores.left,
        )
