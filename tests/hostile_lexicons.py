"""Model folders with words and characters of their own, or with a tagger, as an attacker would make them."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from hostile_folders import Change, Hostile, file_of, huge, linked, pipe, renew, resum, says
from spanlin.model_folder.folder import GRAPH, LEXICON, TAGGER, TOKENIZER
from spanlin.model_folder.lookup import find_model

DAMAGED = "lexicon.json: damaged: "


def lexicon(**changes: Any) -> Change:
    """A lexicon with other tables, with the right sum; a function is given the old one."""

    def make(raw: bytes) -> bytes:
        table = json.loads(raw)
        return json.dumps(
            table | {key: value(table[key]) if callable(value) else value for key, value in changes.items()}
        ).encode()

    return file_of(LEXICON, make)


def beyond(*items: str) -> Callable[[list[str]], list[str]]:
    """More items than the network has embeddings for; these have the last ids."""
    return lambda old: [*(item for item in old if item not in items), *map(chr, range(0xE000, 0xF000)), *items]


def other_graph(folder: Path, _: Path) -> None:
    renew(folder / GRAPH, (find_model("en") / GRAPH).read_bytes())
    resum(folder, GRAPH)


def swapped_files(folder: Path, _: Path) -> None:
    """A tokenizer by the name of a lexicon."""
    renew(folder / LEXICON, (folder / (TAGGER + TOKENIZER)).read_bytes())
    resum(folder, LEXICON)


def hostile(name: str, change: Change, message: str, *, of: str = "bilstm", before: bool = True) -> Hostile:
    return Hostile(name, change, message, before, of)


PIECES = {"input": "pieces", "piece_limit": 40, "shape_step": 0}
LEXICONS = [
    # The manifest.
    hostile("input_unknown", says(input="files"), "input must be one of pieces, lexical"),
    hostile("input_a_list", says(input=["lexical"]), "input must be one of pieces, lexical"),
    hostile("input_null", says(input=None), "input must be one of pieces, lexical"),
    hostile("input_pieces", says(**PIECES), "its files lack tokenizer.json"),
    hostile("input_pieces_unlimited", says(input="pieces"), "piece_limit is missing"),
    hostile("input_lexical", says(input="lexical"), "its files lack lexicon.json", of="en"),
    hostile("tagger_a_text", says(tagger="lexical"), "tagger must be an object"),
    hostile("tagger_not_there", says(tagger={"input": "lexical"}), "its files lack tagger_lexicon.json"),
    hostile("tagger_limit", says(tagger=PIECES | {"piece_limit": 1}), "tagger.piece_limit must be a whole number"),
    hostile("tagger_path", says(tagger={"input": "../lexical"}), "tagger.input must be one of pieces, lexical"),
    hostile(
        "tagger_left_out", says(tagger=None), "graph.onnx: its inputs are not a parser's", of="tagged", before=False
    ),
    hostile("one_by_one_number", says(one_by_one=1), "one_by_one must be true or false"),
    # The lexicon.
    hostile("lexicon_empty", file_of(LEXICON, lambda _: b""), DAMAGED),
    hostile(
        "lexicon_list", file_of(LEXICON, lambda _: b"[]"), f"{DAMAGED}it must be an object of words, chars, vectors"
    ),
    hostile("lexicon_deep", file_of(LEXICON, lambda _: b"[" * 10**6), f"{DAMAGED}nested too deeply"),
    hostile("lexicon_nan", file_of(LEXICON, lambda _: b'{"words": [NaN]}'), f"{DAMAGED}NaN is not a JSON number"),
    hostile(
        "lexicon_key_twice",
        file_of(LEXICON, lambda raw: raw.replace(b"{", b'{"chars": [], ', 1)),
        f"{DAMAGED}the key 'chars' appears twice",
    ),
    hostile("lexicon_not_utf8", file_of(LEXICON, lambda raw: raw.replace(b'["', b'["\xff', 1)), DAMAGED),
    hostile("lexicon_byte_order", file_of(LEXICON, lambda raw: b"\xef\xbb\xbf" + raw), DAMAGED),
    hostile("lexicon_more", lexicon(code="print()"), f"{DAMAGED}it must be an object of words, chars, vectors"),
    hostile("lexicon_no_list", lexicon(words={"a": 1}), f"{DAMAGED}words must be a list"),
    hostile("lexicon_number", lexicon(words=[3]), rf"{DAMAGED}words\[0\] must be a string"),
    hostile(
        "lexicon_long_word", lexicon(words=["a" * 10**6]), rf"{DAMAGED}words\[0\] must be a string of at most 10000"
    ),
    hostile("lexicon_word_twice", lexicon(words=["a", "b", "a"]), f"{DAMAGED}words has an item twice"),
    hostile("lexicon_two_characters", lexicon(chars=["ab"]), rf"{DAMAGED}chars\[0\] must be a string of at most 1"),
    hostile("lexicon_no_character", lexicon(chars=[""]), f"{DAMAGED}chars has an empty item"),
    hostile("lexicon_character_twice", lexicon(chars=["a", "a"]), f"{DAMAGED}chars has an item twice"),
    hostile("lexicon_vectors_nested", lexicon(vectors=[["a"]]), rf"{DAMAGED}vectors\[0\] must be a string"),
    hostile(
        "lexicon_other_sum", lambda folder, _: renew(folder / LEXICON, b"{}"), "lexicon.json: damaged .its SHA-256"
    ),
    hostile("lexicon_pipe", pipe(LEXICON), "lexicon.json: is not a plain file"),
    hostile("lexicon_huge", huge(LEXICON, 10**12), "bytes, but at most 64 MB"),
    hostile("lexicon_linked", linked(LEXICON), "lexicon.json: is a link to outside the model folder"),
    hostile("lexicon_words_beyond", lexicon(words=beyond("She")), "graph.onnx: failed", before=False),
    hostile("lexicon_characters_beyond", lexicon(chars=beyond("S", "h", "e")), "graph.onnx: failed", before=False),
    hostile("lexicon_vectors_beyond", lexicon(vectors=beyond("She")), "graph.onnx: failed", before=False),
    # Files of one kind in place of the other.
    hostile("graph_of_pieces", other_graph, "graph.onnx: its inputs are not a parser's", before=False),
    hostile(
        "lexicon_a_tokenizer", swapped_files, f"{DAMAGED}it must be an object of words, chars, vectors", of="tagged"
    ),
    hostile(
        "tagger_tokenizer_list",
        file_of(TAGGER + TOKENIZER, lambda _: b"[]"),
        "tagger_tokenizer.json: not a tokenizer",
        of="tagged",
    ),
]
