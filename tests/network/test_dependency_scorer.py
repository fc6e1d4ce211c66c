from __future__ import annotations

import numpy as np
import pytest
import torch

from generated_treebank import generate_trees
from small_runs import random_dependencies, splits_of, untrained_model
from spanlin.network.batch import Batch
from spanlin.network.dependency_scorer import DependencyScores, possible_arcs
from spanlin.training.batches import BatchMaker
from spanlin.training.checkpoint import Model

TREES = generate_trees(12, seed=21)
SPLITS = splits_of(TREES)
KNOWN = random_dependencies(SPLITS, seed=3)


def batch_of(model: Model, numbers: list[int]) -> Batch:
    return BatchMaker(model.featurizer(SPLITS, dependencies=KNOWN))(np.array(numbers))


def scores_of(model: Model, batch: Batch) -> DependencyScores:
    found = model.network.eval().score(batch).dependencies
    assert found is not None
    return found


def test_a_network_without_relations_scores_no_dependencies() -> None:
    model = untrained_model(TREES)
    assert model.network.dependencies is None
    assert model.network.score(batch_of(model, [0])).dependencies is None


def test_each_word_has_a_distribution_over_the_root_and_all_other_words() -> None:
    model = untrained_model(TREES, KNOWN)
    numbers = list(range(len(TREES)))
    heads = scores_of(model, batch_of(model, numbers)).heads.exp()
    for row, number in enumerate(numbers):
        count = len(SPLITS[number].words)
        own = heads[row, :count]
        assert own.sum(dim=1).tolist() == pytest.approx([1.0] * count, abs=1e-5)
        assert own[:, count + 1 :].sum().item() == 0.0
        assert own[torch.arange(count), torch.arange(1, count + 1)].sum().item() == 0.0  # no word is its own head


def test_a_sentence_is_scored_alike_alone_and_in_a_batch() -> None:
    model = untrained_model(TREES, KNOWN)
    numbers = list(range(len(TREES)))
    together = scores_of(model, batch_of(model, numbers))
    scorer = model.network.dependencies
    assert scorer is not None
    for row, number in enumerate(numbers):
        count = len(SPLITS[number].words)
        alone = scores_of(model, batch_of(model, [number]))
        torch.testing.assert_close(together.heads[row, :count, : count + 1], alone.heads[0], atol=1e-4, rtol=1e-4)
        torch.testing.assert_close(together.universal_tags[row, :count], alone.universal_tags[0], atol=1e-4, rtol=1e-4)
        heads = torch.tensor([KNOWN[number].heads])
        padded = torch.zeros(len(numbers), together.heads.shape[1], dtype=torch.long)
        padded[row, :count] = heads[0]
        torch.testing.assert_close(
            scorer.relation_scores(together, padded)[row, :count],
            scorer.relation_scores(alone, heads)[0],
            atol=1e-4,
            rtol=1e-4,
        )


def test_possible_arcs_are_those_of_the_sentence_and_padding_has_the_root() -> None:
    found = possible_arcs(3, torch.tensor([2, 3]))
    assert found[0].int().tolist() == [[1, 0, 1, 0], [1, 1, 0, 0], [1, 0, 0, 0]]
    assert found[1].int().tolist() == [[1, 0, 1, 1], [1, 1, 0, 1], [1, 1, 1, 0]]
