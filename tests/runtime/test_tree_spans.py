from __future__ import annotations

import numpy as np
import pytest
import torch

from exported_networks import export_once
from runtime.conftest import TREES, run_graph, scores_of
from spanlin.decoding.tree_roles import all_spans, left_children
from spanlin.network.network import all_spans as torch_spans
from spanlin.network.network import left_children as torch_left_children
from spanlin.parser import Parser
from spanlin.runtime.backend import CONFIDENCE, LABEL_HALVES, TREE, Arrays, IntArray
from spanlin.runtime.tree_spans import label_spans, span_log_probs
from spanlin.training.checkpoint import Model

SENTENCES = [*(tree.words for tree in TREES[:12]), ["one"], ["two", "words"]]
COUNTS = np.array([len(words) for words in SENTENCES])
IS_SPLIT = np.arange(1, COUNTS.max()) < COUNTS[:, np.newaxis]
IS_SPAN = np.concatenate([IS_SPLIT, np.arange(COUNTS.max()) < COUNTS[:, np.newaxis]], axis=1)


def labels_of(parser: Parser, found: Arrays, *, owners: IntArray) -> tuple[IntArray, np.ndarray]:
    return label_spans(
        parser._runner.backend,
        COUNTS[owners],
        found["lefts"][owners],
        found["rights"][owners],
        owners=owners,
        halves=(found["label_lefts"], found["label_rights"]),
    )


def assert_labels_agree(parser: Parser) -> None:
    found = run_graph(parser, SENTENCES, (*TREE, *CONFIDENCE, *LABEL_HALVES))
    expected = np.concatenate([found["split_labels"], found["word_labels"]], axis=1)
    owners = np.array([*range(len(SENTENCES)), 3, 0, 3])
    labels, log_probs = labels_of(parser, found, owners=owners)
    assert (labels == expected[owners])[IS_SPAN[owners]].all()
    assert np.allclose(log_probs[IS_SPAN[owners]], found["label_log_probs"][owners][IS_SPAN[owners]], atol=1e-4)


def test_the_second_graph_labels_the_greedy_tree_as_the_first_does(exported: tuple[Model, Parser]) -> None:
    assert_labels_agree(exported[1])


def test_labels_by_linearization_are_a_second_graph_too(tmp_path_factory: pytest.TempPathFactory) -> None:
    exported = export_once("transformer", tmp_path_factory)
    assert exported.model.config.network.scorer.label_model == "linearization"
    assert_labels_agree(Parser.load(exported.folder))


def test_spans_are_labelled_in_any_portions(exported: tuple[Model, Parser], monkeypatch: pytest.MonkeyPatch) -> None:
    found = run_graph(exported[1], SENTENCES, (*TREE, *LABEL_HALVES))
    owners = np.arange(len(SENTENCES))
    together, _ = labels_of(exported[1], found, owners=owners)
    monkeypatch.setattr("spanlin.runtime.tree_spans.MOST_SPANS", 1)
    one_by_one, _ = labels_of(exported[1], found, owners=owners)
    assert (together == one_by_one).all()


def test_spans_are_as_sure_as_the_graph_says(exported: tuple[Model, Parser]) -> None:
    model, parser = exported
    found = run_graph(parser, SENTENCES, (*TREE, "span_log_probs", *scores_of(model)))
    owners = np.array([5, 5, *range(len(SENTENCES))])
    sides = {side: found.get(f"{side}_log_probs") for side in ("left", "right")}
    ours = span_log_probs(COUNTS[owners], found["lefts"][owners], found["rights"][owners], owners=owners, **sides)
    assert np.allclose(ours[IS_SPAN[owners]], found["span_log_probs"][owners][IS_SPAN[owners]], atol=1e-6)


def test_left_children_are_those_of_the_network(exported: tuple[Model, Parser]) -> None:
    found = run_graph(exported[1], SENTENCES, TREE)
    lefts, rights = found["lefts"], found["rights"]
    tensors = torch.from_numpy(lefts), torch.from_numpy(rights)
    edges = torch_spans(*tensors)
    assert all((ours == theirs.numpy()).all() for ours, theirs in zip(all_spans(lefts, rights), edges, strict=True))
    expected = torch_left_children(tensors[0], *edges, torch.from_numpy(COUNTS)).numpy()
    assert (left_children(COUNTS, lefts, rights) == expected)[IS_SPAN].all()
