from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from runtime.conftest import TREES
from spanlin.runtime.piece_features import PieceFeatures
from spanlin.runtime.piece_rows import PieceRows, make_piece_rows
from spanlin.runtime.pieces import WordPieces
from spanlin.runtime.sentences import Sentences
from spanlin.runtime.words import WordTable
from spanlin.trees.escapes import escape_word
from tiny_encoders import make_encoder

VOCABULARY = sorted({word for tree in TREES for word in tree.words})
WORDS = st.sampled_from([*VOCABULARY, "(", "Dog", "NATO", "", "\x00", "zzzzzz"])


@pytest.fixture(scope="module")
def splitter(tmp_path_factory: pytest.TempPathFactory) -> WordPieces:
    return WordPieces.from_folder(make_encoder(tmp_path_factory.mktemp("encoder"), VOCABULARY), shape_step=1000)


def test_batches_are_what_one_makes_word_by_word(splitter: WordPieces) -> None:
    @given(
        st.lists(st.lists(WORDS, max_size=9), min_size=1, max_size=8), st.sampled_from([12, 30, 500]), st.integers(1, 8)
    )
    def check(sentences: list[list[str]], limit: int, multiple: int) -> None:
        made = Sentences(sentences, WordTable(PieceFeatures(splitter=splitter, limit=limit)))
        members = np.flatnonzero([len(words) for words in sentences])
        if not len(members):
            return
        parts = []
        for number in members.tolist():
            pieces, first, last = [splitter.start], [], []
            for word in sentences[number]:
                first.append(len(pieces))
                pieces.extend(splitter(word))
                last.append(len(pieces) - 1)
            parts.append((np.array([*pieces, splitter.stop]), np.array(first), np.array(last)))
        if any(len(splitter(word)) > limit - 2 for words in sentences for word in words):
            return
        rows, counts = made.rows(members, multiple=multiple)
        assert isinstance(rows, PieceRows)
        assert rows.width + 2 == rows.first_pieces.shape[1]
        width = -(-max(2, *counts.tolist()) // multiple) * multiple
        expected = make_piece_rows(parts, limit=limit, width=width, multiple=multiple)
        assert counts.tolist() == [len(sentences[number]) for number in members]
        assert (rows.pieces == expected.pieces).all()
        assert (rows.piece_counts == expected.piece_counts).all()
        for row, count in enumerate(counts.tolist()):  # what lies beyond a sentence is never read
            assert (rows.first_pieces[row, : count + 2] == expected.first_pieces[row, : count + 2]).all()
            assert (rows.last_pieces[row, : count + 2] == expected.last_pieces[row, : count + 2]).all()
        written = [escape_word(word) for number in members for word in sentences[number]]
        assert made.written(members).tolist() == written

    check()


def test_every_sentence_with_words_is_in_one_batch_within_the_budget(splitter: WordPieces) -> None:
    @given(
        st.lists(st.lists(WORDS, max_size=12), max_size=20),
        st.integers(1, 80),
        st.integers(1, 8),
        st.sampled_from([0, 5]),
    )
    def check(sentences: list[list[str]], tokens: int, multiple: int, overhead: int) -> None:
        made = Sentences(sentences, WordTable(PieceFeatures(splitter=splitter, limit=500)))
        batches = made.batches(tokens=tokens, multiple=multiple, overhead=overhead)
        chosen = [number for batch in batches for number in batch.tolist()]
        assert sorted(chosen) == [number for number, words in enumerate(sentences) if words]
        for batch in batches:
            longest = -(-int(made.sizes[batch].max()) // multiple) * multiple
            assert len(batch) == 1 or longest * len(batch) <= tokens

    check()


def test_a_words_shape_is_in_its_ids(tmp_path: Path) -> None:
    folder = make_encoder(tmp_path, VOCABULARY)
    plain, told = WordPieces.from_folder(folder), WordPieces.from_folder(folder, shape_step=1000)
    for word, shape in (("dog", 0), ("Dog", 1), ("I", 2), ("NATO", 3), ("mRNA", 4)):
        assert [number - 1000 * shape for number in told(word)] == list(plain(word))
