"""Scores of heads, relations and universal tags from the vectors of words (Wei et al. 2020, sec. 6: future work)."""

from __future__ import annotations

from dataclasses import dataclass, replace

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
    is linear in the head and in the dependent, so it is applied once to each word. `root_relation` is the relation that
    the root has, and no other word; -1 if it is not known.
    """

    def __init__(
        self,
        width: int,
        config: DependencyConfig,
        scorer: ScorerConfig,
        *,
        relation_count: int,
        universal_tag_count: int,
        root_relation: int,
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
        narrow = replace(scorer, label_width=config.relation_width or scorer.label_width)
        self.relations = LabelScorer(width, narrow, relation_count)
        self.root_relation = root_relation
        self.tags: TagHead | nn.Sequential = (
            TagHead(width, scorer, universal_tag_count)
            if config.universal_tags == "own"
            else nn.Sequential(nn.Linear(scorer.label_width, universal_tag_count))
        )

    def forward(self, positions: Tensor, word_counts: Tensor, tag_hidden: Tensor | None) -> DependencyScores:
        """Return the scores of all arcs from one vector per position, [batch, words + 2, width].

        `tag_hidden` is the hidden layer of the tag head, if there is one, [batch, words + 2, hidden width].
        """
        tags_from = positions if isinstance(self.tags, TagHead) else tag_hidden
        assert tags_from is not None
        heads, dependents = self.heads(positions), self.dependents(positions)
        arcs = torch.bmm(F.linear(dependents, self.weight, self.head_bias), heads.transpose(1, 2)).float()
        possible = possible_arcs(positions.shape[1] - 2, word_counts)
        relation_heads, relation_dependents = self.relations.halves(positions, positions)
        return DependencyScores(
            heads=F.log_softmax(arcs[:, 1:-1, :-1].masked_fill(~possible, IMPOSSIBLE), dim=2),
            relation_heads=relation_heads[:, :-1],
            relation_dependents=relation_dependents[:, 1:-1],
            universal_tags=self.tags(tags_from)[:, 1:-1].float(),
        )

    def relation_scores(self, scores: DependencyScores, heads: Tensor) -> Tensor:
        """Return [batch, words, relations] for the arcs from these heads, [batch, words]."""
        found: Tensor = self.relations(pick(scores.relation_heads, heads), scores.relation_dependents, None)
        return found.float()

    def best_relations(self, scores: DependencyScores, heads: Tensor) -> Tensor:
        """Return [batch, words], the relations of the arcs from these heads, of which the root alone has `root`."""
        return self.with_root_alone(self.relation_scores(scores, heads), heads == 0).argmax(dim=-1)

    def with_root_alone(self, relation_scores: Tensor, are_roots: Tensor) -> Tensor:
        """Return [..., relations] where the root can have `root` alone, and other words anything else."""
        if self.root_relation < 0:
            return relation_scores
        is_root = torch.arange(relation_scores.shape[-1], device=relation_scores.device) == self.root_relation
        return relation_scores.masked_fill(is_root != are_roots.unsqueeze(-1), IMPOSSIBLE)


def possible_arcs(word_count: int, word_counts: Tensor) -> Tensor:
    """Return [batch, words, words + 1], true where a word of the sentence, or the root, may be the head of another.

    Padding may have the root alone, so that no softmax runs over nothing.
    """
    index = torch.arange(word_count + 1, device=word_counts.device)
    head, dependent = index.unsqueeze(0), index[1:].unsqueeze(1)
    count = word_counts.view(-1, 1, 1)
    return (head == 0) | ((head != dependent) & (head <= count) & (dependent <= count))
