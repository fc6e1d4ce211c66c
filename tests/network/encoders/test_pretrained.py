from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
import torch
import transformers
from numpy.typing import NDArray
from torch import Tensor

from spanlin.config.network import PretrainedConfig
from spanlin.errors import CheckpointError
from spanlin.network.batch import PieceInput
from spanlin.network.encoders.native import NativeEncoder
from spanlin.network.encoders.pretrained import PretrainedEncoder, load_pretrained
from spanlin.runtime.piece_rows import make_piece_rows
from tiny_encoders import KINDS, Kind, make_encoder

LIMIT = 12
WORDS = [f"{first}{second}" for first in "abcdef" for second in "uvwxyz"]
SIZES = {
    "model_type": "bert",
    "vocab_size": 9,
    "hidden_size": 4,
    "num_hidden_layers": 1,
    "num_attention_heads": 1,
    "intermediate_size": 4,
    "max_position_embeddings": 9,
}
Folders = dict[Kind, Path]


@pytest.fixture(scope="module")
def folders(tmp_path_factory: pytest.TempPathFactory) -> Folders:
    root = tmp_path_factory.mktemp("encoders")
    return {kind: make_encoder(root / kind, WORDS, kind=kind, limit=LIMIT, width=16) for kind in KINDS}


def encoder_of(folder: Path, **changes: object) -> PretrainedEncoder:
    config = PretrainedConfig(folder=str(folder), **changes)  # type: ignore[arg-type]
    return PretrainedEncoder(config, load_pretrained(folder, drop_layers=config.drop_layers)).eval()


def pieces_of(counts: list[int], *, seed: int = 0, limit: int = LIMIT) -> PieceInput:
    """Random sentences of so many pieces, one a position."""
    random = np.random.default_rng(seed)
    sentences = []
    for count in counts:
        words = np.arange(1, count - 1)
        sentences.append((random.integers(4, 16, count), words, words))
    made = make_piece_rows(sentences, limit=limit, width=max(counts) - 2)
    return PieceInput(
        pieces=torch.from_numpy(made.pieces),
        piece_counts=torch.from_numpy(made.piece_counts),
        first_pieces=torch.from_numpy(made.first_pieces),
        last_pieces=torch.from_numpy(made.last_pieces),
    )


@pytest.mark.parametrize("kind", KINDS)
def test_an_encoder_takes_exactly_as_many_pieces_as_it_can_hold(kind: Kind, folders: Folders) -> None:
    encoder = encoder_of(folders[kind])
    assert encoder.limit == LIMIT
    batch = pieces_of([LIMIT])
    mask = torch.ones_like(batch.pieces, dtype=torch.bool)
    assert encoder.encode(batch.pieces, mask).shape == (1, LIMIT, 16)
    if kind != "deberta":  # its positions are relative and end nowhere
        too_many = pieces_of([LIMIT + 1], limit=LIMIT + 1)
        with pytest.raises((IndexError, RuntimeError)):
            encoder.encode(too_many.pieces, torch.ones_like(too_many.pieces, dtype=torch.bool))


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("count", [LIMIT + 1, LIMIT + 5, 2 * LIMIT, 5 * LIMIT + 3])
def test_sentences_over_the_limit_are_read_in_windows(kind: Kind, count: int, folders: Folders) -> None:
    encoder = encoder_of(folders[kind], mix_layers=True)
    batch = pieces_of([count, 3])
    assert len(batch.pieces) > 2
    assert batch.pieces.shape[1] <= LIMIT
    found = encoder(batch)
    assert found.shape == (2, count, 16)
    found[0].sum().backward()
    assert found.isfinite().all()
    assert all(weight.grad.isfinite().all() for weight in encoder.parameters() if weight.grad is not None)
    assert any(weight.grad is not None and weight.grad.any() for weight in encoder.parameters())


@pytest.mark.parametrize("kind", KINDS)
def test_a_short_sentence_beside_a_long_one_is_read_as_if_alone(kind: Kind, folders: Folders) -> None:
    encoder = encoder_of(folders[kind])
    counts = [4 * LIMIT, 2 * LIMIT + 1, LIMIT + 1, LIMIT, LIMIT - 1, 3]
    random = np.random.default_rng(0)
    sentences = []
    for count in counts:
        words = np.arange(1, count - 1)
        sentences.append((random.integers(4, 16, count), words, words))

    def encoded(chosen: list[tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]]) -> Tensor:
        made = make_piece_rows(chosen, limit=LIMIT, width=max(len(first) for _, first, _ in chosen))
        arrays = {name: torch.from_numpy(array) for name, array in vars(made).items()}
        found: Tensor = encoder(PieceInput(**arrays))
        return found

    together = encoded(sentences)
    for row, count in enumerate(counts):
        torch.testing.assert_close(together[row, :count], encoded([sentences[row]])[0], atol=1e-5, rtol=1e-4)


def test_a_word_is_its_first_last_or_mean_piece(folders: Folders) -> None:
    pieces = pieces_of([7])
    words = PieceInput(
        pieces=pieces.pieces,
        piece_counts=pieces.piece_counts,
        first_pieces=torch.tensor([[0, 1, 4, 6]]),
        last_pieces=torch.tensor([[0, 3, 5, 6]]),
    )
    hidden = encoder_of(folders["bert"])(pieces)[0]
    found = {piece: encoder_of(folders["bert"], piece=piece)(words)[0] for piece in ("first", "last", "mean")}
    torch.testing.assert_close(found["first"], hidden[[0, 1, 4, 6]])
    torch.testing.assert_close(found["last"], hidden[[0, 3, 5, 6]])
    means = torch.stack([hidden[0], hidden[1:4].mean(dim=0), hidden[4:6].mean(dim=0), hidden[6]])
    torch.testing.assert_close(found["mean"], means, atol=1e-5, rtol=1e-5)


def test_a_layer_mix_is_the_softmax_of_its_weights(folders: Folders) -> None:
    encoder = encoder_of(folders["bert"], mix_layers=True)
    assert encoder.layer_weights is not None
    assert encoder.layer_weights.shape == (3,)  # the embeddings and two layers
    with torch.no_grad():
        encoder.layer_weights.copy_(torch.tensor([-100.0, -100.0, 100.0]))
    batch = pieces_of([6])
    torch.testing.assert_close(encoder(batch), encoder_of(folders["bert"])(batch))
    with torch.no_grad():
        encoder.layer_weights.zero_()
    assert not encoder(batch).allclose(encoder_of(folders["bert"])(batch))


@pytest.mark.parametrize("kind", KINDS)
def test_topmost_layers_can_be_left_out(kind: Kind, folders: Folders) -> None:
    whole = load_pretrained(folders[kind]).eval()
    shorter = load_pretrained(folders[kind], drop_layers=1).eval()
    batch = pieces_of([6])
    mask = torch.ones_like(batch.pieces, dtype=torch.bool)
    layers = whole(batch.pieces, mask)
    assert len(layers) == 3  # the embeddings and two layers
    torch.testing.assert_close(shorter(batch.pieces, mask), layers[:2])


@pytest.mark.parametrize("kind", KINDS)
def test_an_encoder_is_the_same_function_as_in_transformers(kind: Kind, folders: Folders) -> None:
    model = transformers.AutoModel.from_pretrained(folders[kind]).eval()
    batch = pieces_of([11, 3, 7])
    mask = torch.arange(11) < batch.piece_counts.unsqueeze(1)
    pieces = torch.where(mask, batch.pieces, model.config.pad_token_id)
    wanted = model(input_ids=pieces, attention_mask=mask.long(), output_hidden_states=True).hidden_states
    found = load_pretrained(folders[kind]).eval()(batch.pieces, mask)
    assert len(found) == len(wanted)
    for one, other in zip(found, wanted, strict=True):
        torch.testing.assert_close(one[mask], other[mask], atol=1e-5, rtol=1e-4)


@pytest.mark.parametrize("drop", [2, 7])
def test_dropping_every_layer_is_an_error(drop: int, folders: Folders) -> None:
    with pytest.raises(CheckpointError, match=f"cannot drop {drop} of 2 layers"):
        load_pretrained(folders["bert"], drop_layers=drop)


def test_a_folder_without_an_encoder_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(CheckpointError, match=r"no config\.json here; give a local transformers folder"):
        load_pretrained(tmp_path)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("{", "not JSON"),
        (json.dumps([]), "not a table of settings"),
        (json.dumps({"model_type": "no-such-kind"}), "cannot be loaded"),
        (json.dumps({"hidden_size": 4}), "cannot be loaded"),
        (json.dumps({"model_type": "bert", "hidden_size": 4}), "missing"),
        (json.dumps(SIZES | {"hidden_act": "relu"}), "only hidden_act 'gelu' and absolute positions are known"),
    ],
)
def test_a_folder_with_a_damaged_configuration_is_an_error_of_one_line(text: str, message: str, tmp_path: Path) -> None:
    (tmp_path / "config.json").write_text(text)
    with pytest.raises(CheckpointError, match=message) as caught:
        load_pretrained(tmp_path)
    assert str(tmp_path) in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("damage", ["missing", "truncated", "other"])
def test_a_folder_without_its_weights_is_an_error(damage: str, kind: Kind, folders: Folders, tmp_path: Path) -> None:
    table = json.loads((folders[kind] / "config.json").read_text())
    weights = (folders[kind] / "model.safetensors").read_bytes()
    if damage == "truncated":
        (tmp_path / "model.safetensors").write_bytes(weights[:1000])
    elif damage == "other":
        (tmp_path / "model.safetensors").write_bytes(weights)
        table["hidden_size"] *= 2
    (tmp_path / "config.json").write_text(json.dumps(table))
    with pytest.raises(CheckpointError, match=r"cannot be (read|loaded)|do not fit config\.json") as caught:
        load_pretrained(tmp_path)
    assert str(tmp_path) in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("kind", KINDS)
def test_a_words_shape_is_added_to_its_pieces(kind: Kind, folders: Folders) -> None:
    plain = encoder_of(folders[kind], shapes=False)
    told = encoder_of(folders[kind], shapes=True)
    assert plain.shape_step == 0
    batch = pieces_of([7])
    mask = torch.ones_like(batch.pieces, dtype=torch.bool)
    expected = plain.encode(batch.pieces, mask)
    # Before training, a shape says nothing.
    capital = batch.pieces + 3 * told.shape_step
    torch.testing.assert_close(told.encode(capital, mask), expected)
    assert told.shapes is not None
    with torch.no_grad():
        told.shapes.weight[3] = torch.linspace(-1, 1, told.shapes.embedding_dim)
    torch.testing.assert_close(told.encode(batch.pieces, mask), expected)
    assert (told.encode(capital, mask) - expected).abs().max() > 0.01


@pytest.mark.parametrize("kind", ["bert", "roberta", "mpnet"])
def test_attention_spelled_out_is_the_same_attention(
    kind: Kind, folders: Folders, monkeypatch: pytest.MonkeyPatch
) -> None:
    encoder = encoder_of(folders[kind])
    assert isinstance(encoder.model, NativeEncoder)
    batch = pieces_of([9, 4])
    mask = torch.arange(batch.pieces.shape[1]) < batch.piece_counts.unsqueeze(1)
    expected = encoder.encode(batch.pieces, mask)
    monkeypatch.setattr(torch.onnx, "is_in_onnx_export", lambda: True)
    found = encoder.encode(batch.pieces, mask)
    torch.testing.assert_close(found[mask], expected[mask], atol=1e-5, rtol=1e-4)
