"""What must hold when any bytes at all are read as trees, and a seeded source of bytes that nearly are trees."""

from __future__ import annotations

import gzip
import io
import random
from collections.abc import Iterator
from contextlib import contextmanager
from typing import BinaryIO, cast

from spanlin.errors import TreeError, TreeSyntaxError
from spanlin.trees import lines
from spanlin.trees.brackets import parse_tree, read_trees
from spanlin.trees.escapes import unescape_word
from spanlin.trees.tree import Leaf, Tree

GZIP_MAGIC = b"\x1f\x8b"
NO_LETTERS = dict.fromkeys(map(ord, "() \t\n\r\f\v"))

LABELS = ["", "S", "NP", "VP", "TOP", "ROOT", "NP-SBJ=1", "-LRB-", "∅", "A+B", "\\", "\u2028", "\x85", "\x1c", "é"]
WORDS = [
    "a",
    "b c",
    "(",
    ")",
    "-LRB-",
    "-RRB-",
    "-U-",
    "-U0028-",
    "-UD800-",
    "-U110000-",
    "-U",
    "-LRB",
    "()",
    "f(x)",
    "(s)he",
]
WORDS += ["w(", "😀", "\ufeff", "\x00", "\u00a0", "'", "1\t2", "x\ry", "--", "-", "-U0041"]
TOKENS = [
    "(",
    ")",
    " ",
    "\n",
    "\r\n",
    "\t",
    "(S",
    "(TOP (S",
    "\n(",
    "\n(S ",
    ") (",
    "))",
    "( (",
    "(A a)",
    "a",
    "\n\n",
    "\ufeff",
]
RAW_TOKENS = [token.encode() for token in TOKENS] + [
    b"\xff",
    b"\xc3",
    b"\xed\xa0\x80",
    b"\x1f\x8b",
    b"\x00",
    b"\x1f\x8b\x08\x00",
]


def check_reading(raw: bytes) -> int:
    """Check all that holds for the reader on these bytes; return how many trees it found."""
    strict, error = read_strictly(raw)
    is_gzip = raw.startswith(GZIP_MAGIC)
    bad: list[TreeSyntaxError] = []
    lenient: list[Tree] = []
    try:
        lenient += read_trees(opened(raw), on_bad=bad.append)
    except TreeError:
        assert is_gzip, "with on_bad, only a file that cannot be unpacked is an error"
        assert error is not None
        return 0
    unpacked = gzip.decompress(raw) if is_gzip else raw
    if error is None:
        assert letters_of_trees(strict) == letters_of_text(unpacked.decode()), "nothing is lost or made up"
        assert not bad, "what is read strictly has no bad trees"
        assert lenient == strict
    else:
        assert bad, "what is an error in strict reading is reported in lenient reading"
        assert str(bad[0]) == str(error)
        assert lenient[: len(strict)] == strict
    for found in bad:
        assert 1 <= found.line <= unpacked.count(b"\n") + 1
        assert found.column >= 1
        assert "\n" not in str(found)

    for tree in lenient:
        assert parse_tree(str(tree)) == tree
    text = "\n".join(map(str, lenient))
    assert read_strictly(text.encode()) == (lenient, None), "what is written reads back equal"
    if not is_gzip and is_utf8(raw):
        with small_pieces():
            bad_in_pieces: list[TreeSyntaxError] = []
            assert list(read_trees(opened(raw), on_bad=bad_in_pieces.append)) == lenient
            assert [str(found) for found in bad_in_pieces] == [str(found) for found in bad]
    return len(lenient)


def read_strictly(raw: bytes) -> tuple[list[Tree], TreeError | None]:
    trees: list[Tree] = []
    try:
        for tree in read_trees(opened(raw)):
            trees.append(tree)
    except TreeError as error:
        return trees, error
    return trees, None


def letters_of_text(text: str) -> str:
    return unescape_word(text.removeprefix("\ufeff")).translate(NO_LETTERS)


def letters_of_trees(trees: list[Tree]) -> str:
    nodes = (node for tree in trees for node in tree.preorder())
    parts = (
        unescape_word(node.tag) + node.word if isinstance(node, Leaf) else unescape_word(node.label) for node in nodes
    )
    return "".join(parts).translate(NO_LETTERS)


def opened(raw: bytes) -> BinaryIO:
    """A stream that can peek, so that gzip is recognised."""
    return cast(BinaryIO, io.BufferedReader(io.BytesIO(raw)))  # type: ignore[arg-type]


def is_utf8(raw: bytes) -> bool:
    try:
        raw.decode()
    except UnicodeDecodeError:
        return False
    return True


@contextmanager
def small_pieces() -> Iterator[None]:
    """Cut lines into pieces of a few bytes, as those of many megabytes are."""
    sizes = lines.PIECE_SIZE, lines.MAX_PIECE_SIZE
    lines.PIECE_SIZE, lines.MAX_PIECE_SIZE = 5, 20
    try:
        yield
    finally:
        lines.PIECE_SIZE, lines.MAX_PIECE_SIZE = sizes


def random_input(generator: random.Random) -> bytes:
    """Bytes that are nearly trees: a few trees in some layout, most of them damaged."""
    raw = random_layout(generator).encode()
    for _ in range(generator.choice((0, 1, 1, 2, 3, 8))):
        raw = damage(raw, generator)
    return gzip.compress(raw) if generator.random() < 0.01 else raw


def random_layout(generator: random.Random) -> str:
    separator, inner = generator.choice(
        (("\n", " "), (" ", " "), ("\n", "\n  "), ("\n", "\n"), ("\r\n", "\r\n\t"), ("", ""))
    )
    root = generator.choice(("", "(TOP ", "( ", "(S "))
    trees = []
    for _ in range(generator.randrange(6)):
        text = root + random_node(generator, 3) + (")" if root else "")
        trees.append(text if generator.random() < 0.3 else text.replace(" (", f"{inner}("))
    return separator.join(trees)


def random_node(generator: random.Random, depth: int) -> str:
    label = generator.choice(LABELS)
    if depth == 0 or generator.random() < 0.3:
        return f"({label} {generator.choice(WORDS)})"
    children = [random_node(generator, depth - 1) for _ in range(generator.choice((1, 1, 2, 3)))]
    return f"({label} {' '.join(children)})"


def damage(raw: bytes, generator: random.Random) -> bytes:
    """The bytes with one random change."""
    start, end = sorted(generator.choices(range(len(raw) + 1), k=2))
    near = min(end, start + generator.randrange(4))
    match generator.randrange(7):
        case 0:
            return raw[:start] + raw[near:]
        case 1 | 2:
            return raw[:start] + generator.choice(RAW_TOKENS) + raw[start:]
        case 3:
            return raw[:start] + generator.choice(RAW_TOKENS) + raw[near:]
        case 4:
            return raw[:end] + raw[start:]
        case 5:
            return raw[:start] + raw[end:]
        case _:
            return raw[:start] + generator.randbytes(generator.randrange(1, 4)) + raw[near:]
