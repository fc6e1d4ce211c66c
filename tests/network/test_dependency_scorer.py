from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from generated_treebank import generate_trees
from small_runs import random_dependencies, splits_of, untrained_model
from spanlin.network.batch import Batch
from spanlin.network.dependency_scorer import DependencyScores, possible_arcs
from spanlin.training.batches import BatchMaker
from spanlin.training.checkpoint import Model
from tiny_encoders import make_encoder

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


@pytest.fixture(scope="module")
def encoder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    words = {word for sentence in SPLITS for word in sentence.words}
    return make_encoder(tmp_path_factory.mktemp("encoder"), words, width=16, layers=1)


def over_encoder(encoder: Path, **dependencies: Any) -> Model:
    parts = {"input": "pretrained", "pretrained": {"folder": str(encoder)}, "context": {"kind": "none"}}
    torch.manual_seed(6)
    return untrained_model(TREES, KNOWN, **parts, dependencies=dependencies)


def test_the_encoders_vectors_can_give_the_same_scores(encoder: Path) -> None:
    context, direct = (over_encoder(encoder, input=kind).network for kind in ("context", "encoder"))
    project = context.project
    assert project is not None
    assert context.dependencies is not None
    assert direct.dependencies is not None
    state = context.state_dict()
    # What is linear in what is linear in the encoder's vectors.
    for name, value in direct.dependencies.state_dict().items():
        theirs = state[f"dependencies.{name}"]
        if value.shape != theirs.shape:
            state[f"dependencies.{name}"] = theirs @ project.weight
            bias = name.replace("weight", "bias") if name != "relations.left.weight" else "relations.right.bias"
            state[f"dependencies.{bias}"] = state[f"dependencies.{bias}"] + theirs @ project.bias
    direct.load_state_dict(state)
    batch = batch_of(over_encoder(encoder), list(range(len(TREES))))
    wanted, found = (network.eval().score(batch).dependencies for network in (context, direct))
    assert wanted is not None
    assert found is not None
    assert context.dependencies.relations.right.in_features == 2 * direct.dependencies.relations.right.in_features
    torch.testing.assert_close(found.heads, wanted.heads, atol=1e-4, rtol=1e-4)
    torch.testing.assert_close(found.universal_tags, wanted.universal_tags, atol=1e-4, rtol=1e-4)
    arcs = wanted.heads.argmax(dim=2)
    relations = [
        network.dependencies.relation_scores(scores, arcs)
        for network, scores in ((context, wanted), (direct, found))
        if network.dependencies is not None
    ]
    torch.testing.assert_close(relations[1], relations[0], atol=1e-4, rtol=1e-4)


def test_relations_have_the_width_that_they_are_given() -> None:
    for width, found in ((0, 24), (10, 10)):
        model = untrained_model(TREES, KNOWN, dependencies={"relation_width": width})
        assert scores_of(model, batch_of(model, [0])).relation_heads.shape[2] == found


def test_universal_tags_can_share_the_hidden_layer_of_the_tag_head() -> None:
    model = untrained_model(TREES, KNOWN, dependencies={"universal_tags": "shared"})
    network, batch = model.network.eval(), batch_of(model, [0, 1])
    scorer, tag_head = network.dependencies, network.tag_head
    assert scorer is not None
    assert tag_head is not None
    positions = network.contextualize(network.encode(batch), batch.word_counts, batch.treebanks)
    wanted = scorer.tags(tag_head.layers[:-1](positions))[:, 1:-1]
    assert wanted.shape[2] == len(model.vocabularies.universal_tags)
    torch.testing.assert_close(scores_of(model, batch).universal_tags, wanted)


def test_no_dependencies_are_scored_where_none_are_wanted() -> None:
    model = untrained_model(TREES, KNOWN)
    network, batch = model.network.eval(), batch_of(model, [0, 1])
    features = network.encode(batch)
    positions = network.contextualize(features, batch.word_counts, batch.treebanks)
    whole, trees = (
        network.score_positions(positions, batch.word_counts, features=features, dependencies=wanted)
        for wanted in (True, False)
    )
    assert whole.dependencies is not None
    assert trees.dependencies is None
    assert whole.left is not None
    assert trees.left is not None
    assert whole.left.equal(trees.left)
