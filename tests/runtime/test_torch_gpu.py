"""The torch runtime, on a GPU as on a CPU: shapes recorded or not, long sentences, several threads.

No ONNX graph is needed for it, so none is made here. On a GPU the network runs in bfloat16; where exact trees are
compared it is put back to fp32 before its first batch, so that recordings and batches are all that differs.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from safetensors.torch import save_file

from generated_treebank import generate_treebank, generate_trees
from runtime.conftest import LIMIT, TREES
from small_runs import random_dependencies, small_config, splits_of, untrained_model
from spanlin.model_folder.folder import TOKENIZER, WEIGHTS, ModelFolder
from spanlin.parser import Parser
from spanlin.runtime.backend import SCORES, TREE
from spanlin.runtime.options import ParseOptions
from spanlin.runtime.sentences import Sentences
from spanlin.runtime.torch import TorchBackend
from spanlin.training import loop
from spanlin.training.checkpoint import CHECKPOINT, Model, load_model, save_model, write_folder
from spanlin.trees.brackets import read_trees
from tiny_encoders import make_encoder

GPU = (pytest.mark.gpu, pytest.mark.skipif(not torch.cuda.is_available(), reason="no GPU"))
DEVICES = ["cpu", pytest.param("cuda", marks=GPU)]
WORDS = sorted({word for tree in TREES for word in tree.words})
SENTENCES = [
    *(list(tree.words) for tree in (*TREES, *generate_trees(200, seed=8))),
    [],
    ["one"],
    # Over the encoder's limit: rows are windows, and their batches are never recorded.
    *(
        [WORDS[(start + 7 * place) % len(WORDS)] for place in range(count)]
        for start, count in enumerate((60, 120, 300))
    ),
]
Load = Callable[..., Parser]


def folder_with_weights(model: Model, path: Path) -> ModelFolder:
    """What an export with weights has for torch."""
    assert model.network.pretrained is not None
    assert model.featurizer.pieces is not None
    (path / TOKENIZER).write_text(model.featurizer.pieces.text, encoding="utf-8")
    save_file({name: value.bfloat16() for name, value in model.network.state_dict().items()}, path / WEIGHTS)
    encoder: Any = model.network.pretrained.model
    return ModelFolder(
        path=path,
        precision="fp32",
        piece_limit=model.network.pretrained.limit,
        shape_step=model.network.pretrained.shape_step,
        labels=model.vocabularies.labels.items,
        tags=model.vocabularies.tags.items,
        details={
            "treebank": "",
            "treebanks": list(model.vocabularies.treebanks.items),
            "network": dataclasses.asdict(model.network.config),
            "encoder": encoder.config_table(),
        },
    )


@pytest.fixture(scope="module")
def opened(model: Model, tmp_path_factory: pytest.TempPathFactory) -> ModelFolder:
    found = folder_with_weights(model, tmp_path_factory.mktemp("weights"))
    assert found.piece_limit == LIMIT
    return found


def exact(parser: Parser) -> Parser:
    """The parser in fp32, whatever its device, which records every shape as soon as it comes again."""
    backend = parser._runner.backend
    assert isinstance(backend, TorchBackend)
    if backend._recorder is not None:
        backend._recorder.rest = 0.0
    torch.set_float32_matmul_precision("highest")  # no TF32; training may have asked for it
    backend._graph.float()
    backend._dtype = torch.float32
    return parser


def recorded(parser: Parser) -> int:
    backend = parser._runner.backend
    assert isinstance(backend, TorchBackend)
    return 0 if backend._recorder is None else len(backend._recorder)


@pytest.fixture(scope="module")
def wanted(opened: ModelFolder) -> list[str]:
    """The trees of the CPU, a sentence at a time."""
    parser = Parser.from_folder(opened, device="cpu")
    return [next(iter(parser.bracket_lines([words]))) for words in SENTENCES]


@pytest.mark.parametrize("device", DEVICES)
def test_trees_are_those_of_the_cpu_whatever_the_batch(device: str, opened: ModelFolder, wanted: list[str]) -> None:
    parser = exact(Parser.from_folder(opened, device=device))
    for tokens in (40, 200, 1000, 32_768):
        for turn in range(3):  # seen once, then recorded, then replayed
            assert list(parser.bracket_lines(SENTENCES, batch_tokens=tokens)) == wanted, (tokens, turn)
    for turn in range(3):
        assert [next(iter(parser.bracket_lines([words]))) for words in SENTENCES] == wanted, turn
    assert (recorded(parser) > 5) == (device == "cuda")


@pytest.mark.parametrize("device", DEVICES)
def test_trees_are_the_same_in_any_order_and_from_a_stream(device: str, opened: ModelFolder, wanted: list[str]) -> None:
    parser = exact(Parser.from_folder(opened, device=device))
    for seed in range(3):
        order = np.random.default_rng(seed).permutation(len(SENTENCES))
        shuffled = [SENTENCES[number] for number in order]
        assert list(parser.bracket_lines(shuffled)) == [wanted[number] for number in order]
        assert list(parser.bracket_lines(iter(shuffled))) == [wanted[number] for number in order]


@pytest.mark.parametrize("device", DEVICES)
def test_several_threads_get_their_own_trees(device: str, opened: ModelFolder, wanted: list[str]) -> None:
    parser = exact(Parser.from_folder(opened, device=device))

    def parse(seed: int) -> bool:
        generator = np.random.default_rng(seed)
        for _ in range(12):
            numbers = generator.integers(len(SENTENCES), size=int(generator.integers(1, 40)))
            found = list(parser.bracket_lines([SENTENCES[number] for number in numbers]))
            if found != [wanted[number] for number in numbers]:
                return False
        return True

    with ThreadPoolExecutor(8) as pool:
        assert all(pool.map(parse, range(16)))


@pytest.mark.parametrize("device", DEVICES)
def test_other_decoders_and_probabilities_are_those_of_the_cpu(device: str, opened: ModelFolder) -> None:
    sentences = [words for words in SENTENCES if len(words) < LIMIT]
    parsers = [Parser.from_folder(opened, device="cpu"), exact(Parser.from_folder(opened, device=device))]
    for _ in range(3):
        one, two = (parser.parse_tokens(sentences, ParseOptions(decoder="cky", root_label="NP")) for parser in parsers)
        assert [parsed.brackets() for parsed in one] == [parsed.brackets() for parsed in two]
    one, two = (parser.parse_tokens(sentences) for parser in parsers)
    for first, second in zip(one, two, strict=True):
        probabilities = [[found.probability for found in parsed.constituents()] for parsed in (first, second)]
        assert probabilities[0] == pytest.approx(probabilities[1], abs=1e-4)


@pytest.mark.parametrize("device", DEVICES)
def test_a_recording_of_a_larger_batch_gives_only_the_rows_asked_for(device: str, opened: ModelFolder) -> None:
    """A batch that is not full is filled up to a power of two; the rows that fill it are nobody's."""
    parsers = [Parser.from_folder(opened, device="cpu"), exact(Parser.from_folder(opened, device=device))]
    alike = [words for words in SENTENCES if len(words) == 6]
    rows, _ = Sentences(alike, parsers[0]._runner._table).rows(np.arange(len(alike)), multiple=8)
    # The longest in pieces comes first, so that all batches have its length.
    sentences = [alike[number] for number in np.argsort(-rows.arrays["piece_counts"])][:7]
    assert len(sentences) == 7
    # The decoder's scores too, which are kept only by a recording that was asked for them.
    names = [*TREE, *(name for name in SCORES if name in parsers[0]._runner.backend.outputs)]
    for count in (5, 5, 5, 7, 6, 8, 1):
        chosen = (sentences * 2)[:count]
        found = []
        for parser in parsers:
            rows, counts = Sentences(chosen, parser._runner._table).rows(np.arange(count), multiple=8)
            found.append(parser._runner.backend.run(rows, counts, names))
        for name in names:
            assert found[1][name].shape == found[0][name].shape
            np.testing.assert_allclose(found[1][name], found[0][name], atol=1e-3)
    assert recorded(parsers[1]) == (1 if device == "cuda" else 0)


@pytest.mark.gpu
@pytest.mark.skipif(not torch.cuda.is_available(), reason="no GPU")
def test_in_bfloat16_a_trained_parser_gives_nearly_all_trees_of_fp32(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(loop, "draw_curves", lambda folder: folder)  # there may be no matplotlib
    treebank = generate_treebank(tmp_path / "treebank", train=800, dev=200)
    words = [word for tree in read_trees(treebank[0]) for word in tree.words]
    encoder = make_encoder(tmp_path / "encoder", words)
    network = {"input": "pretrained", "pretrained": {"folder": str(encoder)}, "context": {"kind": "none"}}
    config = small_config(*treebank, network=network, epochs=12, optimizer={"rate": 2e-3}, batch={"sentences": 24})
    model = load_model(loop.train(config, tmp_path / "run", device="cuda").best)
    (tmp_path / "model").mkdir()
    opened = folder_with_weights(model, tmp_path / "model")
    sentences = [tree.words for tree in read_trees(treebank[1])]
    fp32 = list(Parser.from_folder(opened, device="cpu").bracket_lines(sentences))
    parser = Parser.from_folder(opened, device="cuda")
    turns = [list(parser.bracket_lines(sentences)) for _ in range(3)]
    assert turns[1] == turns[2], "a replay gives what the recording gave"
    alone = [next(iter(parser.bracket_lines([words]))) for words in sentences]
    for found in (*turns, alone):
        assert sum(one == two for one, two in zip(found, fp32, strict=True)) >= 0.95 * len(fp32)


@pytest.mark.parametrize("device", DEVICES)
def test_dependencies_are_those_of_the_cpu(device: str, tmp_path: Path) -> None:
    """Those of random weights are seldom trees, so that rows are fetched from the device again and again."""
    encoder = make_encoder(tmp_path / "encoder", WORDS, limit=LIMIT, width=16, layers=1)
    changes = {"universal_tags": "shared", "input": "encoder", "relation_width": 12}
    joint = untrained_model(
        TREES,
        random_dependencies(splits_of(TREES), seed=1),
        input="pretrained",
        pretrained={"folder": str(encoder)},
        context={"kind": "none"},
        dependencies=changes,
    )
    write_folder(tmp_path / "best", lambda new: save_model(new, joint), CHECKPOINT)
    parsers = [Parser.load(tmp_path / "best", device="cpu"), exact(Parser.load(tmp_path / "best", device=device))]
    sentences = SENTENCES[:120]
    for _ in range(3):  # seen once, then recorded, then replayed
        one, two = (parser.parse_tokens(sentences) for parser in parsers)
        for first, second in zip(one, two, strict=True):
            same = (first.heads, first.relations, first.universal_tags)
            assert (second.heads, second.relations, second.universal_tags) == same
