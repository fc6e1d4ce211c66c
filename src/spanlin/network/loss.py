"""The training objective (Wei et al. 2020, sec. 3.3), its variants, and distillation from teachers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import torch
import torch.nn.functional as F
from torch import Tensor

from spanlin.config.network import LossConfig
from spanlin.network.batch import Batch, Targets
from spanlin.network.dependency_loss import SoftDependencies, dependency_loss, soft_dependencies, soft_dependency_loss
from spanlin.network.network import EMPTY_LABEL_ID, ParserNetwork, SpanScores, all_spans, possible_spans
from spanlin.network.partition import tree_log_mass
from spanlin.network.span_scorer import IMPOSSIBLE


@dataclass(frozen=True, kw_only=True)
class Losses:
    """Losses summed over the sentences of a batch; divide by their number once."""

    structure: Tensor
    labels: Tensor
    tags: Tensor
    dependencies: Tensor
    total: Tensor


@dataclass(frozen=True, kw_only=True)
class SoftTargets:
    """A teacher's probabilities for a batch, on a tree of its own choice or the gold one."""

    left: Tensor | None  # [batch, words, words] probabilities
    right: Tensor | None
    lefts: Tensor  # [batch, words - 1]
    rights: Tensor  # [batch, words - 1]
    labels: Tensor  # [batch, 2 * words - 1, labels] probabilities
    tags: Tensor | None  # [batch, words, tags] probabilities
    dependencies: SoftDependencies | None = None

    def trees(self, batch: Batch) -> Batch:
        """Return the batch with the teachers' best trees where it has none, and their best heads."""
        gold, has_tree = batch.targets, batch.has_tree
        assert gold is not None
        assert has_tree is not None
        known = has_tree.unsqueeze(1)
        words = torch.arange(gold.word_labels.shape[1], device=known.device)
        is_word = words < batch.word_counts.unsqueeze(1)
        is_split = words[1:] < batch.word_counts.unsqueeze(1)
        best = self.labels.argmax(dim=-1)
        split_count = self.lefts.shape[1]

        def chosen(gold: Tensor, theirs: Tensor, inside: Tensor) -> Tensor:
            return torch.where(known, gold, torch.where(inside, theirs, -1))

        targets = Targets(
            split_lefts=self.lefts,
            split_rights=self.rights,
            split_labels=chosen(gold.split_labels, best[:, :split_count], is_split),
            word_labels=chosen(gold.word_labels, best[:, split_count:], is_word),
            tags=gold.tags if self.tags is None else chosen(gold.tags, self.tags.argmax(dim=-1), is_word),
            heads=gold.heads,
            relations=gold.relations,
            universal_tags=gold.universal_tags,
        )
        if self.dependencies is not None:
            targets = self.dependencies.fill(targets, is_word)
        return replace(batch, targets=targets, has_tree=torch.ones_like(has_tree))


def gold_loss(network: ParserNetwork, scores: SpanScores, batch: Batch) -> Losses:
    """Return the negative log-likelihood of the gold trees of a batch."""
    targets, has_tree = batch.targets, batch.has_tree
    assert targets is not None
    assert has_tree is not None
    config = network.config.loss
    words = torch.arange(targets.word_labels.shape[1], device=has_tree.device)
    is_word = words < batch.word_counts.unsqueeze(1)
    # The scores before each graph layer count as much as the last ones: its messages follow their probabilities.
    rounds = [scores, *(replace(scores, left=left, right=right) for left, right in scores.earlier)]
    each_round = [_structure_loss(network, one, targets, batch.word_counts, is_word) for one in rounds]
    structure = torch.stack(each_round).mean(dim=0)
    labels = _label_loss(network, scores, targets, batch, config)
    tags = torch.zeros_like(structure)
    if scores.tags is not None:
        each = F.cross_entropy(
            scores.tags.transpose(1, 2),
            targets.tags,
            ignore_index=-1,
            reduction="none",
            label_smoothing=config.label_smoothing,
        )
        tags = each.sum(dim=1)
    dependencies = dependency_loss(network.dependencies, scores.dependencies, targets)
    # Tags and dependencies are known or not word by word.
    scale = 1 / batch.word_counts if config.divide_by_length else torch.ones_like(structure)
    return _weighted(network, structure * has_tree, labels * has_tree, tags, dependencies, scale)


def _weighted(  # noqa: PLR0917 (the parts of a loss, in their order)
    network: ParserNetwork, structure: Tensor, labels: Tensor, tags: Tensor, dependencies: Tensor, scale: Tensor
) -> Losses:
    """Return the sums over a batch of the losses of its sentences, each [batch]."""
    parts = (structure, labels, tags, dependencies)
    structure, labels, tags, dependencies = ((part * scale).sum() for part in parts)
    weights = network.config.loss.tag_weight, network.config.dependencies.weight
    return Losses(
        structure=structure,
        labels=labels,
        tags=tags,
        dependencies=dependencies,
        total=structure + labels + weights[0] * tags + weights[1] * dependencies,
    )


def _structure_loss(
    network: ParserNetwork, scores: SpanScores, targets: Targets, word_counts: Tensor, is_word: Tensor
) -> Tensor:
    """Return [batch]: the loss of the linearization, summed over split points."""
    left_boundaries = F.pad(targets.split_lefts, (0, 1))  # d_n = 0, and so is padding
    right_boundaries = torch.cat([word_counts.unsqueeze(1), targets.split_rights], dim=1)
    match network.config.scorer.normalization:
        case "right-boundary":
            loss = torch.zeros(word_counts.shape, device=word_counts.device)
            if scores.left is not None:
                picked = scores.left.gather(2, left_boundaries.unsqueeze(2)).squeeze(2)
                loss = loss - torch.where(is_word, picked, 0.0).sum(dim=1)
            if scores.right is not None:
                picked = scores.right.gather(2, (right_boundaries - 1).clamp(min=0).unsqueeze(2)).squeeze(2)
                loss = loss - torch.where(is_word, picked, 0.0).sum(dim=1)
            if network.config.loss.objective == "trees":
                loss = loss + tree_log_mass(scores.left, scores.right, word_counts)
            return loss
        case "none":
            loss = torch.zeros(word_counts.shape, device=word_counts.device)
            if scores.left is not None:
                truth = F.one_hot(left_boundaries, scores.left.shape[2]).float()
                loss = loss + _binary_loss(scores.left, truth, word_counts, transpose=False)
            if scores.right is not None:
                truth = F.one_hot((right_boundaries - 1).clamp(min=0), scores.right.shape[2]).float()
                loss = loss + _binary_loss(scores.right, truth, word_counts, transpose=True)
            return loss
        case _:
            assert scores.logits is not None
            truth = torch.zeros_like(scores.logits)
            sentences = torch.arange(len(word_counts), device=word_counts.device).unsqueeze(1)
            # Padding writes to the span (0, 1), which is in every tree.
            # (The one is made on the device: a plain 1.0 would be copied there, which no recorded graph may do.)
            places = (sentences, (targets.split_rights - 1).clamp(min=0), targets.split_lefts)
            truth.index_put_(places, truth.new_ones(()))
            one_word = torch.eye(truth.shape[1], device=truth.device)
            truth = torch.maximum(truth, one_word)
            each = F.binary_cross_entropy_with_logits(scores.logits, truth, reduction="none")
            counts = _inside(scores.logits.shape[1], word_counts) & (one_word == 0)
            return torch.where(counts, each, 0.0).sum(dim=(1, 2))


def _binary_loss(log_probs: Tensor, truth: Tensor, word_counts: Tensor, *, transpose: bool) -> Tensor:
    """Return [batch]: one yes-or-no decision for every span, `log_probs` being log-sigmoids."""
    inside = _inside(log_probs.shape[1], word_counts)
    if transpose:
        inside = inside.transpose(1, 2)
    yes = torch.where(inside, log_probs, -1.0)
    # log(1 - p) from log p; p rounds to 1 only where the loss is far from flat.
    no = torch.log1p(-yes.exp().clamp(max=1 - 1e-6))
    return -torch.where(inside, torch.where(truth > 0, yes, no), 0.0).sum(dim=(1, 2))


def _inside(word_count: int, word_counts: Tensor) -> Tensor:
    index = torch.arange(word_count, device=word_counts.device)
    is_word = index < word_counts.unsqueeze(1)
    return possible_spans(word_count, word_counts) & is_word.unsqueeze(1) & is_word.unsqueeze(2)


def _label_loss(
    network: ParserNetwork, scores: SpanScores, targets: Targets, batch: Batch, config: LossConfig
) -> Tensor:
    """Return [batch]: the label loss summed over the 2n - 1 spans of the gold or the current tree."""
    lefts, rights = targets.split_lefts, targets.split_rights
    truth = torch.cat([targets.split_labels, targets.word_labels], dim=1)
    if config.label_tree == "predicted" and network.config.scorer.normalization != "span":
        with torch.no_grad():
            gold_lefts, gold_rights = all_spans(lefts, rights)
            size = targets.word_labels.shape[1] + 1
            table = truth.new_full((truth.shape[0], size, size), EMPTY_LABEL_ID)
            sentences = torch.arange(truth.shape[0], device=truth.device).unsqueeze(1).expand_as(truth)
            # Padding has the label -1 and the edges (0, 0), where no span is.
            table[sentences, gold_lefts, gold_rights] = truth
            lefts, rights, _ = network.infer_tree(scores, batch.word_counts)
            left_edges, right_edges = all_spans(lefts, rights)
            truth = torch.where(truth < 0, truth, table[sentences, left_edges, right_edges])
    found = network.label_scores(scores, lefts, rights, batch.word_counts)
    each = F.cross_entropy(found.transpose(1, 2), truth, ignore_index=-1, reduction="none")
    if config.label_smoothing:
        # Not torch's own: it would spread over the root's empty label too, which is impossible.
        possible = found > IMPOSSIBLE / 2
        log_probs = torch.where(possible, F.log_softmax(found, dim=-1), 0.0)
        spread = torch.where(truth < 0, 0.0, -log_probs.sum(dim=-1) / possible.sum(dim=-1))
        each = torch.lerp(each, spread, config.label_smoothing)
    return each.sum(dim=1)


@torch.no_grad()
def soft_targets(
    teachers: Sequence[ParserNetwork], batches: Sequence[Batch], *, gold: Targets | None, has_tree: Tensor
) -> SoftTargets:
    """Return the mean of several teachers' probabilities, on the gold tree where there is one, else on their own."""
    all_scores = [teacher.score(batch) for teacher, batch in zip(teachers, batches, strict=True)]
    word_counts = batches[0].word_counts
    left = _mean_probs([scores.left for scores in all_scores])
    right = _mean_probs([scores.right for scores in all_scores])
    joint = SpanScores(
        left=None if left is None else left.clamp(min=1e-30).log(),
        right=None if right is None else right.clamp(min=1e-30).log(),
        logits=None,
        left_edges=all_scores[0].left_edges,
        right_edges=all_scores[0].right_edges,
        tags=None,
    )
    lefts, rights, _ = teachers[0].infer_tree(joint, word_counts)
    if gold is not None:
        known = has_tree.unsqueeze(1)
        lefts = torch.where(known, gold.split_lefts, lefts)
        rights = torch.where(known, gold.split_rights, rights)
    labels = torch.stack(
        [
            teacher.label_scores(scores, lefts, rights, word_counts).softmax(dim=-1)
            for teacher, scores in zip(teachers, all_scores, strict=True)
        ]
    ).mean(dim=0)
    tags = [scores.tags.softmax(dim=-1) for scores in all_scores if scores.tags is not None]
    return SoftTargets(
        left=left,
        right=right,
        lefts=lefts,
        rights=rights,
        labels=labels,
        tags=torch.stack(tags).mean(dim=0) if tags else None,
        dependencies=soft_dependencies(
            [(teacher.dependencies, scores.dependencies) for teacher, scores in zip(teachers, all_scores, strict=True)],
            gold,
        ),
    )


def _mean_probs(log_probs: Sequence[Tensor | None]) -> Tensor | None:
    present = [one.exp() for one in log_probs if one is not None]
    return torch.stack(present).mean(dim=0) if present else None


def distillation_loss(
    network: ParserNetwork, scores: SpanScores, batch: Batch, soft: SoftTargets, sentence_weights: Tensor
) -> Losses:
    """Return the cross-entropy to the teachers' probabilities, weighted by sentence and summed as the gold loss is."""
    config = network.config.loss
    word_count = batch.word_counts
    words = torch.arange(soft.lefts.shape[1] + 1, device=word_count.device)
    is_word = words < word_count.unsqueeze(1)
    structure = torch.zeros(word_count.shape, device=word_count.device)
    for mine, theirs in ((scores.left, soft.left), (scores.right, soft.right)):
        if mine is not None and theirs is not None:
            each = -(theirs * mine.clamp(min=-100.0)).sum(dim=2)
            structure = structure + torch.where(is_word, each, 0.0).sum(dim=1)
    found = network.label_scores(scores, soft.lefts, soft.rights, word_count)
    each = -(soft.labels * F.log_softmax(found, dim=-1).clamp(min=-100.0)).sum(dim=-1)
    splits = torch.arange(1, soft.lefts.shape[1] + 1, device=word_count.device) < word_count.unsqueeze(1)
    labels = torch.where(torch.cat([splits, is_word], dim=1), each, 0.0).sum(dim=1)
    tags = torch.zeros_like(labels)
    if scores.tags is not None and soft.tags is not None:
        each = -(soft.tags * F.log_softmax(scores.tags, dim=-1)).sum(dim=-1)
        tags = torch.where(is_word, each, 0.0).sum(dim=1)
    dependencies = torch.zeros_like(labels)
    if soft.dependencies is not None:
        dependencies = soft_dependency_loss(network.dependencies, scores.dependencies, soft.dependencies, is_word)
    scale = sentence_weights / word_count if config.divide_by_length else sentence_weights
    return _weighted(network, structure, labels, tags, dependencies, scale)
