from __future__ import annotations

import copy
import dataclasses
import json
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import onnx
import pytest

from exported_networks import copy_graphs
from runtime.conftest import TREES, run_graph, scores_of
from small_runs import splits_of, untrained_model
from spanlin.errors import CheckpointError, ConfigError, SpanlinError
from spanlin.parser import Parser
from spanlin.runtime.backend import CONFIDENCE, TREE
from spanlin.runtime.onnx import OnnxBackend
from spanlin.runtime.options import ParseOptions
from spanlin.training import export
from spanlin.training.checkpoint import Model
from spanlin.training.export import export_model
from spanlin.training.parsing import parse_sentences
from spanlin.trees.labelled import LabelledSplits, tree_from_splits
from spanlin.trees.transforms import add_root


def torch_lines(model: Model, sentences: list[LabelledSplits]) -> list[str]:
    parses = parse_sentences(model, model.featurizer(sentences, has_tree=False), sentences)
    lines = []
    for parse in parses:
        assert parse.tags is not None
        lines.append(str(add_root(tree_from_splits(parse.splits._replace(tags=parse.tags)))))
    return lines


def longer(count: int) -> LabelledSplits:
    """A sentence of so many words, far over the encoder's limit."""
    words = tuple(TREES[number % len(TREES)].words[0] for number in range(count))
    return LabelledSplits(words, ("",) * count, (), (), ())


def matrices(graph: Path) -> list[np.ndarray]:
    """All matrices of weights in a graph."""
    weights = onnx.load(graph).graph.initializer
    return [onnx.numpy_helper.to_array(weight) for weight in weights if len(weight.dims) == 2]


def test_the_graph_gives_the_trees_that_torch_gives(model: Model, folder: Path) -> None:
    sentences = [*splits_of(TREES), longer(1), longer(2), longer(90), longer(200)]
    parser = Parser.load(folder)
    assert list(parser.bracket_lines([sentence.words for sentence in sentences])) == torch_lines(model, sentences)


def test_a_graph_does_not_tell_where_it_was_made(folder: Path) -> None:
    for name in ("graph.onnx", "labels.onnx"):
        content = (folder / name).read_bytes()
        assert b".py" not in content
        assert b"stack_trace" not in content


def test_batches_change_nothing(folder: Path) -> None:
    parser = Parser.load(folder, threads=2)
    sentences = [tree.words for tree in TREES]
    together = list(parser.bracket_lines(sentences))
    assert [next(iter(parser.bracket_lines([words]))) for words in sentences] == together
    assert list(parser.bracket_lines(sentences, batch_tokens=60)) == together


def test_int8_and_fp16_parse_every_word(
    model: Model, folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    copy_graphs(folder, monkeypatch)
    sentences = [tree.words for tree in TREES]
    for precision in ("int8", "fp16"):
        made = export_model(model, tmp_path / precision, precision=precision)
        parses = Parser.load(made).parse_tokens(sentences)
        assert [parsed.tree.words for parsed in parses] == sentences
    # Of so small a graph the weights are the lesser part, so the file's size says little.
    int8, fp16 = (matrices(tmp_path / precision / "graph.onnx") for precision in ("int8", "fp16"))
    count = sum(matrix.size for matrix in fp16)
    assert count > 20_000
    assert sum(matrix.nbytes for matrix in fp16) == 2 * count
    assert count <= sum(matrix.nbytes for matrix in int8) <= 1.1 * count


def test_torch_gives_the_same_trees_from_the_same_weights(folder_with_weights: Path) -> None:
    made = folder_with_weights
    sentences = [*(tree.words for tree in TREES), longer(120).words, [], ["one"]]
    in_torch, in_onnx = Parser.load(made, device="cpu"), Parser.load(made)
    assert list(in_torch.bracket_lines(sentences)) == list(in_onnx.bracket_lines(sentences))
    other = [
        parser.parse_tokens(sentences, ParseOptions(decoder="minimum-risk", root_label="NP"))
        for parser in (in_torch, in_onnx)
    ]
    assert [parsed.brackets() for parsed in other[0]] == [parsed.brackets() for parsed in other[1]]


def test_a_device_that_is_not_there_is_an_error(folder: Path) -> None:
    with pytest.raises(ConfigError, match="device 'nowhere' cannot be used"):
        Parser.load(folder, device="nowhere")


def test_a_treebank_that_is_not_known_is_an_error(model: Model, tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="no treebank 'none'"):
        export_model(model, tmp_path / "x", treebank="none")
    assert not (tmp_path / "x").exists()


def test_a_tokenizer_that_no_parser_loads_is_an_error_on_export(model: Model, tmp_path: Path) -> None:
    pieces = copy.copy(model.featurizer.pieces)
    assert pieces is not None
    table = json.loads(pieces.text)
    table["pre_tokenizer"] = {
        "type": "Split",
        "pattern": {"Regex": "(a+)+$"},
        "behavior": "Isolated",
        "invert": False,
    }
    pieces.text = json.dumps(table)
    featurizer = copy.copy(model.featurizer)
    featurizer.pieces = pieces
    odd = dataclasses.replace(model, featurizer=featurizer)
    with pytest.raises(CheckpointError, match=r"x/tokenizer\.json: its regular expression .* may never end"):
        export_model(odd, tmp_path / "x")
    assert not (tmp_path / "x").exists()


def test_a_graph_that_no_parser_loads_is_an_error_on_export(
    model: Model, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def write_nothing(_: object, path: Path) -> None:
        path.write_bytes(b"....ORTM")

    monkeypatch.setattr(export, "write_parser_graph", write_nothing)
    monkeypatch.setattr(export, "write_label_graph", write_nothing)
    monkeypatch.setattr(export, "_weight_details", lambda *_: {})
    with pytest.raises(CheckpointError) as caught:
        export_model(model, tmp_path / "x")
    assert str(caught.value).startswith(f"{tmp_path / 'x' / 'graph.onnx'}: cannot be loaded: ")
    assert not (tmp_path / "x").exists()


PER_SPAN = {"scorer": {"normalization": "span", "target": "left"}}
READS_TAGS = {"lexical": {"tag_width": 8}}
NO_TAGS = {"scorer": {"tag_head": False}}


@pytest.mark.parametrize(
    ("changes", "tagger", "message"),
    [
        (PER_SPAN, None, "normalization = 'span' has no greedy trees.*: train it with 'right-boundary'"),
        (READS_TAGS, None, r"reads tags \(tag_width\): give the checkpoint of a tagger with --tagger"),
        (READS_TAGS, NO_TAGS, r"the tagger predicts no tags \(tag_head is off\): give another"),
        (READS_TAGS, READS_TAGS, "the tagger reads tags itself: give another"),
        ({}, {}, "reads no tags and gives its own: leave out the tagger"),
    ],
)
def test_what_cannot_be_exported_says_so(
    changes: dict[str, Any], tagger: dict[str, Any] | None, message: str, tmp_path: Path
) -> None:
    model = untrained_model(TREES, **changes)
    with pytest.raises(CheckpointError, match=message) as caught:
        export_model(model, tmp_path / "x", tagger=None if tagger is None else untrained_model(TREES, **tagger))
    assert "\n" not in str(caught.value)
    assert not (tmp_path / "x").exists()


def test_weights_for_torch_go_with_an_encoder_alone(tmp_path: Path) -> None:
    with pytest.raises(CheckpointError, match=r"weights for torch .* encoder only: leave out --with-weights"):
        export_model(untrained_model(TREES), tmp_path / "x", with_weights=True)
    assert not (tmp_path / "x").exists()


def test_every_target_is_exported(exported: tuple[Model, Parser]) -> None:
    made, parser = exported
    sentences = [*splits_of(TREES), longer(1), longer(90)]
    assert list(parser.bracket_lines([sentence.words for sentence in sentences])) == torch_lines(made, sentences)
    found = run_graph(parser, [list(TREES[0].words)], (*CONFIDENCE, *scores_of(made)))
    for name in scores_of(made):
        total = np.exp(found[name][0].astype(np.float64)).sum(axis=1)
        assert total == pytest.approx(np.ones(len(TREES[0].words)), abs=1e-4)
    for name in CONFIDENCE:
        assert (found[name] <= 0).all()


def test_a_span_is_as_sure_as_the_boundary_that_makes_it(exported: tuple[Model, Parser]) -> None:
    made, parser = exported
    longest = max((tree.words for tree in TREES), key=len)
    words = list(longest)
    found = run_graph(parser, [words], (*TREE, "span_log_probs", *scores_of(made)))
    count = len(words)
    divided = {split + 1: (int(found["lefts"][0, split]), int(found["rights"][0, split])) for split in range(count - 1)}
    expected: dict[tuple[int, int], float | None] = {(0, count): 0.0}
    for split, (left, right) in divided.items():
        by_left = by_right = None
        if "left_log_probs" in found:
            by_left = found["left_log_probs"][0, split - 1, left]
        if "right_log_probs" in found:
            by_right = found["right_log_probs"][0, split, right - 1]
        expected[left, split] = by_right if by_left is None else by_left
        expected[split, right] = by_left if by_right is None else by_right
    spans = [*divided.values(), *((place, place + 1) for place in range(count))]
    assert found["span_log_probs"][0] == pytest.approx([expected[span] for span in spans], abs=1e-6)


@pytest.mark.parametrize(
    "reason", ["bfc_arena.cc:360 Failed to allocate memory for requested buffer of size 9", "std::bad_alloc"]
)
def test_a_sentence_that_memory_is_too_small_for_is_told(
    folder: Path, reason: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def run(*_: Any) -> None:
        raise RuntimeError(reason)

    parser = Parser.load(folder)
    assert isinstance(parser.backend, OnnxBackend)
    monkeypatch.setattr(parser.backend, "_session", SimpleNamespace(run=run))
    with pytest.raises(SpanlinError, match=r"^a sentence of 1,200 words needs more memory than there is: split it$"):
        parser.parse_tokens([["a"] * 1200])
