"""What the parser's graph gives of dependencies, and the small graph that names the relations of other arcs."""

from __future__ import annotations

import torch.nn.functional as F
from torch import Tensor, nn

from spanlin.network.dependency_scorer import DependencyScorer, DependencyScores


def dependency_outputs(scorer: DependencyScorer, scores: DependencyScores) -> dict[str, Tensor]:
    """Return the best head of each word, its relation and tag, and the scores from which other trees can be made.

    They are named as in `spanlin.runtime.backend`.
    """
    heads = scores.heads.argmax(dim=2)
    return {
        "heads": heads,
        "relations": scorer.best_relations(scores, heads),
        "universal_tags": scores.universal_tags.argmax(dim=-1),
        "arc_log_probs": scores.heads,
        "relation_heads": scores.relation_heads,
        "relation_dependents": scores.relation_dependents,
    }


class RelationGraph(nn.Module):
    """The part of a network that names the relations of given arcs, of any dependency tree."""

    def __init__(self, scorer: DependencyScorer) -> None:
        super().__init__()
        self.scorer = scorer

    def forward(self, relation_heads: Tensor, relation_dependents: Tensor, are_roots: Tensor) -> Tensor:
        """Return [arcs, relations], log-probabilities.

        The first two are [arcs, width], what the parser's graph gives; `are_roots`, [arcs], is true for arcs to the
        root of a sentence.
        """
        found = self.scorer.relations(relation_heads, relation_dependents, None).float()
        return F.log_softmax(self.scorer.with_root_alone(found, are_roots), dim=-1)
