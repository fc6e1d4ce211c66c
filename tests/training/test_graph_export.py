"""Every kind of network is exported, and its graphs say what it says in torch."""

from __future__ import annotations

import numpy as np
import onnx
import pytest
import torch

from exported_networks import KINDS, Exported, export_once, random_sentences, torch_lines
from runtime.conftest import run_graph
from spanlin.errors import CheckpointError
from spanlin.model_folder.folder import open_folder
from spanlin.network.graph import LabelGraph
from spanlin.parser import Parser
from spanlin.runtime.backend import CONFIDENCE, LABEL_HALVES, SCORES, TREE
from spanlin.runtime.sentences import Sentences
from spanlin.training.export import parser_graph
from spanlin.training.graph_export import reduce_precision

SENTENCES = [*random_sentences(24), *random_sentences(1, longest=1), ("dog",) * 2, random_sentences(1, seed=9)[0] * 4]
_SLOW = ("encoder", "deberta")


@pytest.fixture(
    scope="module", params=[pytest.param(kind, marks=[pytest.mark.slow] if kind in _SLOW else []) for kind in KINDS]
)
def exported(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Exported:
    return export_once(request.param, tmp_path_factory)


@pytest.fixture(scope="module")
def parser(exported: Exported) -> Parser:
    return Parser.load(exported.folder, threads=1)


def test_trees_are_those_of_torch_in_batches_and_alone(exported: Exported, parser: Parser) -> None:
    expected = torch_lines(exported, SENTENCES)
    assert len(set(expected)) > len(expected) // 2
    assert list(parser.bracket_lines(SENTENCES)) == expected
    assert list(parser.bracket_lines(SENTENCES, batch_tokens=10_000)) == expected
    assert [next(iter(parser.bracket_lines([words]))) for words in SENTENCES] == expected


@torch.no_grad()
def test_probabilities_and_scores_are_those_of_torch(exported: Exported, parser: Parser) -> None:
    outputs = [name for name in (*TREE, *CONFIDENCE, *SCORES, *LABEL_HALVES) if name in parser._runner.backend.outputs]
    sentences = [*random_sentences(9, longest=20), SENTENCES[-1]]
    found = run_graph(parser, sentences, outputs)
    rows, counts = Sentences(sentences, parser._runner._table).rows(np.arange(len(sentences)), multiple=1)
    graph = parser_graph(exported.model, exported.tagger, treebank="").eval()
    expected = graph(*map(torch.from_numpy, rows.arrays.values()), torch.from_numpy(counts))
    for name in outputs:
        for row, count in enumerate(counts.tolist()):
            own = (row, slice(count), slice(count)) if name in SCORES else (row, slice(count - 1))
            ours, theirs = found[name][own], expected[name][own].numpy()
            if name in TREE:
                assert ours.tolist() == theirs.tolist()
            else:
                np.testing.assert_allclose(ours, theirs, atol=2e-3 if name in LABEL_HALVES else 5e-4, rtol=1e-3)


@torch.no_grad()
def test_labels_of_any_span_are_those_of_torch(exported: Exported, parser: Parser) -> None:
    found = run_graph(parser, SENTENCES[:3], LABEL_HALVES)
    halves = [found[name][0][: 1 + len(SENTENCES[0])] for name in LABEL_HALVES]
    flags = np.random.default_rng(0).random((2, len(halves[0]))) < 0.5
    ours = parser._runner.backend.label(halves[0], halves[1], flags[0], flags[1])
    theirs = LabelGraph(exported.model.network)(*map(torch.from_numpy, (*halves, *flags)))
    np.testing.assert_allclose(ours, theirs.numpy(), atol=1e-4, rtol=1e-4)


def test_a_graph_has_each_weight_once_and_no_path(exported: Exported) -> None:
    graph = exported.folder / "graph.onnx"
    weights = sum(np.prod(item.dims) for item in onnx.load(graph).graph.initializer)
    networks = [one.network for one in (exported.model, exported.tagger) if one is not None]
    assert weights < 1.02 * sum(weight.numel() for network in networks for weight in network.parameters()) + 2000
    assert b".py" not in graph.read_bytes()


def test_the_precision_fp32_changes_nothing(exported: Exported) -> None:
    graph = exported.folder / "graph.onnx"
    before = graph.read_bytes()
    assert not reduce_precision(graph, "fp32")
    assert graph.read_bytes() == before


def test_torch_says_what_it_cannot_run(exported: Exported) -> None:
    if "network" in open_folder(exported.folder).details:
        pytest.skip("a network over an encoder that torch makes again")
    with pytest.raises(
        CheckpointError, match=r"torch cannot run .*: give its checkpoint instead, or leave out the device"
    ):
        Parser.load(exported.folder, device="cpu")
