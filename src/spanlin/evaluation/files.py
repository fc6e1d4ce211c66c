"""Scores of tree files, and how two files are aligned.

A file may hold one tree a line, an empty line standing for a sentence without tree, or trees in any other layout.
Two files with one tree a line and equally many lines are paired line by line, so that an empty line keeps its place;
empty lines that only one of them has at its end do not count. In all other cases the first tree is paired with the
first, the second with the second, and empty lines mean nothing. EVALB's own format always goes line by line.
"""

from __future__ import annotations

import io
import os
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import accumulate, islice
from typing import cast

from spanlin.errors import EvaluationError, TreeSyntaxError
from spanlin.evaluation.evalb import EvalbOutput
from spanlin.evaluation.parameters import COLLINS, Parameters
from spanlin.evaluation.score import Score, score_trees
from spanlin.trees.brackets import read_trees
from spanlin.trees.lines import byte_lines
from spanlin.trees.tree import Leaf, Tree

PathLike = str | os.PathLike[str]
OnBad = Callable[[TreeSyntaxError], None]
Trees = Iterator[Tree | Leaf | None]

_SPACE = b" \t\n\r\f\v"
_NO_BRACKETS = bytes(set(range(256)) - set(b"()"))
_EMPTY_NODE = re.compile(rb"\([^()\s]*\s*\)")
_BRACKET = re.compile(rb"([()])")
_WORDLESS_TAG = re.compile(rb"\([^()\s]*\s+\)")
_LONE_LEAF = re.compile(rb"\s*\([^()\s]*\s[^()]*\)\s*")


def score_files(
    gold: PathLike, predicted: PathLike, *, parameters: Parameters = COLLINS, on_bad: OnBad | None = None
) -> Score:
    """Return the score of the trees in one file against those in another, aligned as this module says.

    A malformed tree raises a TreeSyntaxError; with `on_bad` it is handed there and counts as an empty line.
    """
    layouts = (_layout(gold), _layout(predicted))
    line_count = min(layout.line_count for layout in layouts)
    if all(layout.one_tree_a_line and layout.used_line_count <= line_count for layout in layouts):
        trees: list[Trees] = [islice(read_lines(path, on_bad=on_bad), line_count) for path in (gold, predicted)]
    else:
        trees = [_read_in_any_layout(path, on_bad) for path in (gold, predicted)]
    try:
        return score_trees(*trees, parameters=parameters)
    except EvaluationError as error:
        raise EvaluationError(f"{os.fspath(gold)} and {os.fspath(predicted)}: {error}") from error


def evalb_files(
    gold: PathLike, predicted: PathLike, *, parameters: Parameters = COLLINS, on_bad: OnBad | None = None
) -> EvalbOutput:
    """Return what EVALB prints for two files of one tree a line."""
    gold_count, predicted_count = _layout(gold).line_count, _layout(predicted).line_count
    line_count = min(gold_count, predicted_count)
    gold_trees, predicted_trees = (islice(read_lines(path, on_bad=on_bad), line_count) for path in (gold, predicted))
    score = score_trees(gold_trees, predicted_trees, parameters=parameters)
    if gold_count == predicted_count:
        return score.to_evalb()
    return score.to_evalb(surplus="gold" if gold_count > predicted_count else "predicted")


def read_lines(path: PathLike, *, on_bad: OnBad | None = None) -> Trees:
    """Yield the tree on each line, None for an empty line or (()), a leaf for a line that is just a tag and a word."""
    name = os.fspath(path)
    for number, line in enumerate(byte_lines(path), start=1):
        if not line.strip(_SPACE):
            yield None
            continue
        try:
            yield _tree_on(line, name, number)
        except TreeSyntaxError as error:
            if on_bad is None:
                raise
            on_bad(error)
            yield None


def _tree_on(line: bytes, name: str, number: int) -> Tree | Leaf | None:
    try:
        try:
            trees = list(read_trees(io.BytesIO(line)))
        except TreeSyntaxError:
            # Some parsers write (()) for no parse. EVALB takes any node without words for nothing.
            without_empty_nodes = _drop_empty_nodes(line)
            if without_empty_nodes == line:
                raise
            trees = list(read_trees(io.BytesIO(without_empty_nodes)))
    except TreeSyntaxError as error:
        raise TreeSyntaxError(error.message, source=name, line=number, column=error.column) from None
    if len(trees) > 1:
        raise TreeSyntaxError(f"{len(trees)} trees on one line, expected one", source=name, line=number, column=1)
    if not trees:
        return None
    tree = trees[0]
    if not tree.label and len(tree.children) == 1 and _LONE_LEAF.fullmatch(line):
        # The reader puts a root over it, which would count as a bracket; EVALB sees none.
        return cast(Leaf, tree.children[0])
    return tree


def _drop_empty_nodes(line: bytes) -> bytes:
    """Return the line without nodes that have no word; unchanged if a tag stands there without its word."""
    if _WORDLESS_TAG.search(line):
        return line
    kept: list[bytes] = []
    starts: list[int | None] = []  # where in it each open node starts, or None if a node is in there
    for part in _BRACKET.split(line):
        if part == b"(":
            starts.append(len(kept))
        kept.append(part)
        if part == b")" and starts:
            start = starts.pop()
            if start is not None and _EMPTY_NODE.fullmatch(b"".join(kept[start:])):
                del kept[start:]
            elif starts:
                starts[-1] = None
    return b"".join(kept)


def _read_in_any_layout(path: PathLike, on_bad: OnBad | None) -> Trees:
    """Yield the trees of a file, with None in the place of each malformed one."""
    if on_bad is None:
        yield from read_trees(path)
        return
    bad: list[TreeSyntaxError] = []
    trees = read_trees(path, on_bad=bad.append)
    while True:
        tree = next(trees, None)
        for error in bad:
            on_bad(error)
            yield None
        bad.clear()
        if tree is None:
            return
        yield tree


@dataclass(frozen=True)
class _Layout:
    """The lines of a file, those up to the last with text, and whether each line with text is one tree."""

    line_count: int
    used_line_count: int
    one_tree_a_line: bool


def _layout(path: PathLike) -> _Layout:
    line_count = used_line_count = lines_with_text = unbalanced = 0
    can_be_lines = True
    for line_count, line in enumerate(byte_lines(path), start=1):
        if not line.strip(_SPACE):
            continue
        used_line_count = line_count
        lines_with_text += 1
        if not can_be_lines:
            continue
        brackets = line.translate(None, _NO_BRACKETS)
        depths = list(accumulate(1 if bracket == 40 else -1 for bracket in brackets))
        if not depths or depths[-1] != 0:
            unbalanced += 1
            # A line of a tree that began above is indented, as a rule. One that is not may be malformed.
            can_be_lines = line.startswith(b"(")
        elif 0 in depths[:-1]:
            can_be_lines = False
    one_tree_a_line = can_be_lines and (unbalanced == 0 or 2 * unbalanced < lines_with_text)
    return _Layout(line_count, used_line_count, one_tree_a_line)
