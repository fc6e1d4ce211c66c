from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import torch

from generated_treebank import generate_trees
from oracles.naive_messages import pass_messages
from small_runs import splits_of, untrained_model
from spanlin.config.network import ScorerConfig
from spanlin.errors import ConfigError
from spanlin.network.loss import _structure_loss, gold_loss
from spanlin.network.message_passing import MessagePassing
from spanlin.network.network import SpanScores
from spanlin.training.batches import BatchMaker
from spanlin.training.checkpoint import Model

TREES = generate_trees(16, seed=3)
SIDES = ("left", "right", "both")


def model_with(layers: int, *, target: str = "both", random: bool = True, **changes: Any) -> Model:
    torch.manual_seed(1)
    model = untrained_model(TREES, scorer={"graph_layers": layers, "target": target, **changes})
    if random:  # what a layer adds is 0 at first
        for layer in model.network.graph_layers or ():
            for weight in layer.parameters():
                torch.nn.init.normal_(weight, std=0.2)
    model.network.eval()
    return model


def score(model: Model, rows: list[int]) -> SpanScores:
    batch = BatchMaker(model.featurizer(splits_of(TREES)))(np.array(rows))
    with torch.no_grad():
        return model.network.score(batch)


@pytest.mark.parametrize("target", SIDES)
def test_a_layer_does_what_messages_along_each_edge_do(target: str) -> None:
    model = model_with(1, target=target)
    layer = model.network.get_submodule("graph_layers.0")
    assert isinstance(layer, MessagePassing)
    plain = model_with(0, target=target)
    plain.network.load_state_dict(
        {name: value for name, value in model.network.state_dict().items() if not name.startswith("graph_layers")}
    )
    for row, tree in enumerate(TREES[:8]):
        before, after = score(plain, [row]), score(model, [row])
        sides = [None if side is None else side[0].exp() for side in (before.left, before.right)]
        assert len(after.earlier) == 1
        with torch.no_grad():
            lefts, rights = pass_messages(layer, before.left_edges[0], before.right_edges[0], *sides)
        count = len(tree.words)
        # No span has its left edge at the end or its right edge at the start.
        torch.testing.assert_close(after.left_edges[0, :count], lefts[:count], atol=1e-5, rtol=1e-4)
        torch.testing.assert_close(after.right_edges[0, 1:], rights[1:], atol=1e-5, rtol=1e-4)


@pytest.mark.parametrize("target", SIDES)
def test_padding_sends_no_messages(target: str) -> None:
    model = model_with(3, target=target)
    together = score(model, list(range(len(TREES))))
    for row, tree in enumerate(TREES):
        alone, count = score(model, [row]), len(tree.words)
        for name in ("left", "right"):
            one, many = getattr(alone, name), getattr(together, name)
            assert (one is None) == (target not in {name, "both"})
            if one is not None:
                torch.testing.assert_close(many[row, :count, :count], one[0], atol=1e-4, rtol=1e-3)


def test_a_new_network_scores_as_one_without_layers() -> None:
    model = model_with(2, random=False)
    scores = score(model, [0, 1, 2])
    for left, right in scores.earlier:
        torch.testing.assert_close(left, scores.left)
        torch.testing.assert_close(right, scores.right)
    after = score(model_with(2), [0, 1, 2])
    assert after.left is not None
    assert not after.earlier[0][0].equal(after.left)  # type: ignore[union-attr]


def test_the_loss_is_the_mean_over_the_scores_of_all_rounds() -> None:
    model = model_with(2)
    batch = BatchMaker(model.featurizer(splits_of(TREES)))(np.arange(6))
    assert batch.targets is not None
    scores = model.network.score(batch)
    is_word = torch.arange(scores.left.shape[1]) < batch.word_counts.unsqueeze(1)  # type: ignore[union-attr]
    rounds = [(scores.left, scores.right), *scores.earlier]
    losses = [
        _structure_loss(
            model.network,
            SpanScores(**{**vars(scores), "left": left, "right": right}),
            batch.targets,
            batch.word_counts,
            is_word,
        )
        for left, right in rounds
    ]
    wanted = (torch.stack(losses).mean(dim=0) / batch.word_counts).sum()
    found = gold_loss(model.network, scores, batch)
    torch.testing.assert_close(found.structure, wanted)
    torch.autograd.backward(found.total)
    assert model.network.graph_layers is not None
    assert all(weight.grad is not None for weight in model.network.graph_layers.parameters())


def test_messages_need_probabilities() -> None:
    with pytest.raises(ConfigError, match=r"graph_layers needs .*normalization = 'right-boundary'.*got 'none'"):
        ScorerConfig(graph_layers=1, normalization="none")
    with pytest.raises(ConfigError, match=r"network\.scorer\.graph_layers must not be negative, got -1"):
        ScorerConfig(graph_layers=-1)
