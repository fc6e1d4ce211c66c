from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
import torch

from generated_treebank import generate_treebank
from small_runs import small_config
from spanlin.config.training import TrainingConfig
from spanlin.errors import CheckpointError
from spanlin.model_folder.folder import open_folder
from spanlin.model_folder.tokenizer_check import check_tokenizer
from spanlin.network.encoders.native import native_from_folder
from spanlin.parser import Parser
from spanlin.runtime.pieces import WordPieces
from spanlin.training.checkpoint import new_model
from spanlin.training.data import load_data
from spanlin.training.encoder_pruning import prune_encoder
from spanlin.training.export import export_model
from spanlin.training.vocabulary import build_vocabularies
from tiny_encoders import Kind, make_encoder

WORDS = Counter({"parser": 9, "parsers": 5, "tree": 7, "trees": 2, "zebra": 1, "go": 3, "Going": 1})
RARE = ["parsing", "zebras", "xylophone"]


@pytest.fixture(scope="module", params=["bert", "mpnet"])
def folder(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    kind: Kind = request.param
    return make_encoder(tmp_path_factory.mktemp(kind), [*WORDS, *RARE], kind=kind, width=16, layers=1)


def vocabulary(folder: Path) -> dict[str, int]:
    table: dict[str, int] = json.loads((folder / "tokenizer.json").read_text())["model"]["vocab"]
    return table


def always(folder: Path) -> int:
    return sum(len(piece.removeprefix("##")) == 1 or piece[0] in "[<" for piece in vocabulary(folder))


def test_words_whose_pieces_are_kept_are_split_as_before(folder: Path, tmp_path: Path) -> None:
    most = always(folder) + 4
    pruned = prune_encoder(folder, tmp_path / "small", WORDS, most_pieces=most)
    old, new = vocabulary(folder), vocabulary(tmp_path / "small")
    assert pruned.kept == len(new) <= most
    assert pruned.before == len(old)
    names = {number: piece for piece, number in old.items()}
    new_names = {number: piece for piece, number in new.items()}
    before, after = WordPieces.from_folder(folder), WordPieces.from_folder(tmp_path / "small")
    same = 0
    for word, count in WORDS.items():
        pieces = [names[number] for number in before(word)]
        if new.keys() >= set(pieces):
            same += count
            assert [new_names[number] for number in after(word)] == pieces
        else:
            assert len(after(word)) > len(pieces)
    assert pruned.same_words == pytest.approx(same / WORDS.total())
    assert new_names[after.start] == names[before.start]
    assert new_names[after.stop] == names[before.stop]


def test_every_piece_keeps_its_vector(folder: Path, tmp_path: Path) -> None:
    prune_encoder(folder, tmp_path / "small", WORDS, most_pieces=always(folder) + 2)
    before, after = native_from_folder(folder), native_from_folder(tmp_path / "small")
    assert before is not None
    assert after is not None
    old, new = vocabulary(folder), vocabulary(tmp_path / "small")
    assert after.vocabulary_size == len(new)
    for piece, number in new.items():
        assert torch.equal(after.pieces.weight[number], before.pieces.weight[old[piece]])


def test_no_character_becomes_unknown(folder: Path, tmp_path: Path) -> None:
    prune_encoder(folder, tmp_path / "small", Counter(["go"]), most_pieces=always(folder))
    before, after = WordPieces.from_folder(folder), WordPieces.from_folder(tmp_path / "small")
    for word in [*WORDS, *RARE]:
        unknown = (before("☃")[0], after("☃")[0])
        assert (unknown[1] in after(word)) is (unknown[0] in before(word))


def test_with_every_piece_and_unit_the_encoder_is_the_same_function(folder: Path, tmp_path: Path) -> None:
    prune_encoder(folder, tmp_path / "same", Counter(WORDS) + Counter(RARE), most_pieces=10_000)
    pieces = torch.tensor([WordPieces.from_folder(folder)("parser")])
    again = torch.tensor([WordPieces.from_folder(tmp_path / "same")("parser")])
    outputs = []
    for path, ids in ((folder, pieces), (tmp_path / "same", again)):
        encoder = native_from_folder(path)
        assert encoder is not None
        outputs.append(encoder.eval()(ids, torch.ones_like(ids, dtype=torch.bool))[-1])
    assert torch.equal(*outputs)


def test_the_units_with_the_largest_weights_are_kept(folder: Path, tmp_path: Path) -> None:
    prune_encoder(folder, tmp_path / "small", WORDS, most_pieces=10_000, feed_forward_width=8)
    before, after = native_from_folder(folder), native_from_folder(tmp_path / "small")
    assert before is not None
    assert after is not None
    wide: Any = before.layers[0]
    narrow: Any = after.layers[0]
    sizes = [
        float((wide.widen.weight[unit].norm() * wide.narrow.weight[:, unit].norm()).detach())
        for unit in range(wide.widen.out_features)
    ]
    kept = sorted(sorted(range(len(sizes)), key=sizes.__getitem__)[-8:])
    assert torch.equal(narrow.widen.weight, wide.widen.weight[kept])
    assert torch.equal(narrow.widen.bias, wide.widen.bias[kept])
    assert torch.equal(narrow.narrow.weight, wide.narrow.weight[:, kept])


@pytest.mark.slow  # it exports a graph
def test_an_exported_folder_with_a_pruned_encoder_passes_its_checks(tmp_path: Path) -> None:
    train, dev = generate_treebank(tmp_path / "bank", train=20, dev=5)
    config: TrainingConfig = small_config(train, dev, epochs=1)
    data = load_data(config)
    sentences = data.treebanks[0].train.sentences
    words = Counter(word for sentence in sentences for word in sentence.words)
    source = make_encoder(tmp_path / "source", words, width=16, layers=1)
    prune_encoder(source, tmp_path / "small", words, most_pieces=always(source) + 5, feed_forward_width=8)
    check_tokenizer((tmp_path / "small/tokenizer.json").read_bytes(), "small")
    network = {
        "input": "pretrained",
        "pretrained": {"folder": str(tmp_path / "small")},
        "context": {"kind": "none", "width": 16},
    }
    config = small_config(train, dev, network=network, epochs=1)
    model = new_model(config, build_vocabularies(sentences, min_word_count=1, treebanks=["bank"]))
    export_model(model, tmp_path / "model", precision="int8")
    assert open_folder(tmp_path / "model").shape_step == len(vocabulary(tmp_path / "small"))
    (parsed,) = Parser.load(tmp_path / "model").parse_tokens([["xylophone", "☃", "Going"]])
    assert parsed.words == ("xylophone", "☃", "Going")


@pytest.mark.parametrize(
    ("pieces", "width", "message"),
    [
        (3, 0, "most_pieces is 3, but .* are special or single characters"),
        (1000, 32, "feed_forward_width must be from 1 to 31, got 32"),
    ],
)
def test_sizes_that_cannot_be_are_errors(folder: Path, tmp_path: Path, pieces: int, width: int, message: str) -> None:
    with pytest.raises(CheckpointError, match=message):
        prune_encoder(folder, tmp_path / "small", WORDS, most_pieces=pieces, feed_forward_width=width)


def test_only_word_pieces_can_be_pruned(tmp_path: Path) -> None:
    source = make_encoder(tmp_path / "source", WORDS, kind="roberta", width=16, layers=1)
    with pytest.raises(CheckpointError, match="not a WordPiece tokenizer"):
        prune_encoder(source, tmp_path / "small", WORDS, most_pieces=100)


def test_a_folder_without_files_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(CheckpointError, match=r"config\.json: cannot be read"):
        prune_encoder(tmp_path, tmp_path / "small", WORDS, most_pieces=100)
