"""The file of words and characters that a network has embeddings for, in the order of their ids."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any, NamedTuple

from spanlin.errors import CheckpointError
from spanlin.model_folder.strict_json import read_strictly

_MOST_WORDS = 5_000_000
_MOST_CHARACTERS = 1_114_112  # as many as there are
_LONGEST_WORD = 10_000


class LexiconTables(NamedTuple):
    """Words, characters, and the words that have pretrained vectors."""

    words: Sequence[str]
    chars: Sequence[str]
    vectors: Sequence[str]


def lexicon_bytes(tables: LexiconTables) -> bytes:
    """Return the file's content, in ASCII: a word may hold what UTF-8 cannot, such as half a surrogate pair."""
    return json.dumps({name: list(items) for name, items in tables._asdict().items()}).encode()


def read_lexicon(raw: bytes, source: str) -> LexiconTables:
    """Return the tables of an untrusted file, or raise a CheckpointError."""
    found = read_strictly(raw, source)
    if not isinstance(found, dict) or set(found) != set(LexiconTables._fields):
        raise _damaged(source, f"it must be an object of {', '.join(LexiconTables._fields)}")
    tables = LexiconTables(**found)
    for name, items in tables._asdict().items():
        most, longest = (_MOST_CHARACTERS, 1) if name == "chars" else (_MOST_WORDS, _LONGEST_WORD)
        _check_strings(items, name, source, most=most, longest=longest)
    for name in ("words", "chars"):  # those with vectors come from others' files, where some stand twice
        items = getattr(tables, name)
        if len(set(items)) != len(items):
            raise _damaged(source, f"{name} has an item twice")
    if not all(len(char) == 1 for char in tables.chars):
        raise _damaged(source, "chars has an empty item")
    return tables


def _check_strings(items: Any, name: str, source: str, *, most: int, longest: int) -> None:
    if not isinstance(items, list) or len(items) > most:
        raise _damaged(source, f"{name} must be a list of at most {most} strings")
    for place, item in enumerate(items):
        if not isinstance(item, str) or len(item) > longest:
            raise _damaged(source, f"{name}[{place}] must be a string of at most {longest} characters")


def _damaged(source: str, reason: str) -> CheckpointError:
    return CheckpointError(f"{source}: damaged: {reason}; export the model again")
