from __future__ import annotations

from pathlib import Path

from runtime.conftest import TREES
from spanlin.runtime.piece_features import PieceFeatures
from spanlin.runtime.pieces import WordPieces
from spanlin.runtime.words import WordTable
from tiny_encoders import make_encoder


def test_a_table_grows_and_knows_its_words(tmp_path: Path) -> None:
    vocabulary = sorted({word for tree in TREES for word in tree.words})
    splitter = WordPieces.from_folder(make_encoder(tmp_path, vocabulary))
    empty = PieceFeatures(splitter=splitter, limit=40)
    table = WordTable(empty)
    first = table.numbers(["the", "Dog", "the"])
    assert first[0] == first[2] != first[1]
    again = table.numbers(["new", "the"])
    assert again[1] == first[0]
    assert len(table) == 3
    features = table.features
    assert isinstance(features, PieceFeatures)
    for word, number in (("the", first[0]), ("Dog", first[1]), ("new", again[0])):
        start, count = features.starts[number], features.counts[number]
        assert tuple(features.pieces[start : start + count]) == splitter(word)
        assert table.written[number] == word
    assert not len(empty.pieces), "another table can start with it"
