"""Heads, relations and universal tags by a trained model, and how many of them are right."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import torch

from spanlin.decoding.heads import decode_heads_batch
from spanlin.errors import ConfigError
from spanlin.evaluation.counts import ratio
from spanlin.network.batch import Batch
from spanlin.network.network import SpanScores
from spanlin.training.checkpoint import Model
from spanlin.training.dependencies import KnownDependencies
from spanlin.training.examples import Examples
from spanlin.training.parsing import autocast, batch_parses, scored_batches
from spanlin.trees.labelled import LabelledSplits


class AttachmentScore(NamedTuple):
    """Of all words, punctuation too, how many per cent have the right head, and the right relation to it as well.

    Relations are compared without their subtypes, as the official evaluation of Universal Dependencies does.
    """

    uas: float
    las: float
    universal_tags: float


def predict_dependencies(
    model: Model,
    examples: Examples,
    *,
    device: torch.device | None = None,
    precision: str = "fp32",
    token_budget: int = 20_000,
) -> list[KnownDependencies]:
    """Return the most probable dependency tree of each sentence, in order."""
    if model.network.dependencies is None:
        raise ConfigError("the model was trained without dependencies, so it cannot give any")
    device = device or torch.device("cpu")
    results: dict[int, KnownDependencies] = {}
    for members, batch, scores in scored_batches(model, examples, device, precision, token_budget):
        with autocast(device, precision):
            results.update(zip(members, batch_dependencies(model, batch, scores), strict=True))
    return [results[number] for number in range(len(examples))]


def parse_with_dependencies(
    model: Model,
    examples: Examples,
    sentences: Sequence[LabelledSplits],
    *,
    device: torch.device | None = None,
    precision: str = "fp32",
    token_budget: int = 20_000,
) -> tuple[list[LabelledSplits], list[KnownDependencies]]:
    """Return the greedy tree, with the sentence's own tags, and the dependencies of each sentence, from one pass."""
    device = device or torch.device("cpu")
    results: dict[int, tuple[LabelledSplits, KnownDependencies]] = {}
    for members, batch, scores in scored_batches(model, examples, device, precision, token_budget):
        with autocast(device, precision):
            own = [sentences[number] for number in members]
            trees = [parse.splits for parse in batch_parses(model, batch, scores, own, decoder="argmin")]
            pairs = zip(trees, batch_dependencies(model, batch, scores), strict=True)
            results.update(zip(members, pairs, strict=True))
    in_order = [results[number] for number in range(len(examples))]
    return [tree for tree, _ in in_order], [known for _, known in in_order]


@torch.inference_mode()
def batch_dependencies(model: Model, batch: Batch, scores: SpanScores) -> list[KnownDependencies]:
    """Return the most probable dependency tree of each sentence of a batch."""
    scorer, arcs = model.network.dependencies, scores.dependencies
    assert scorer is not None
    assert arcs is not None
    found = decode_heads_batch(batch.lengths.numpy(), arcs.heads.double().cpu().numpy()).heads
    heads = torch.from_numpy(np.ascontiguousarray(found)).to(arcs.heads.device)
    columns = (heads, scorer.best_relations(arcs, heads), arcs.universal_tags.argmax(dim=-1))
    relations, tags = model.vocabularies.relations.items, model.vocabularies.universal_tags.items
    rows = zip(batch.lengths.tolist(), *(column.tolist() for column in columns), strict=True)
    return [
        KnownDependencies(
            heads=tuple(own[:count]),
            relations=tuple(relations[relation] for relation in numbers[:count]),
            universal_tags=tuple(tags[tag] for tag in own_tags[:count]),
        )
        for count, own, numbers, own_tags in rows
    ]


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
