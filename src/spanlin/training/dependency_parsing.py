"""Heads, relations and universal tags by a trained model, and how many of them are right."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import torch

from spanlin.decoding.heads import decode_heads_batch
from spanlin.errors import ConfigError
from spanlin.evaluation.counts import ratio
from spanlin.runtime.dependency_decoding import ROOT
from spanlin.training.checkpoint import Model
from spanlin.training.dependencies import KnownDependencies
from spanlin.training.examples import Examples
from spanlin.training.parsing import autocast, batches_of


class AttachmentScore(NamedTuple):
    """Of all words, punctuation too, how many per cent have the right head, and the right relation to it as well.

    Relations are compared without their subtypes, as the official evaluation of Universal Dependencies does.
    """

    uas: float
    las: float
    universal_tags: float


@torch.inference_mode()
def predict_dependencies(
    model: Model,
    examples: Examples,
    *,
    device: torch.device | None = None,
    precision: str = "fp32",
    token_budget: int = 20_000,
) -> list[KnownDependencies]:
    """Return the most probable dependency tree of each sentence, in order."""
    scorer = model.network.dependencies
    if scorer is None:
        raise ConfigError("the model was trained without dependencies, so it cannot give any")
    device = device or torch.device("cpu")
    relations, tags = model.vocabularies.relations.items, model.vocabularies.universal_tags.items
    root = model.vocabularies.relations.id(ROOT)
    results: dict[int, KnownDependencies] = {}
    for members, batch in batches_of(model, examples, device, token_budget):
        with autocast(device, precision):
            scores = model.network.score(batch).dependencies
            assert scores is not None
            found = decode_heads_batch(batch.lengths.numpy(), scores.heads.double().cpu().numpy())
            heads = torch.from_numpy(np.ascontiguousarray(found.heads)).to(device)
            scored = scorer.relation_scores(scores, heads)
            if root >= 0:  # the relation of the root, and of no other word
                scored[:, :, root] = torch.where(heads == 0, torch.inf, -torch.inf)
            best = scored.argmax(dim=-1)
        rows = zip(
            members, found.heads.tolist(), best.tolist(), scores.universal_tags.argmax(dim=-1).tolist(), strict=True
        )
        for (number, *row), count in zip(rows, batch.lengths.tolist(), strict=True):
            results[number] = KnownDependencies(
                heads=tuple(row[0][:count]),
                relations=tuple(relations[relation] for relation in row[1][:count]),
                universal_tags=tuple(tags[tag] for tag in row[2][:count]),
            )
    return [results[number] for number in range(len(examples))]


def score_attachments(gold: Sequence[KnownDependencies], predicted: Sequence[KnownDependencies]) -> AttachmentScore:
    """Return how much of the gold dependencies was found, for sentences of the same words."""
    words = heads = both = tags = 0
    for one, other in zip(gold, predicted, strict=True):
        words += len(one.heads)
        same = [mine == theirs for mine, theirs in zip(one.heads, other.heads, strict=True)]
        heads += sum(same)
        pairs = zip(same, one.relations, other.relations, strict=True)
        both += sum(is_same and _universal(mine) == _universal(theirs) for is_same, mine, theirs in pairs)
        tags += sum(mine == theirs for mine, theirs in zip(one.universal_tags, other.universal_tags, strict=True))
    return AttachmentScore(*(ratio(100.0 * right, words) or 0.0 for right in (heads, both, tags)))


def _universal(relation: str) -> str:
    return relation.partition(":")[0]
