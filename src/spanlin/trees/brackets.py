"""Bracketed text to trees and back, one tree at a time, with file, line and column in every error.

Reads one or several trees per line, or trees pretty-printed over many lines, plain or gzip, with any root. A word may
hold spaces (`(CD 1 1/2)`), be a bare bracket (`(-LRB- ()`) or hold a balanced pair (`(NN word(s))`); no label is
changed.
"""

from __future__ import annotations

import os
import re
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from sys import intern
from typing import BinaryIO

from spanlin.errors import TreeError, TreeSyntaxError
from spanlin.trees.escapes import unescape_word
from spanlin.trees.lines import Piece, numbered_pieces, stream_name, write_pieces
from spanlin.trees.transforms import ROOT_LABELS
from spanlin.trees.tree import Leaf, Node, Tree

_SPACE = r"[ \t\n\r\f\v]"
_ATOM = r"[^() \t\n\r\f\v]"
_TOKEN = re.compile(
    rf"\(({_ATOM}*+){_SPACE}++({_ATOM}++(?:{_SPACE}++{_ATOM}++)*+){_SPACE}*+\)"  # 1, 2: a leaf
    # 3, 4: a leaf whose word holds unescaped brackets; each would otherwise be a node without words, never a tree.
    rf"|\(({_ATOM}++){_SPACE}++([()]|{_ATOM}++\({_ATOM}*+\){_ATOM}*+|\({_ATOM}*+\){_ATOM}++)\)"
    # 5: an opening bracket and its label, a closing bracket, or a word on another line than its tag.
    rf"|(\({_ATOM}*+|\)|{_ATOM}++)"
)
_LABEL_EDGE = re.compile(rb"[() \t\n\r\f\v]")

OnBad = Callable[[TreeSyntaxError], None]


def read_trees(source: str | os.PathLike[str] | BinaryIO, *, on_bad: OnBad | None = None) -> Iterator[Tree]:
    """Yield the trees of a file, plain or gzip, in constant memory.

    A malformed tree raises a TreeSyntaxError; with `on_bad`, the error is passed there and reading resumes at the next
    line on which a tree can start. A word outside any constituent, as in `(NN dog)` alone, gets a root without label.
    """
    return _TreeReader(stream_name(source), on_bad).read(numbered_pieces(source))


def parse_tree(text: str) -> Tree:
    """Return the one tree in a string.

    >>> parse_tree("(NP (JJ Old) (NNS cats))").words
    ('Old', 'cats')
    """
    lines = enumerate(text.split("\n"), start=1)
    pieces = (Piece(number, True, line.encode("utf-8", "surrogatepass")) for number, line in lines)
    trees = list(_TreeReader("<string>", None).read(pieces))
    if len(trees) != 1:
        raise TreeError(f"expected one tree in the string, found {len(trees)}")
    return trees[0]


def write_trees(trees: Iterable[Tree], path: str | os.PathLike[str]) -> int:
    """Write one tree per line, as gzip if the name ends in .gz, and return their number.

    The file appears whole or not at all.
    """
    return write_pieces((f"{tree}\n".encode() for tree in trees), path)


class _TreeReader:
    """Turns lines into trees; keeps the one tree that is open between two lines."""

    def __init__(self, name: str, on_bad: OnBad | None) -> None:
        self.name = name
        self.on_bad = on_bad
        self.one_tree_per_line = False  # judging by the last trees
        self.root_labels: set[str] = set()  # of trees that stood on one line
        self.is_unindented = False  # some tree continued in the first column of a line
        self.line_offset = 0  # where the piece at hand starts in its line
        self.is_open_at_line_start = False
        self.reset()

    def reset(self) -> None:
        self.stack: list[tuple[str, list[Node]]] = []  # for each open node: the label of its parent, its elder siblings
        self.label = ""  # of the innermost open node
        self.children: list[Node] = []
        self.words: list[str] = []  # of the innermost open node, when they are on another line than its tag
        self.start = (0, 0)  # line and column of the open tree
        self.starts_with_words = False  # on the line where it is opened
        self.continues_unindented = False
        self.pieces: list[Piece] = []  # of the open tree, kept only to start again after a bad one

    def read(self, pieces: Iterator[Piece]) -> Iterator[Tree]:
        again: deque[Piece] = (
            deque()
        )  # lines that an unclosed tree has swallowed: each is now taken for a tree of its own
        skipping = False
        while True:
            is_again = bool(again)
            piece = again.popleft() if again else next(pieces, None)
            if piece is None:
                if not self.stack:
                    return
                again.extend(self.pieces[1:])
                self.bad(self.unclosed())
                skipping = True
                continue
            may_start_tree = piece.starts_line and piece.text.startswith(b"(")
            if skipping and not may_start_tree:
                continue
            skipping = False
            if may_start_tree and self.stack:
                if is_again:
                    self.bad(self.unclosed())
                elif self.starts_new_tree(piece.text):
                    again.extend((*self.pieces[1:], piece))
                    self.bad(self.unclosed())
                    skipping = True
                    continue
                else:
                    self.continues_unindented = True
            try:
                yield from self.read_piece(piece)
            except TreeSyntaxError as error:
                self.bad(error)
                skipping = True

    def bad(self, error: TreeSyntaxError) -> None:
        if self.on_bad is None:
            raise error
        self.reset()
        self.on_bad(error)

    def unclosed(self) -> TreeSyntaxError:
        missing = len(self.stack)
        are_missing = "closing brackets are missing" if missing > 1 else "closing bracket is missing"
        return self.error(f"this tree is never closed: {missing} {are_missing}", *self.start)

    def error(self, message: str, line: int, column: int) -> TreeSyntaxError:
        return TreeSyntaxError(message, source=self.name, line=line, column=column)

    def starts_new_tree(self, text: bytes) -> bool:
        """Return whether a bracket in the first column starts a new tree although one is open.

        A pretty-printed tree is usually indented. One that is not either has its root alone on a line, or continues
        with other labels than trees start with. Where this guess is wrong, the lines are read again.
        """
        root_label = self.stack[1][0] if len(self.stack) > 1 else self.label
        label = _LABEL_EDGE.split(text, 2)[1].decode("utf-8", "replace")
        if label != root_label and not (self.one_tree_per_line and label in self.root_labels):
            return False
        if self.start[1] != 1 and not self.one_tree_per_line:
            return False
        return root_label in ROOT_LABELS or self.starts_with_words

    def read_piece(self, piece: Piece) -> Iterator[Tree]:
        if piece.starts_line:
            self.line_offset = 0
            self.is_open_at_line_start = bool(self.stack)
        try:
            text = piece.text.decode()
        except UnicodeDecodeError as error:
            column = self.line_offset + len(piece.text[: error.start].decode()) + 1
            raise self.error("not UTF-8: convert the file first", piece.line, column) from error
        if piece.line == 1:
            text = text.removeprefix("\ufeff")
        stack, label, children, words = self.stack, self.label, self.children, self.words
        problem = ""
        index = opened = -1  # the token at hand; the one that opened the tree
        for index, (tag, word, odd_tag, odd_word, other) in enumerate(_TOKEN.findall(text)):
            if words and other[:1] in ("", "("):
                node_text = f"constituent {other}" if other else f"leaf ({tag or odd_tag} {word or odd_word})"
                problem = f"the {_shown(node_text)} is beside the word {_short(words[0])!r}"
                break
            if word:
                children.append(Leaf(intern(tag), unescape_word(word) if "-" in word else word))
            elif other == ")":
                if not stack:
                    problem = "this bracket closes nothing"
                    break
                if words:
                    node: Node = Leaf(label, unescape_word(" ".join(words)))
                    words = []
                elif children:
                    node = Tree(label, tuple(children))
                else:
                    problem = f"the node ({_shown(label)}) has no word"
                    break
                label, children = stack.pop()
                children.append(node)
            elif odd_word:
                children.append(Leaf(intern(odd_tag), unescape_word(odd_word)))
            elif other[0] == "(":
                if not stack:
                    opened = index
                stack.append((label, children))
                label = intern(other[1:])  # a treebank has few labels; one string for each saves a third of its memory
                children = []
            elif not stack or children:
                place = "beside constituents" if stack else "outside all brackets"
                problem = f"the word {_short(other)!r} is {place}"
                break
            else:
                words.append(other)

        complete = stack[0][1] if stack else children
        if problem and not stack:
            del complete[-1:]  # an error after a tree is taken for a part of it
        trees = [node if isinstance(node, Tree) else Tree("", (node,)) for node in complete]
        complete.clear()
        if trees:
            self.is_unindented |= self.continues_unindented
            self.continues_unindented = False
            self.one_tree_per_line = not self.is_open_at_line_start and not self.is_unindented
            if self.one_tree_per_line:
                self.root_labels.update([tree.label for tree in trees])
        yield from trees
        if problem:
            raise self.error(problem, piece.line, self.column(text, index))
        self.label, self.children, self.words = label, children, words
        if opened >= 0 or not stack:
            self.pieces.clear()
        if stack:
            if opened >= 0:
                self.start = (piece.line, self.column(text, opened))
            if self.start[0] == piece.line:
                self.starts_with_words = bool(words or children) or any(siblings for _, siblings in stack[1:])
            if self.on_bad is not None:
                self.pieces.append(piece)
        self.line_offset += len(text)

    def column(self, text: str, index: int) -> int:
        for position, match in enumerate(_TOKEN.finditer(text)):
            if position == index:
                return self.line_offset + match.start() + 1
        return 1


def _short(text: str) -> str:
    """Return what an error message has room for."""
    return text if len(text) <= 40 else f"{text[:40]}..."


def _shown(text: str) -> str:
    """Return what an error message has room for, without what would break its line or steer a terminal."""
    return "".join(char if char.isprintable() else ascii(char)[1:-1] for char in _short(text))
