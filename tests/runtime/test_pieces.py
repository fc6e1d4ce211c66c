from __future__ import annotations

import json
from pathlib import Path

import pytest
from tokenizers import Tokenizer, models

from spanlin.errors import CheckpointError
from spanlin.runtime.pieces import WordPieces
from tiny_encoders import KINDS, Kind, make_encoder

WORDS = ["cat", "cats", "sleep", "garden", "under", "(", ")", ".", "{", '"']
Folders = dict[Kind, Path]


@pytest.fixture(scope="module")
def folders(tmp_path_factory: pytest.TempPathFactory) -> Folders:
    root = tmp_path_factory.mktemp("encoders")
    return {kind: make_encoder(root / kind, WORDS, kind=kind, width=8, layers=1) for kind in KINDS}


@pytest.mark.parametrize("kind", KINDS)
def test_words_one_by_one_have_the_pieces_of_the_sentence(kind: Kind, folders: Folders) -> None:
    pieces = WordPieces.from_folder(folders[kind])
    whole = Tokenizer.from_file(str(folders[kind] / "tokenizer.json"))
    sentence = ["cats", "sleep", "under", "garden", "."]
    # Byte-level tokenizers see a space before each word, the first one too.
    text = " " * (kind == "roberta") + " ".join(sentence)
    found = [pieces.start, *(piece for word in sentence for piece in pieces(word)), pieces.stop]
    assert found == whole.encode(text).ids


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("word", ["", " ", "\x00", "\u200b", "😀", "\ud800", "日本", "x" * 500])
def test_every_word_has_a_piece(kind: Kind, word: str, folders: Folders) -> None:
    assert len(WordPieces.from_folder(folders[kind])(word)) >= 1


@pytest.mark.parametrize("kind", KINDS)
def test_treebank_spellings_are_read_as_ordinary_text(kind: Kind, folders: Folders) -> None:
    pieces = WordPieces.from_folder(folders[kind])
    assert pieces("-LCB-") == pieces("{")
    assert pieces("``") == pieces("''") == pieces('"')


def test_a_tokenizer_without_start_and_stop_is_an_error(tmp_path: Path) -> None:
    Tokenizer(models.WordPiece({"[UNK]": 0}, unk_token="[UNK]")).save(str(tmp_path / "tokenizer.json"))
    with pytest.raises(CheckpointError, match=r"tokenizer\.json: the tokenizer adds no start and stop pieces"):
        WordPieces.from_folder(tmp_path)


def test_a_missing_tokenizer_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(CheckpointError, match=r"tokenizer\.json: cannot be read: No such file"):
        WordPieces.from_folder(tmp_path)


@pytest.mark.parametrize("text", ["", "{", json.dumps({"model": 3})])
def test_a_damaged_tokenizer_is_an_error(text: str, tmp_path: Path) -> None:
    (tmp_path / "tokenizer.json").write_text(text)
    with pytest.raises(CheckpointError, match=r"tokenizer\.json: not a tokenizer"):
        WordPieces.from_folder(tmp_path)
