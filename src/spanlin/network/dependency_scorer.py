"""Scores of heads, relations and universal tags from the vectors of words (Wei et al. 2020, sec. 6: future work)."""

from __future__ import annotations

from dataclasses import dataclass

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from spanlin.config.network import DependencyConfig, ScorerConfig
from spanlin.network.span_scorer import IMPOSSIBLE, LabelScorer, TagHead, pick


@dataclass(frozen=True, kw_only=True)
class DependencyScores:
    """The network's scores for the arcs of a batch. Heads count words from 1; head 0 is the root."""

    heads: Tensor  # [batch, words, words + 1], log-probabilities of each word's head
    relation_heads: Tensor  # [batch, words + 1, width], what each head brings to the relation of an arc
    relation_dependents: Tensor  # [batch, words, width], what each dependent brings to it
    universal_tags: Tensor  # [batch, words, universal tags]


class DependencyScorer(nn.Module):
    """Biaffine scores of all arcs between words (Dozat & Manning 2017), and an MLP for the relations of chosen ones.

    The root is the position before the first word. An arc's relation is scored as a span's label is: the first layer
    is linear in the head and in the dependent, so it is applied once to each word.
    """

    def __init__(
        self,
        width: int,
        config: DependencyConfig,
        scorer: ScorerConfig,
        *,
        relation_count: int,
        universal_tag_count: int,
    ) -> None:
        super().__init__()
        self.heads, self.dependents = (
            nn.Sequential(
                nn.Linear(width, config.width), nn.LayerNorm(config.width), nn.ReLU(), nn.Dropout(config.dropout)
            )
            for _ in range(2)
        )
        self.weight = nn.Parameter(torch.empty(config.width, config.width))
        self.head_bias = nn.Parameter(torch.zeros(config.width))
        nn.init.xavier_uniform_(self.weight)
        self.relations = LabelScorer(width, scorer, relation_count)
        self.tags = TagHead(width, scorer, universal_tag_count)

    def forward(self, positions: Tensor, word_counts: Tensor) -> DependencyScores:
        """Return the scores of all arcs from one vector per position, [batch, words + 2, width]."""
        heads, dependents = self.heads(positions), self.dependents(positions)
        arcs = torch.bmm(F.linear(dependents, self.weight, self.head_bias), heads.transpose(1, 2)).float()
        possible = possible_arcs(positions.shape[1] - 2, word_counts)
        relation_heads, relation_dependents = self.relations.halves(positions, positions)
        return DependencyScores(
            heads=F.log_softmax(arcs[:, 1:-1, :-1].masked_fill(~possible, IMPOSSIBLE), dim=2),
            relation_heads=relation_heads[:, :-1],
            relation_dependents=relation_dependents[:, 1:-1],
            universal_tags=self.tags(positions)[:, 1:-1].float(),
        )

    def relation_scores(self, scores: DependencyScores, heads: Tensor) -> Tensor:
        """Return [batch, words, relations] for the arcs from these heads, [batch, words]."""
        found: Tensor = self.relations(pick(scores.relation_heads, heads), scores.relation_dependents, None)
        return found.float()


def possible_arcs(word_count: int, word_counts: Tensor) -> Tensor:
    """Return [batch, words, words + 1], true where a word of the sentence, or the root, may be the head of another.

    Padding may have the root alone, so that no softmax runs over nothing.
    """
    index = torch.arange(word_count + 1, device=word_counts.device)
    head, dependent = index.unsqueeze(0), index[1:].unsqueeze(1)
    count = word_counts.view(-1, 1, 1)
    return (head == 0) | ((head != dependent) & (head <= count) & (dependent <= count))
