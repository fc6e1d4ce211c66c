from __future__ import annotations

import copy
import dataclasses
from pathlib import Path

import numpy as np
import pytest
import torch

from runtime.conftest import TREES
from small_runs import splits_of, untrained_model
from spanlin.errors import CheckpointError, ConfigError
from spanlin.parser import Parser
from spanlin.training.checkpoint import Model
from spanlin.training.export import export_model
from spanlin.training.parsing import parse_sentences
from spanlin.trees.labelled import LabelledSplits, tree_from_splits
from spanlin.trees.tree import Tree


def torch_lines(model: Model, sentences: list[LabelledSplits]) -> list[str]:
    parses = parse_sentences(model, model.featurizer(sentences, has_tree=False), sentences)
    lines = []
    for parse in parses:
        assert parse.tags is not None
        tree = tree_from_splits(parse.splits._replace(tags=parse.tags))
        lines.append(str(tree if tree.label == "TOP" else Tree("TOP", (tree,))))
    return lines


def longer(count: int) -> LabelledSplits:
    """A sentence of so many words, far over the encoder's limit."""
    words = tuple(TREES[number % len(TREES)].words[0] for number in range(count))
    return LabelledSplits(words, ("",) * count, (), (), ())


def test_the_graph_gives_the_trees_that_torch_gives(model: Model, folder: Path) -> None:
    sentences = [*splits_of(TREES), longer(1), longer(2), longer(90), longer(200)]
    parser = Parser.load(folder)
    assert parser.brackets([sentence.words for sentence in sentences]) == torch_lines(model, sentences)


def test_batches_change_nothing(folder: Path) -> None:
    parser = Parser.load(folder, threads=2)
    sentences = [tree.words for tree in TREES]
    together = parser.brackets(sentences)
    assert [parser.brackets([words])[0] for words in sentences] == together
    assert parser.brackets(sentences, batch_tokens=60) == together


def test_int8_and_fp16_parse_every_word(model: Model, tmp_path: Path) -> None:
    sentences = [tree.words for tree in TREES]
    for precision in ("int8", "fp16"):
        made = export_model(model, tmp_path / precision, precision=precision)
        trees = Parser.load(made).parse_tokens(sentences)
        assert [tree.words for tree in trees if tree is not None] == sentences
    sizes = {name: (tmp_path / name / "graph.onnx").stat().st_size for name in ("int8", "fp16")}
    assert sizes["int8"] < sizes["fp16"] * 1.5


def test_torch_gives_the_same_trees_from_the_same_weights(model: Model, tmp_path: Path) -> None:
    # The folder's weights are bfloat16; a network whose own are so already loses nothing.
    rounded = copy.deepcopy(model.network)
    with torch.no_grad():
        for weight in rounded.parameters():
            weight.copy_(weight.bfloat16())
    made = export_model(dataclasses.replace(model, network=rounded), tmp_path / "both", with_weights=True)
    sentences = [*(tree.words for tree in TREES), longer(120).words, [], ["one"]]
    assert Parser.load(made, device="cpu").brackets(sentences) == Parser.load(made).brackets(sentences)


def test_a_folder_without_weights_has_nothing_for_torch(folder: Path) -> None:
    with pytest.raises(
        CheckpointError, match="exported without weights for torch: export it again with --with-weights"
    ):
        Parser.load(folder, device="cpu")


def test_a_device_that_is_not_there_is_an_error(folder: Path) -> None:
    with pytest.raises(ConfigError, match="device 'nowhere' cannot be used"):
        Parser.load(folder, device="nowhere")


def test_a_treebank_that_is_not_known_is_an_error(model: Model, tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="no treebank 'none'"):
        export_model(model, tmp_path / "x", treebank="none")
    assert not (tmp_path / "x").exists()


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({}, "only parsers over a BERT, RoBERTa or MPNet encoder"),
        ({"scorer": {"target": "right"}}, "only parsers over a BERT"),
    ],
)
def test_what_cannot_be_exported_says_so(changes: dict[str, object], message: str, tmp_path: Path) -> None:
    with pytest.raises(CheckpointError, match=message):
        export_model(untrained_model(TREES, **changes), tmp_path / "x")


def test_the_backend_gives_log_probabilities(folder: Path) -> None:
    parser = Parser.load(folder)
    words = TREES[0].words
    from spanlin.runtime.piece_rows import make_piece_rows

    rows = make_piece_rows([parser._features(words)], limit=parser.folder.piece_limit, width=max(2, len(words)))
    found = parser._backend.run(rows, np.array([len(words)]))
    total = np.exp(found.left_log_probs[0].astype(np.float64)).sum(axis=1)
    assert total == pytest.approx(np.ones(len(words)), abs=1e-4)
    assert (found.label_log_probs[0] <= 0).all()
    assert (found.tag_log_probs[0] <= 0).all()
