"""The bracket reader: any bytes are trees that can be written and read again, or an error with its place.

Most of the reader's decisions are inside one regular expression, which the fuzzer cannot see into, and random bytes are
hardly ever a tree. So half of the mutations start from trees in many layouts and change brackets, line ends and labels.
"""

from __future__ import annotations

import gzip
import io
import random
from collections.abc import Iterator
from contextlib import contextmanager
from typing import BinaryIO, cast

from fuzz.messages import check_message
from fuzz.target import Target, damage, is_drawn
from fuzz.watch import watched
from spanlin.errors import TreeError, TreeSyntaxError
from spanlin.trees import lines
from spanlin.trees.brackets import parse_tree, read_trees
from spanlin.trees.escapes import unescape_word
from spanlin.trees.tree import Leaf, Tree

_GZIP_MAGIC = b"\x1f\x8b"
_NO_LETTERS = dict.fromkeys(map(ord, "() \t\n\r\f\v"))
_MUCH = 50_000  # bytes of a repeated input, for which squared time would be seconds

_LABELS = ["", "S", "NP", "VP", "TOP", "ROOT", "NP-SBJ=1", "-LRB-", "∅", "A+B", "\\", "\u2028", "\x85", "\x1c", "é"]
_WORDS = ["a", "b c", "(", ")", "-LRB-", "-RRB-", "-U-", "-U0028-", "-UD800-", "-U110000-", "-U", "-LRB", "()", "f(x)"]
_WORDS += ["(s)he", "w(", "😀", "\ufeff", "\x00", "\u00a0", "'", "1\t2", "x\ry", "--", "-", "-U0041"]
_TOKENS = ["(", ")", " ", "\n", "\r\n", "\t", "(S", "(TOP (S", "\n(", "\n(S ", ") (", "))", "( (", "(A a)", "a", "\n\n"]
_RAW_TOKENS = [token.encode() for token in [*_TOKENS, "\ufeff"]]
_RAW_TOKENS += [b"\xff", b"\xc3", b"\xed\xa0\x80", b"\x1f\x8b", b"\x00", b"\x1f\x8b\x08\x00"]


def check_reading(raw: bytes) -> int:
    """Check all that holds for the reader on these bytes; return how many trees it found."""
    strict, error = _read_strictly(raw)
    is_gzip = raw.startswith(_GZIP_MAGIC)
    bad: list[TreeSyntaxError] = []
    lenient: list[Tree] = []
    try:
        lenient += read_trees(_opened(raw), on_bad=bad.append)
    except TreeError as found:
        check_message(found)
        assert is_gzip, "with on_bad, only a file that cannot be unpacked is an error"
        assert error is not None
        return 0
    unpacked = gzip.decompress(raw) if is_gzip else raw
    if error is None:
        assert _letters_of_trees(strict) == _letters_of_text(unpacked.decode()), "nothing is lost or made up"
        assert not bad, "what is read strictly has no bad trees"
        assert lenient == strict
    else:
        assert bad, "what is an error in strict reading is reported in lenient reading"
        assert str(bad[0]) == str(error)
        assert lenient[: len(strict)] == strict
    for one in bad:
        check_message(one)
        assert 1 <= one.line <= unpacked.count(b"\n") + 1
        assert one.column >= 1

    for tree in lenient:
        assert parse_tree(str(tree)) == tree
    text = "\n".join(map(str, lenient))
    assert _read_strictly(text.encode()) == (lenient, None), "what is written reads back equal"
    if not is_gzip and _is_utf8(raw):
        with _small_pieces():
            bad_in_pieces: list[TreeSyntaxError] = []
            assert list(read_trees(_opened(raw), on_bad=bad_in_pieces.append)) == lenient
            assert [str(one) for one in bad_in_pieces] == [str(one) for one in bad]
    return len(lenient)


def _check(raw: bytes) -> None:
    with watched():
        check_reading(raw)
        if raw and is_drawn(raw, one_in=64) and not raw.startswith(_GZIP_MAGIC):
            bad: list[TreeSyntaxError] = []
            for _ in read_trees(_opened(raw * (_MUCH // len(raw))), on_bad=bad.append):
                pass


def _read_strictly(raw: bytes) -> tuple[list[Tree], TreeError | None]:
    trees: list[Tree] = []
    try:
        for tree in read_trees(_opened(raw)):
            trees.append(tree)
    except TreeError as error:
        return trees, error
    return trees, None


def _letters_of_text(text: str) -> str:
    return unescape_word(text.removeprefix("\ufeff")).translate(_NO_LETTERS)


def _letters_of_trees(trees: list[Tree]) -> str:
    nodes = (node for tree in trees for node in tree.preorder())
    parts = (
        unescape_word(node.tag) + node.word if isinstance(node, Leaf) else unescape_word(node.label) for node in nodes
    )
    return "".join(parts).translate(_NO_LETTERS)


def _opened(raw: bytes) -> BinaryIO:
    """Return a stream that can peek, so that gzip is recognised."""
    return cast(BinaryIO, io.BufferedReader(io.BytesIO(raw)))


def _is_utf8(raw: bytes) -> bool:
    try:
        raw.decode()
    except UnicodeDecodeError:
        return False
    return True


@contextmanager
def _small_pieces() -> Iterator[None]:
    """Cut lines into pieces of a few bytes, as those of many megabytes are."""
    sizes = lines.PIECE_SIZE, lines.MAX_PIECE_SIZE
    lines.PIECE_SIZE, lines.MAX_PIECE_SIZE = 5, 20
    try:
        yield
    finally:
        lines.PIECE_SIZE, lines.MAX_PIECE_SIZE = sizes


def random_input(generator: random.Random) -> bytes:
    """Return bytes that are nearly trees: a few trees in some layout, most of them damaged."""
    raw = _random_layout(generator).encode()
    for _ in range(generator.choice((0, 1, 1, 2, 3, 8))):
        raw = damage(raw, generator, _RAW_TOKENS)
    return gzip.compress(raw, mtime=0) if generator.random() < 0.01 else raw


def _random_layout(generator: random.Random) -> str:
    separator, inner = generator.choice(
        (("\n", " "), (" ", " "), ("\n", "\n  "), ("\n", "\n"), ("\r\n", "\r\n\t"), ("", ""))
    )
    root = generator.choice(("", "(TOP ", "( ", "(S "))
    trees = []
    for _ in range(generator.randrange(6)):
        text = root + _random_node(generator, 3) + (")" if root else "")
        trees.append(text if generator.random() < 0.3 else text.replace(" (", f"{inner}("))
    return separator.join(trees)


def _random_node(generator: random.Random, depth: int) -> str:
    label = generator.choice(_LABELS)
    if depth == 0 or generator.random() < 0.3:
        return f"({label} {generator.choice(_WORDS)})"
    children = [_random_node(generator, depth - 1) for _ in range(generator.choice((1, 1, 2, 3)))]
    return f"({label} {' '.join(children)})"


def _mutate(raw: bytes, generator: random.Random) -> bytes:
    return random_input(generator) if generator.randrange(3) == 0 else damage(raw, generator, _RAW_TOKENS)


def _seeds() -> list[bytes]:
    generator = random.Random(1)
    return [random_input(generator) for _ in range(30)]


TARGET = Target(check=_check, mutate=_mutate, seeds=_seeds, longest=400, blind_share=0.5)
