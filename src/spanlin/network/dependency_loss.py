"""The loss of heads, relations and universal tags, from gold dependencies or from teachers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import torch
import torch.nn.functional as F
from torch import Tensor

from spanlin.network.batch import Targets
from spanlin.network.dependency_scorer import DependencyScorer, DependencyScores


@dataclass(frozen=True, kw_only=True)
class SoftDependencies:
    """Teachers' probabilities for a batch; relations are those of the arcs from `best_heads`."""

    heads: Tensor  # [batch, words, words + 1]
    best_heads: Tensor  # [batch, words], the gold ones where they are known
    relations: Tensor  # [batch, words, relations]
    universal_tags: Tensor  # [batch, words, universal tags]

    def fill(self, targets: Targets, is_word: Tensor) -> Targets:
        """Return the targets with the teachers' best dependencies for the words that have none."""

        def filled(gold: Tensor, theirs: Tensor) -> Tensor:
            return torch.where((gold < 0) & is_word, theirs, gold)

        return replace(
            targets,
            heads=filled(targets.heads, self.best_heads),
            relations=filled(targets.relations, self.relations.argmax(dim=-1)),
            universal_tags=filled(targets.universal_tags, self.universal_tags.argmax(dim=-1)),
        )


def dependency_loss(scorer: DependencyScorer | None, scores: DependencyScores | None, targets: Targets) -> Tensor:
    """Return [batch]: the negative log-likelihood of what is known of the dependencies, summed over words."""
    if scorer is None or scores is None:
        return torch.zeros(len(targets.heads), device=targets.heads.device)
    # Relations are learned on the gold arcs; where a head is unknown, so is the relation.
    relations = scorer.relation_scores(scores, targets.heads.clamp(min=0))
    parts = (
        (scores.heads, targets.heads),
        (relations, targets.relations),
        (scores.universal_tags, targets.universal_tags),
    )
    each = [F.cross_entropy(found.transpose(1, 2), gold, ignore_index=-1, reduction="none") for found, gold in parts]
    return torch.stack(each).sum(dim=(0, 2))


@torch.no_grad()
def soft_dependencies(
    teachers: Sequence[tuple[DependencyScorer | None, DependencyScores | None]], gold: Targets | None
) -> SoftDependencies | None:
    """Return the mean of the teachers' probabilities; None if none of them scores dependencies."""
    able = [(scorer, scores) for scorer, scores in teachers if scorer is not None and scores is not None]
    if not able:
        return None
    heads = torch.stack([scores.heads.exp() for _, scores in able]).mean(dim=0)
    best = heads.argmax(dim=2)
    if gold is not None:
        best = torch.where(gold.heads < 0, best, gold.heads)
    relations = [scorer.relation_scores(scores, best).softmax(dim=-1) for scorer, scores in able]
    tags = [scores.universal_tags.softmax(dim=-1) for _, scores in able]
    return SoftDependencies(
        heads=heads,
        best_heads=best,
        relations=torch.stack(relations).mean(dim=0),
        universal_tags=torch.stack(tags).mean(dim=0),
    )


def soft_dependency_loss(
    scorer: DependencyScorer | None, scores: DependencyScores | None, soft: SoftDependencies, is_word: Tensor
) -> Tensor:
    """Return [batch]: the cross-entropy to the teachers' probabilities, summed over words."""
    if scorer is None or scores is None:
        return torch.zeros(len(is_word), device=is_word.device)
    relations = F.log_softmax(scorer.relation_scores(scores, soft.best_heads), dim=-1)
    tags = F.log_softmax(scores.universal_tags, dim=-1)
    pairs = ((soft.heads, scores.heads), (soft.relations, relations), (soft.universal_tags, tags))
    each = torch.stack([-(theirs * mine.clamp(min=-100.0)).sum(dim=2) for theirs, mine in pairs]).sum(dim=0)
    return torch.where(is_word, each, 0.0).sum(dim=1)
