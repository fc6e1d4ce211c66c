"""A network as plain tensors says what the network itself says, whatever it is made of."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from generated_treebank import generate_trees
from small_runs import splits_of, untrained_model
from spanlin.network.batch import Batch
from spanlin.network.graph import ParserGraph
from spanlin.runtime.backend import TREE, graph_outputs
from spanlin.runtime.lexicon import PADDING, START, STOP
from spanlin.training.batches import BatchMaker
from spanlin.training.checkpoint import Model
from spanlin.training.export import parser_graph
from tiny_encoders import make_encoder

TREES = generate_trees(30, seed=5)
SPLITS = splits_of(TREES)
VARIANTS: dict[str, dict[str, Any]] = {
    "words and characters": {},
    "words alone": {"lexical": {"char_width": 0}},
    "characters alone": {"lexical": {"word_width": 0}, "scorer": {"target": "left"}},
    "a Transformer": {"context": {"kind": "transformer", "layers": 2}, "scorer": {"target": "right"}},
    "Kitaev and Klein's Transformer": {
        "context": {"kind": "transformer", "positions": "learned", "joint_norm": True, "attention_scale": "model"},
    },
    "graph layers": {"scorer": {"graph_layers": 2, "separate_boundaries": True}},
    "no softmax": {"scorer": {"normalization": "none", "separate_boundaries": True}},
    "labels by linearization": {"scorer": {"label_model": "linearization", "tag_head": False}},
    "a BiLSTM above an encoder": {"input": "pretrained", "scorer": {"label_input": "subtract"}},
}


def batch_of(model: Model, tags: list[tuple[str, ...]] | None = None) -> Batch:
    given = SPLITS if tags is None else [one._replace(tags=own) for one, own in zip(SPLITS, tags, strict=True)]
    return BatchMaker(model.featurizer(given, has_tree=False))(np.arange(len(SPLITS)))


def rows_of(batch: Batch) -> list[torch.Tensor]:
    """The arrays that a graph takes of a batch, but for the counts of words."""
    found: Any = batch.lexical or batch.pieces
    return [value for name, value in vars(found).items() if name != "tags"]


@torch.no_grad()
def check(model: Model, graph: ParserGraph, batch: Batch, rows: list[torch.Tensor]) -> dict[str, torch.Tensor]:
    """Compare all that is said of each sentence, and return it."""
    network = model.network.eval()
    found: dict[str, torch.Tensor] = graph.eval()(*rows, batch.word_counts)
    expected, scores = network(batch), network.score(batch)
    sides = {"left": scores.left is not None, "right": scores.right is not None}
    assert tuple(found) == graph_outputs(**sides)
    for row, count in enumerate(batch.word_counts.tolist()):
        for name in ("lefts", "rights", "split_labels"):
            assert found[name][row, : count - 1].equal(getattr(expected, name)[row, : count - 1])
        assert found["word_labels"][row, :count].equal(expected.word_labels[row, :count])
        if expected.tags is not None:
            assert found["tags"][row, :count].equal(expected.tags[row, :count])
    torch.testing.assert_close(found["label_log_probs"], expected.label_log_probs)
    for side in sides:
        if f"{side}_log_probs" in found:
            torch.testing.assert_close(found[f"{side}_log_probs"], getattr(scores, side))
    assert found["tags"].shape == found["tag_log_probs"].shape == found["word_labels"].shape
    assert (found["tag_log_probs"] <= 0).all()
    alone = graph(*rows, batch.word_counts, trees_only=True)
    assert tuple(alone) == TREE
    assert all(alone[name].equal(found[name]) for name in TREE)
    return found


@pytest.mark.parametrize("name", VARIANTS)
def test_a_graph_says_what_its_network_says(name: str, tmp_path: Path) -> None:
    changes = VARIANTS[name]
    if changes.get("input") == "pretrained":
        words = [word for tree in TREES for word in tree.words]
        changes = changes | {"pretrained": {"folder": str(make_encoder(tmp_path, words, limit=128, width=16))}}
    torch.manual_seed(2)
    model = untrained_model(TREES, **changes)
    batch = batch_of(model)
    found = check(model, parser_graph(model, None, treebank=""), batch, rows_of(batch))
    if model.network.tag_head is None:
        assert not found["tags"].any()


@pytest.mark.parametrize("tag_head", [True, False])
def test_a_network_that_reads_tags_is_given_those_of_its_tagger(tag_head: bool) -> None:
    torch.manual_seed(2)
    parser = untrained_model(TREES, lexical={"tag_width": 8, "word_width": 8}, scorer={"tag_head": tag_head})
    tagger = untrained_model(TREES[:9], context={"kind": "transformer"})  # it knows fewer words, characters and tags
    tagging = batch_of(tagger)
    with torch.no_grad():
        predicted = tagger.network.eval()(tagging).tags
    items = tagger.vocabularies.tags.items
    tags = [
        tuple(items[tag] for tag in row[: len(one.words)]) for row, one in zip(predicted.tolist(), SPLITS, strict=True)
    ]
    assert len(set().union(*tags)) > 2
    batch = batch_of(parser, tags)
    graph = parser_graph(parser, tagger, treebank="")
    found = check(parser, graph, batch, [*rows_of(batch), *rows_of(tagging)])
    if not tag_head:
        for row, one in enumerate(SPLITS):
            assert found["tags"][row, : len(one.words)].equal(predicted[row, : len(one.words)])


def test_tags_stand_between_the_edges_of_their_sentence() -> None:
    parser = untrained_model(TREES, lexical={"tag_width": 8})
    graph = parser_graph(parser, untrained_model(TREES), treebank="")
    assert graph.tag_ids is not None
    found = graph.tag_ids(torch.tensor([[0, 1, 2], [1, 0, 0]]), torch.tensor([3, 1]))
    ids = graph.tag_ids.ids.tolist()
    assert found.tolist() == [[START, ids[0], ids[1], ids[2], STOP], [START, ids[1], STOP, PADDING, PADDING]]
