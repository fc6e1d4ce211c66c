from __future__ import annotations

import dataclasses
import math
from typing import Any

import numpy as np
import pytest
import torch
from torch import Tensor

from generated_treebank import generate_trees
from small_runs import splits_of, untrained_model
from spanlin.network.batch import Batch
from spanlin.network.loss import distillation_loss, gold_loss, soft_targets
from spanlin.network.network import EMPTY_LABEL_ID, ParserNetwork, SpanScores
from spanlin.training.batches import BatchMaker
from spanlin.training.checkpoint import Model
from spanlin.trees.labelled import LabelledSplits
from spanlin.trees.tree import Span

TREES = generate_trees(12, seed=21)
SPLITS = splits_of(TREES)


def batch_of(model: Model, numbers: list[int]) -> Batch:
    return BatchMaker(model.featurizer(SPLITS))(np.array(numbers))


def log_sigmoid(x: float) -> float:
    return -math.log1p(math.exp(-x))


def structure_oracle(network: ParserNetwork, scores: SpanScores, row: int, sentence: LabelledSplits) -> float:
    """The structure loss of one sentence, boundary by boundary and span by span, from the scores."""
    scorer = network.config.scorer
    count = len(sentence.words)
    total = 0.0
    if scorer.normalization == "span":
        assert scores.logits is not None
        for left in range(count):
            for right in range(left + 2, count + 1):
                logit = scores.logits[row, right - 1, left].item()
                total -= log_sigmoid(logit if (left, right) in sentence.spans else -logit)
        return total
    sides: list[tuple[Tensor, list[int]]] = []
    if scores.left is not None:
        sides.append((scores.left[row], list(sentence.left_boundaries)))
    if scores.right is not None:
        sides.append((scores.right[row], [boundary - 1 for boundary in sentence.right_boundaries]))
    for number, (side, gold) in enumerate(sides):
        is_left = number == 0 and scores.left is not None
        for word in range(count):
            if scorer.normalization == "right-boundary":
                total -= side[word, gold[word]].item()
                continue
            for column in range(word + 1) if is_left else range(word, count):
                yes = side[word, column].exp().item()
                total -= math.log(yes if column == gold[word] else 1 - yes)
    return total


def label_oracle(network: ParserNetwork, scores: SpanScores, row: int, batch: Batch, sentence: LabelledSplits) -> float:
    """The label loss of one sentence over the gold spans."""
    targets = batch.targets
    assert targets is not None
    count = len(sentence.words)
    found = network.label_scores(scores, targets.split_lefts, targets.split_rights, batch.word_counts)[row].log_softmax(
        -1
    )
    splits = targets.split_lefts.shape[1]
    total = 0.0
    for split in range(count - 1):
        total -= found[split, targets.split_labels[row, split]].item()
    for word in range(count):
        total -= found[splits + word, targets.word_labels[row, word]].item()
    return total


VARIANTS = [
    {"target": target, "normalization": normalization}
    for normalization in ("right-boundary", "none", "span")
    for target in ("left", "right", "both")
    if normalization != "span" or target == "left"
]


@pytest.mark.parametrize("scorer", VARIANTS)
@pytest.mark.parametrize("divide", [True, False])
def test_the_loss_is_that_of_a_slow_oracle(scorer: dict[str, Any], divide: bool) -> None:
    torch.manual_seed(1)
    model = untrained_model(TREES, scorer=scorer, loss={"divide_by_length": divide, "tag_weight": 0.3})
    numbers = list(range(len(TREES)))
    batch = batch_of(model, numbers)
    scores = model.network.score(batch)
    losses = gold_loss(model.network, scores, batch)
    structure = labels = tags = 0.0
    assert scores.tags is not None
    assert batch.targets is not None
    for row in numbers:
        count = len(SPLITS[row].words)
        scale = 1 / count if divide else 1.0
        structure += scale * structure_oracle(model.network, scores, row, SPLITS[row])
        labels += scale * label_oracle(model.network, scores, row, batch, SPLITS[row])
        log_probs = scores.tags[row].log_softmax(-1)
        tags -= scale * sum(log_probs[word, batch.targets.tags[row, word]].item() for word in range(count))
    assert losses.structure.item() == pytest.approx(structure, rel=1e-4)
    assert losses.labels.item() == pytest.approx(labels, rel=1e-4)
    assert losses.tags.item() == pytest.approx(tags, rel=1e-4)
    assert losses.total.item() == pytest.approx(structure + labels + 0.3 * tags, rel=1e-4)


@pytest.mark.parametrize("scorer", [*VARIANTS, {"label_model": "linearization"}, {"tag_head": False}])
@pytest.mark.parametrize("loss", [{}, {"label_tree": "predicted"}, {"label_smoothing": 0.1}])
def test_the_loss_of_a_batch_is_the_sum_of_its_sentences(scorer: dict[str, Any], loss: dict[str, Any]) -> None:
    torch.manual_seed(1)
    model = untrained_model(TREES, scorer=scorer, loss=loss)
    numbers = list(range(len(TREES)))
    batches = [batch_of(model, numbers), *(batch_of(model, [number]) for number in numbers)]
    whole, *alone = [gold_loss(model.network, model.network.score(batch), batch).total.item() for batch in batches]
    assert whole == pytest.approx(sum(alone), rel=1e-4)


def test_sentences_without_a_tree_add_nothing() -> None:
    model = untrained_model(TREES)
    both, one = batch_of(model, [3, 4]), batch_of(model, [3])
    assert both.targets is not None
    tags = both.targets.tags.clone()
    tags[1] = -1
    without = dataclasses.replace(
        both, has_tree=torch.tensor([True, False]), targets=dataclasses.replace(both.targets, tags=tags)
    )
    network = model.network
    assert gold_loss(network, network.score(without), without).total.item() == pytest.approx(
        gold_loss(network, network.score(one), one).total.item(), rel=1e-4
    )


def test_a_sentence_without_a_tree_adds_the_tags_it_has() -> None:
    model = untrained_model(TREES)
    network = model.network
    batch = batch_of(model, [3, 4])
    without = dataclasses.replace(batch, has_tree=torch.tensor([False, False]))
    losses = gold_loss(network, network.score(without), without)
    assert (losses.structure.item(), losses.labels.item()) == (0.0, 0.0)
    assert losses.tags.item() == pytest.approx(gold_loss(network, network.score(batch), batch).tags.item())


def scores_of_trees(network: ParserNetwork, scores: SpanScores, trees: list[LabelledSplits]) -> SpanScores:
    """The same scores, but sure of these trees."""
    assert scores.left is not None
    left = torch.full_like(scores.left, -50.0)
    for row, tree in enumerate(trees):
        left[row, range(len(tree.words)), tree.left_boundaries] = 0.0
    return dataclasses.replace(scores, left=left)


def test_labels_on_the_predicted_tree_are_those_of_the_gold_tree_where_it_is_right() -> None:
    models = [untrained_model(TREES, loss={"label_tree": kind}) for kind in ("gold", "predicted")]
    models[1].network.load_state_dict(models[0].network.state_dict())
    losses = []
    for model in models:
        batch = batch_of(model, list(range(len(TREES))))
        scores = scores_of_trees(model.network, model.network.score(batch), SPLITS)
        losses.append(gold_loss(model.network, scores, batch).labels.item())
    assert losses[1] == pytest.approx(losses[0], rel=1e-5)


def test_labels_on_a_wrong_predicted_tree_are_empty() -> None:
    model = untrained_model(TREES, loss={"label_tree": "predicted", "divide_by_length": False})
    network = model.network
    number = max(range(len(TREES)), key=lambda row: len(SPLITS[row].words))
    sentence = SPLITS[number]
    count = len(sentence.words)
    batch = batch_of(model, [number])
    # A left-branching tree: few of its spans are gold ones.
    left_branching = sentence._replace(spans=tuple(Span(0, split + 1) for split in range(1, count)))
    scores = scores_of_trees(network, network.score(batch), [left_branching])
    lefts, rights, _ = network.infer_tree(scores, batch.word_counts)
    assert (lefts[0].tolist(), rights[0].tolist()) == ([0] * (count - 1), list(range(2, count + 1)))
    gold = dict(zip(sentence.spans, sentence.split_labels, strict=True))
    wanted = [
        model.vocabularies.labels.id(gold[span]) if (span := Span(0, split + 1)) in gold else EMPTY_LABEL_ID
        for split in range(1, count)
    ] + [model.vocabularies.labels.id(label) for label in sentence.word_labels]
    found = network.label_scores(scores, lefts, rights, batch.word_counts)[0].log_softmax(-1)
    total = -sum(found[place, label].item() for place, label in enumerate(wanted))
    assert gold_loss(network, scores, batch).labels.item() == pytest.approx(total, rel=1e-4)
    assert EMPTY_LABEL_ID in wanted[: count - 2]


def test_label_smoothing_is_of_tags_too() -> None:
    torch.manual_seed(6)
    model = untrained_model(TREES, loss={"label_smoothing": 0.3})
    batch = batch_of(model, [2, 5])
    scores = model.network.eval().score(batch)
    assert scores.tags is not None
    assert batch.targets is not None
    log_probs = scores.tags.log_softmax(dim=2)
    wanted = 0.0
    for row, number in enumerate((2, 5)):
        count = len(SPLITS[number].words)
        for word in range(count):
            gold = log_probs[row, word, batch.targets.tags[row, word]].item()
            wanted -= (0.7 * gold + 0.3 * log_probs[row, word].mean().item()) / count
    assert gold_loss(model.network, scores, batch).tags.item() == pytest.approx(wanted, rel=1e-4)


def test_label_smoothing_does_not_count_the_empty_label_of_the_root() -> None:
    # The root's empty label is impossible; smoothing towards it would swamp the loss.
    losses = []
    for smoothing in (0.0, 0.1):
        torch.manual_seed(3)
        model = untrained_model(TREES, loss={"label_smoothing": smoothing})
        batch = batch_of(model, list(range(len(TREES))))
        losses.append(gold_loss(model.network, model.network.score(batch), batch).labels.item())
    assert losses[1] == pytest.approx(losses[0], rel=0.2)


@pytest.mark.parametrize("target", ["left", "right", "both"])
def test_a_student_that_equals_its_teacher_has_nothing_to_learn(target: str) -> None:
    torch.manual_seed(4)
    model = untrained_model(TREES, scorer={"target": target})
    network = model.network
    batch = batch_of(model, list(range(len(TREES))))
    assert batch.has_tree is not None
    soft = soft_targets([network], [batch], gold=None, has_tree=torch.zeros_like(batch.has_tree))
    weights = torch.ones(len(TREES))
    loss = distillation_loss(network, network.score(batch), batch, soft, weights).total
    torch.autograd.backward(loss)
    largest = max(weight.grad.abs().max().item() for weight in network.parameters() if weight.grad is not None)
    assert largest < 1e-4
    with torch.no_grad():
        for weight in network.parameters():
            weight.add_(0.1 * torch.randn_like(weight))
    assert distillation_loss(network, network.score(batch), batch, soft, weights).total > loss + 0.01


def test_two_teachers_teach_their_mean() -> None:
    torch.manual_seed(4)
    models = [untrained_model(TREES) for _ in range(2)]
    batch = batch_of(models[0], [0, 5, 7])
    assert batch.has_tree is not None
    networks = [model.network for model in models]
    both, one, two = (
        soft_targets(some, [batch] * len(some), gold=batch.targets, has_tree=batch.has_tree)
        for some in (networks, networks[:1], networks[1:])
    )
    assert batch.targets is not None
    for name in ("left", "labels", "tags"):
        torch.testing.assert_close(getattr(both, name), (getattr(one, name) + getattr(two, name)) / 2)
    # Labels are asked of the gold tree where there is one.
    assert both.lefts.equal(batch.targets.split_lefts)
    assert both.rights.equal(batch.targets.split_rights)


def test_teachers_label_their_own_tree_where_there_is_no_gold_one() -> None:
    torch.manual_seed(4)
    model = untrained_model(TREES)
    batch = batch_of(model, [0, 5])
    assert batch.targets is not None
    parse = model.network(batch)
    soft = soft_targets([model.network], [batch], gold=batch.targets, has_tree=torch.tensor([False, True]))
    assert soft.lefts[0].equal(parse.lefts[0])
    assert soft.rights[0].equal(parse.rights[0])
    assert soft.lefts[1].equal(batch.targets.split_lefts[1])
