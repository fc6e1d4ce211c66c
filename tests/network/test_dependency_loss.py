from __future__ import annotations

import numpy as np
import pytest
import torch

from generated_treebank import generate_trees
from small_runs import random_dependencies, splits_of, untrained_model
from spanlin.network.batch import Batch
from spanlin.network.dependency_loss import dependency_loss
from spanlin.network.loss import distillation_loss, gold_loss, soft_targets
from spanlin.training.batches import BatchMaker
from spanlin.training.checkpoint import Model
from spanlin.training.dependencies import KnownDependencies

TREES = generate_trees(10, seed=22)
SPLITS = splits_of(TREES)
KNOWN = random_dependencies(SPLITS, seed=4)
UNKNOWN = [
    KnownDependencies(heads=(-1,) * count, relations=("",) * count, universal_tags=("",) * count)
    for count in (len(sentence.words) for sentence in SPLITS)
]
ALL = list(range(len(TREES)))


def batch_of(
    model: Model, numbers: list[int], known: list[KnownDependencies] = KNOWN, *, has_tree: bool = True
) -> Batch:
    return BatchMaker(model.featurizer(SPLITS, dependencies=known, has_tree=has_tree))(np.array(numbers))


def loss_of(model: Model, batch: Batch) -> list[float]:
    assert batch.targets is not None
    scores = model.network.eval().score(batch).dependencies
    found: list[float] = dependency_loss(model.network.dependencies, scores, batch.targets).tolist()
    return found


def test_the_loss_is_that_of_a_slow_oracle() -> None:
    torch.manual_seed(2)
    model = untrained_model(TREES, KNOWN)
    batch = batch_of(model, ALL)
    scorer, scores = model.network.dependencies, model.network.eval().score(batch).dependencies
    assert scorer is not None
    assert scores is not None
    tags = scores.universal_tags.log_softmax(-1)
    for row, (known, found) in enumerate(zip(KNOWN, loss_of(model, batch), strict=True)):
        total = 0.0
        for word, head in enumerate(known.heads):
            total -= scores.heads[row, word, head].item()
            pair = scores.relation_heads[row, head] + scores.relation_dependents[row, word]
            relation = model.vocabularies.relations.id(known.relations[word])
            total -= scorer.relations.output(pair).log_softmax(-1)[relation].item()
            total -= tags[row, word, model.vocabularies.universal_tags.id(known.universal_tags[word])].item()
        assert found == pytest.approx(total, rel=1e-4)


def test_what_is_not_known_adds_nothing() -> None:
    model = untrained_model(TREES, KNOWN)
    UNKNOWN = [
        KnownDependencies((-1,) * len(one.heads), ("",) * len(one.heads), ("",) * len(one.heads)) for one in KNOWN
    ]
    assert loss_of(model, batch_of(model, ALL, UNKNOWN)) == [0.0] * len(TREES)
    heads_only = [one._replace(heads=known.heads) for one, known in zip(UNKNOWN, KNOWN, strict=True)]
    some, whole = (loss_of(model, batch_of(model, ALL, known)) for known in (heads_only, KNOWN))
    for sentence, part, total in zip(SPLITS, some, whole, strict=True):
        assert (0 < part < total) if len(sentence.words) > 1 else (0 == part < total)  # one word has no choice of head


def test_the_whole_loss_weighs_dependencies_as_the_configuration_says() -> None:
    torch.manual_seed(3)
    model = untrained_model(TREES, KNOWN, dependencies={"weight": 0.7})
    batch = batch_of(model, ALL)
    losses = gold_loss(model.network, model.network.eval().score(batch), batch)
    counts = [len(sentence.words) for sentence in SPLITS]
    expected = sum(loss / count for loss, count in zip(loss_of(model, batch), counts, strict=True))
    assert losses.dependencies.item() == pytest.approx(expected, rel=1e-4)
    rest = losses.structure + losses.labels + 0.5 * losses.tags
    assert losses.total.item() == pytest.approx(rest.item() + 0.7 * expected, rel=1e-4)


def test_sentences_with_dependencies_alone_train_them_alone() -> None:
    model = untrained_model(TREES, KNOWN)
    batch = batch_of(model, ALL, has_tree=False)
    losses = gold_loss(model.network, model.network.eval().score(batch), batch)
    assert (losses.structure.item(), losses.labels.item()) == (0.0, 0.0)
    assert losses.dependencies.item() > 0


def test_a_student_equal_to_its_only_teacher_has_the_teachers_entropy_as_its_loss() -> None:
    torch.manual_seed(4)
    model = untrained_model(TREES, KNOWN)
    network = model.network.eval()
    UNKNOWN = [
        KnownDependencies((-1,) * len(one.heads), ("",) * len(one.heads), ("",) * len(one.heads)) for one in KNOWN
    ]
    batch = batch_of(model, ALL, UNKNOWN, has_tree=False)
    assert batch.has_tree is not None
    soft = soft_targets([network], [batch], gold=batch.targets, has_tree=batch.has_tree)
    assert soft.dependencies is not None
    scores = network.score(batch)
    losses = distillation_loss(network, scores, batch, soft, torch.ones(len(TREES)))
    entropy = 0.0
    for row, sentence in enumerate(SPLITS):
        count = len(sentence.words)
        parts = (soft.dependencies.heads, soft.dependencies.relations, soft.dependencies.universal_tags)
        for part in parts:
            own = part[row, :count]
            entropy -= torch.xlogy(own, own).sum().item() / count
    assert losses.dependencies.item() == pytest.approx(entropy, rel=1e-3)


def test_teachers_heads_fill_in_for_unknown_ones_alone() -> None:
    torch.manual_seed(5)
    model = untrained_model(TREES, KNOWN)
    network = model.network.eval()
    half = [known if number % 2 else UNKNOWN[number] for number, known in enumerate(KNOWN)]
    batch = batch_of(model, ALL, half)
    assert batch.has_tree is not None
    soft = soft_targets([network], [batch], gold=batch.targets, has_tree=batch.has_tree)
    filled = soft.trees(batch).targets
    assert filled is not None
    scores = network.score(batch).dependencies
    assert scores is not None
    for row, one in enumerate(KNOWN):
        count = len(one.heads)
        wanted = list(one.heads) if row % 2 else scores.heads[row, :count].argmax(dim=1).tolist()
        assert filled.heads[row, :count].tolist() == wanted
        assert (filled.heads[row, count:] == -1).all()
        assert (filled.relations[row, :count] >= 0).all()


def test_teachers_without_dependencies_leave_them_to_the_treebanks() -> None:
    teacher, student = untrained_model(TREES), untrained_model(TREES, KNOWN)
    batch = batch_of(student, ALL)
    theirs = batch_of(teacher, ALL)
    assert batch.has_tree is not None
    soft = soft_targets([teacher.network.eval()], [theirs], gold=batch.targets, has_tree=batch.has_tree)
    assert soft.dependencies is None
    assert batch.targets is not None
    filled = soft.trees(batch).targets
    assert filled is not None
    assert filled.heads.equal(batch.targets.heads)
    assert filled.relations.equal(batch.targets.relations)
