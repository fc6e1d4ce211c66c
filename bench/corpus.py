"""The sentences and trees that parsers are measured on, and the score of what they make of them."""

from __future__ import annotations

import itertools
import json
import re
from collections.abc import Iterator, Sequence
from pathlib import Path

from bench.peers.protocol import one_line, spread
from spanlin.errors import SpanlinError
from spanlin.evaluation import score_trees
from spanlin.trees.brackets import parse_tree, read_trees
from spanlin.trees.escapes import escape_word
from spanlin.trees.transforms import clean_tree
from spanlin.trees.tree import Tree

_PRETERMINAL = re.compile(r"\(([^\s()]+) ([^\s()]+)\)")


def dev_f1(gold: Sequence[Tree], lines: Sequence[str]) -> float | str:
    """Return the labelled F1 of the trees, scored on gold tags, or why they cannot be scored."""
    try:
        predicted = [_with_gold_leaves(tree, line) for tree, line in zip(gold, lines, strict=True)]
        return round(score_trees(gold, predicted).f1 or 0.0, 2)
    except (SpanlinError, ValueError) as error:
        return one_line(error)


def _with_gold_leaves(gold: Tree, line: str) -> Tree:
    """Return the predicted tree over the gold words and tags: not all peers tag, and some change words."""
    leaves = iter([f"({leaf.tag} {escape_word(leaf.word)})" for leaf in gold.leaves])
    count = len(_PRETERMINAL.findall(line))
    if count != len(gold.leaves):
        raise ValueError(f"a sentence of {len(gold.leaves)} words has a tree of {count}")
    found = clean_tree(parse_tree(_PRETERMINAL.sub(lambda _: next(leaves), line)), remove_empty_elements=False)
    assert found is not None
    return found


def take(sentences: list[list[str]], count: int) -> list[list[str]]:
    """Return this many sentences: evenly spread over the list, or the list over and over."""
    return list(itertools.islice(itertools.cycle(spread(sentences, count)), count))


def first_trees(path: Path, count: int) -> list[Tree]:
    """Return this many clean trees of more than one word from the start of the file."""
    cleaned = (clean_tree(tree) for tree in read_trees(path))
    return list(itertools.islice((tree for tree in cleaned if tree is not None and len(tree.words) > 1), count))


def read_token_lists(path: Path) -> Iterator[list[str]]:
    """Yield the words of each tree of a treebank, or the lists of a `.jsonl` file."""
    if path.suffix == ".jsonl":
        with path.open(encoding="utf-8") as lines:
            yield from map(json.loads, lines)
    else:
        for tree in read_trees(path):
            yield list(tree.words)
