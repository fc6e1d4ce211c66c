"""A tree as the 2n-1 labelled spans of its right-binary form, arranged by split point, and back.

A binary tree over n words has one inner span for each split point 1..n-1: the one that is divided there. Together
with the n one-word spans they are all its spans, so two lists of labels beside the split spans are the whole tree.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

from spanlin.errors import TreeError
from spanlin.trees.transforms import EMPTY_LABEL, UNARY_JOIN, escape_label, split_chain
from spanlin.trees.tree import Leaf, Node, Span, Tree

_UNKNOWN = Span(-1, -1)  # until the constituent is closed


class LabelledSplits(NamedTuple):
    """The spans of a binary tree and their labels; labels are collapsed unary chains or the empty label.

    `spans[k-1]` is the span divided at split point k, `split_labels[k-1]` its label; `word_labels[j]` is the label
    of the one-word constituent over word j.
    """

    words: tuple[str, ...]
    tags: tuple[str, ...]
    spans: tuple[Span, ...]
    split_labels: tuple[str, ...]
    word_labels: tuple[str, ...]

    @property
    def left_boundaries(self) -> tuple[int, ...]:
        """The left linearization: the span divided at k has its left child ending at k."""
        return (*(span.left for span in self.spans), 0)

    @property
    def right_boundaries(self) -> tuple[int, ...]:
        """The right linearization, for split points 0..n-1."""
        return (len(self.words), *(span.right for span in self.spans))


def labelled_splits(tree: Tree) -> LabelledSplits:
    """Return the labelled spans of the tree's right-binary form, in linear time."""
    words: list[str] = []
    tags: list[str] = []
    word_labels: list[str] = []
    # Item k belongs to split point k, where a word starts; the first is never used.
    spans: list[Span] = []
    split_labels: list[str] = []
    stack: list[tuple[Node | None, str, list[int]]] = [(tree, "", [])]
    while stack:
        node, label, lefts = stack.pop()
        if node is None:
            # All words of a constituent are read: its children start at `lefts` and it ends here. Its p-th child
            # and all after it form a span that is divided where child p+1 starts.
            right = len(words)
            for left, split_point in pairwise(lefts):
                spans[split_point] = Span(left, right)
                split_labels[split_point] = label
                label = EMPTY_LABEL
            continue
        lefts.append(len(words))
        label = EMPTY_LABEL
        if isinstance(node, Tree):
            chain = [escape_label(node.label)]
            while len(node.children) == 1:
                node = node.children[0]
                if isinstance(node, Leaf):
                    break
                chain.append(escape_label(node.label))
            label = UNARY_JOIN.join(chain)
        if isinstance(node, Leaf):
            words.append(node.word)
            tags.append(node.tag)
            word_labels.append(label)
            spans.append(_UNKNOWN)
            split_labels.append(EMPTY_LABEL)
        elif not node.children:
            raise TreeError(f"the constituent {node.label!r} has no children: give it at least one word")
        else:
            own: list[int] = []
            stack.append((None, label, own))
            stack.extend([(child, "", own) for child in reversed(node.children)])
    return LabelledSplits(tuple(words), tuple(tags), tuple(spans[1:]), tuple(split_labels[1:]), tuple(word_labels))


def splits_from_numbers(  # noqa: PLR0917 (the arrays of a parse, in their order)
    words: Sequence[str],
    tags: Sequence[str],
    lefts: Sequence[int],
    rights: Sequence[int],
    split_labels: Sequence[int],
    word_labels: Sequence[int],
    *,
    labels: Sequence[str],
) -> LabelledSplits:
    """Return the labelled spans of a parse whose labels are numbers; all four rows of it may be padded."""
    count = len(words)
    return LabelledSplits(
        words=tuple(words),
        tags=tuple(tags),
        spans=tuple(map(Span, lefts[: count - 1], rights[: count - 1])),
        split_labels=tuple(labels[label] for label in split_labels[: count - 1]),
        word_labels=tuple(labels[label] for label in word_labels[:count]),
    )


def tree_from_splits(splits: LabelledSplits, *, root_label: str = "TOP") -> Tree:
    """Return the tree with these labelled spans; a whole sentence without a label gets `root_label`."""
    word_count = len(splits.words)
    opened: list[list[tuple[str, int]]] = [[] for _ in range(word_count)]
    # Of the spans that start at one place, the one divided furthest to the right is the outermost.
    for span, label in zip(reversed(splits.spans), reversed(splits.split_labels), strict=True):
        if label != EMPTY_LABEL:
            opened[span.left].append((label, span.right))
    stack: list[tuple[str, int, list[Node]]] = [(root_label, word_count, [])]
    for position in range(word_count):
        stack.extend((label, right, []) for label, right in opened[position])
        node: Node = Leaf(splits.tags[position], splits.words[position])
        if splits.word_labels[position] != EMPTY_LABEL:
            node = _chain(splits.word_labels[position], (node,))
        stack[-1][2].append(node)
        while stack[-1][1] == position + 1 and len(stack) > 1:
            label, _, children = stack.pop()
            stack[-1][2].append(_chain(label, tuple(children)))
    children = stack[0][2]
    if len(children) == 1 and isinstance(children[0], Tree):
        return children[0]
    return Tree(root_label, tuple(children))


def _chain(label: str, children: tuple[Node, ...]) -> Tree:
    labels = split_chain(label)
    node = Tree(labels[-1], children)
    for upper in reversed(labels[:-1]):
        node = Tree(upper, (node,))
    return node
