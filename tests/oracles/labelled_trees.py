"""All labelled trees over a few words, of any arity, each written out by its definition; no chart."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from typing import NamedTuple

import numpy as np

LEFT, RIGHT, ROOT = range(3)
EMPTY = 0


class Node(NamedTuple):
    """A word or a constituent; a word may have the empty label, and has no children."""

    left: int
    right: int
    label: int
    children: tuple[Node, ...]


def all_nodes(left: int, right: int, label_count: int, *, is_root: bool) -> Iterator[Node]:
    """Every node over these words, with labels 0 (empty) to `label_count` - 1."""
    if right - left == 1:
        for label in range(1 if is_root else 0, label_count):
            yield Node(left, right, label, ())
        return
    for inner in itertools.chain.from_iterable(
        itertools.combinations(range(left + 1, right), count) for count in range(1, right - left)
    ):
        edges = (left, *inner, right)
        options = [list(all_nodes(i, j, label_count, is_root=False)) for i, j in itertools.pairwise(edges)]
        for children in itertools.product(*options):
            for label in range(1, label_count):
                yield Node(left, right, label, children)


@dataclass(frozen=True)
class AllLabelledTrees:
    """All trees over n words: where each one's terms stand in flat arrays, and which constituents it has.

    `label_terms` is [trees, 2n - 1] into [3, n + 1, n + 1, labels]; `left_terms` and `right_terms` are [trees, n - 1]
    into [n, n]. `constituents` is [trees, n + 1, n + 1], the label of the constituent over (i, j), 0 for none.
    """

    label_terms: np.ndarray
    left_terms: np.ndarray
    right_terms: np.ndarray
    constituents: np.ndarray

    def scores(self, left: np.ndarray | None, right: np.ndarray | None, labels: np.ndarray) -> np.ndarray:
        """The score of each tree; `labels` is [3, n + 1, n + 1, labels]."""
        total: np.ndarray = labels.ravel()[self.label_terms].sum(axis=1)
        if left is not None:
            total = total + left.ravel()[self.left_terms].sum(axis=1)
        if right is not None:
            total = total + right.ravel()[self.right_terms].sum(axis=1)
        return total


@cache
def all_labelled_trees(word_count: int, label_count: int) -> AllLabelledTrees:
    """All of them, with their terms as right binarization gives them."""
    found = [_terms(tree, word_count, label_count) for tree in all_nodes(0, word_count, label_count, is_root=True)]
    shape = (len(found), word_count - 1)
    return AllLabelledTrees(
        np.array([labels for labels, _, _, _ in found]),
        np.array([lefts for _, lefts, _, _ in found], dtype=np.int64).reshape(shape),
        np.array([rights for _, _, rights, _ in found], dtype=np.int64).reshape(shape),
        np.array([table for _, _, _, table in found]),
    )


def _terms(tree: Node, n: int, label_count: int) -> tuple[list[int], list[int], list[int], np.ndarray]:
    size = n + 1
    labels: list[int] = []
    lefts: list[int] = []
    rights: list[int] = []
    table = np.zeros((size, size), dtype=np.int8)

    def visit(node: Node, role: int) -> None:
        labels.append(((role * size + node.left) * size + node.right) * label_count + node.label)
        table[node.left, node.right] = node.label
        rest = node.children
        while rest:
            start, k, end = rest[0].left, rest[0].right, node.right
            lefts.append((k - 1) * n + start)
            rights.append(k * n + end - 1)
            visit(rest[0], LEFT)
            rest = rest[1:]
            if len(rest) == 1:
                visit(rest[0], RIGHT)
                break
            labels.append(((RIGHT * size + k) * size + end) * label_count + EMPTY)  # the helper over the rest

    visit(tree, ROOT)
    return labels, lefts, rights, table
