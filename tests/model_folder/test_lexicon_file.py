from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spanlin.errors import CheckpointError
from spanlin.model_folder import lexicon_file
from spanlin.model_folder.lexicon_file import LexiconTables, lexicon_bytes, read_lexicon

ANY = st.text(st.characters(), max_size=5)  # half surrogate pairs too


@given(
    st.lists(ANY, unique=True, max_size=5),
    st.lists(st.characters(), unique=True, max_size=5),
    st.lists(ANY, max_size=5),
)
def test_a_lexicon_comes_back_from_its_file(words: list[str], chars: list[str], vectors: list[str]) -> None:
    raw = lexicon_bytes(LexiconTables(words, chars, vectors))
    assert raw.isascii()
    assert read_lexicon(raw, "lexicon.json") == (words, chars, vectors)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"more": []}, "it must be an object of words, chars, vectors"),
        ({"words": None}, "words must be a list of at most"),
        ({"words": {"a": 1}}, "words must be a list"),
        ({"words": ["a", 3]}, r"words\[1\] must be a string of at most 10000 characters"),
        ({"words": ["a" * 10_001]}, r"words\[0\] must be a string"),
        ({"words": ["a", "a"]}, "words has an item twice"),
        ({"chars": ["a", "bc"]}, r"chars\[1\] must be a string of at most 1 characters"),
        ({"chars": ["a", ""]}, "chars has an empty item"),
        ({"chars": ["a", "a"]}, "chars has an item twice"),
        ({"vectors": [["a"]]}, r"vectors\[0\] must be a string"),
    ],
)
def test_a_damaged_lexicon_is_an_error(changes: dict[str, Any], message: str) -> None:
    table = {"words": ["a"], "chars": ["a"], "vectors": []} | changes
    with pytest.raises(CheckpointError, match=rf"^x/lexicon\.json: damaged: {message}.*; export the model again$"):
        read_lexicon(json.dumps(table).encode(), "x/lexicon.json")


@pytest.mark.parametrize("raw", [b"", b"[]", b"{", b'{"words": [], "words": [], "chars": [], "vectors": []}', b"\xff"])
def test_what_is_no_json_object_is_an_error(raw: bytes) -> None:
    with pytest.raises(CheckpointError, match="damaged"):
        read_lexicon(raw, "lexicon.json")


def test_there_are_only_so_many_words(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lexicon_file, "_MOST_WORDS", 2)
    raw = lexicon_bytes(LexiconTables(["a", "b", "c"], [], []))
    with pytest.raises(CheckpointError, match="words must be a list of at most 2 strings"):
        read_lexicon(raw, "lexicon.json")
