"""Constituent trees: words as leaves, labelled nodes above them, spans between split points.

Nothing here recurses, so a tree may be as deep as memory allows.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from typing import NamedTuple, TypeAlias

from spanlin.errors import TreeError
from spanlin.trees.escapes import escape_word


class Span(NamedTuple):
    """The words between two split points, half-open: `words[left:right]`."""

    left: int
    right: int


class LabelledSpan(NamedTuple):
    """A span and the label of the constituent over it."""

    left: int
    right: int
    label: str


class Leaf:
    """A word and its part-of-speech tag; either may be empty. Treat it as immutable."""

    __slots__ = ("tag", "word")

    def __init__(self, tag: str, word: str) -> None:
        self.tag = tag
        self.word = word

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Leaf) and self.word == other.word and self.tag == other.tag

    def __hash__(self) -> int:
        return hash((self.tag, self.word))

    def __repr__(self) -> str:
        return f"Leaf({self.tag!r}, {self.word!r})"


class Tree:
    """A constituent: a label over one or more children. Treat it as immutable.

    >>> Tree("NP", (Leaf("JJ", "Old"), Leaf("NNS", "cats"))).words
    ('Old', 'cats')
    """

    __slots__ = ("label", "children")

    def __init__(self, label: str, children: tuple[Node, ...]) -> None:
        self.label = label
        self.children = children

    @property
    def leaves(self) -> tuple[Leaf, ...]:
        """The leaves from left to right."""
        return tuple(node for node in self.preorder() if isinstance(node, Leaf))

    @property
    def words(self) -> tuple[str, ...]:
        """The words from left to right."""
        return tuple(leaf.word for leaf in self.leaves)

    @property
    def tags(self) -> tuple[str, ...]:
        """The part-of-speech tags from left to right."""
        return tuple(leaf.tag for leaf in self.leaves)

    @property
    def height(self) -> int:
        """The number of constituents on the longest path from the root to a word."""
        height = 0
        level: list[Node] = [self]
        while level := [child for node in level if isinstance(node, Tree) for child in node.children]:
            height += 1
        return height

    def preorder(self) -> Iterator[Node]:
        """Yield every node, each before its children, from left to right."""
        stack: list[Node] = [self]
        while stack:
            node = stack.pop()
            yield node
            if isinstance(node, Tree):
                stack.extend(reversed(node.children))

    def constituents(self) -> Iterator[LabelledSpan]:
        """Yield the labelled span of every constituent, each after its children; leaves are not constituents."""
        word_count = 0
        stack: list[tuple[Node, int]] = [(self, -1)]
        while stack:
            node, left = stack.pop()
            if isinstance(node, Leaf):
                word_count += 1
            elif left >= 0:
                yield LabelledSpan(left, word_count, node.label)
            else:
                # Comes back when its words are counted; the left edge shows that it has been opened.
                stack.append((node, word_count))
                stack.extend((child, -1) for child in reversed(node.children))

    def __eq__(self, other: object) -> bool:
        if self is other:
            return True
        if not isinstance(other, Tree):
            return NotImplemented
        pairs: list[tuple[Node, Node]] = [(self, other)]
        while pairs:
            one, two = pairs.pop()
            if one is two:
                continue
            if isinstance(one, Tree):
                if not isinstance(two, Tree) or one.label != two.label or len(one.children) != len(two.children):
                    return False
                pairs.extend(zip(one.children, two.children, strict=True))
            elif one != two:
                return False
        return True

    def __hash__(self) -> int:
        return hash((self.label, tuple(hash(node) for node in self.preorder() if isinstance(node, Leaf))))

    def __str__(self) -> str:
        """The tree on one line, in brackets."""
        parts: list[str] = []
        stack: list[Node | None] = [self]
        while stack:
            node = stack.pop()
            if node is None:
                parts.append(")")
            elif isinstance(node, Leaf):
                parts.append(f" ({_written_label(node.tag)} {escape_word(node.word)})")
            elif node.children:
                parts.append(f" ({_written_label(node.label)}")
                stack.append(None)
                stack.extend(reversed(node.children))
            else:
                raise TreeError(f"the constituent {node.label!r} has no children: give it at least one word")
        return "".join(parts)[1:]

    def __repr__(self) -> str:
        try:
            return f"<Tree {self}>"
        except TreeError as error:
            return f"<Tree that cannot be written: {error}>"

    def _repr_svg_(self) -> str | None:
        return _drawers["svg"](self)

    def _repr_html_(self) -> str | None:
        return _drawers["html"](self)

    def __reduce__(self) -> tuple[object, tuple[object, ...]]:
        # Pickle would walk the children recursively and fail on a deep tree.
        return _from_postorder, (tuple(_to_postorder(self)),)


Node: TypeAlias = Tree | Leaf

# How a notebook shows a tree. Drawing is not known here: `spanlin/__init__.py`, which is always imported, says how.
_drawers: dict[str, Callable[[Tree], str | None]] = {}


def set_drawers(**drawers: Callable[[Tree], str | None]) -> None:
    """Say how a notebook shows trees, as `svg` and as `html`; a drawer returns None for a tree that it cannot draw."""
    _drawers.update(drawers)


# Labels keep their spelling (the tag -LRB- is a label, not an escape), so these few cannot be written.
_UNWRITABLE = re.compile(r"[()\t\n\v\f\r\ud800-\udfff ]")


def _written_label(label: str) -> str:
    if _UNWRITABLE.search(label):
        raise TreeError(f"the label {label!r} holds a bracket or white space and cannot be written: rename it")
    return label


def rebuild(
    tree: Tree,
    *,
    leaf: Callable[[Leaf], Iterable[Node]],
    constituent: Callable[[str, tuple[Node, ...]], Iterable[Node]],
) -> tuple[Node, ...]:
    """Return the result of replacing each node of a tree, children first, by zero or more nodes."""
    done: list[list[Node]] = [[]]
    stack: list[tuple[Node, bool]] = [(tree, False)]
    while stack:
        node, opened = stack.pop()
        if isinstance(node, Leaf):
            done[-1].extend(leaf(node))
        elif opened:
            children = tuple(done.pop())
            done[-1].extend(constituent(node.label, children))
        else:
            done.append([])
            stack.append((node, True))
            stack.extend((child, False) for child in reversed(node.children))
    return tuple(done[0])


def _to_postorder(tree: Tree) -> Iterator[tuple[str, str | int]]:
    """Yield (tag, word) for a leaf and (label, number of children) for a constituent, children first."""
    stack: list[tuple[Node, bool]] = [(tree, False)]
    while stack:
        node, opened = stack.pop()
        if isinstance(node, Leaf):
            yield node.tag, node.word
        elif opened:
            yield node.label, len(node.children)
        else:
            stack.append((node, True))
            stack.extend((child, False) for child in reversed(node.children))


def _from_postorder(items: tuple[tuple[str, str | int], ...]) -> Node:
    nodes: list[Node] = []
    for label, word_or_count in items:
        if isinstance(word_or_count, str):
            nodes.append(Leaf(label, word_or_count))
        else:
            children = tuple(nodes[len(nodes) - word_or_count :])
            del nodes[len(nodes) - word_or_count :]
            nodes.append(Tree(label, children))
    return nodes.pop()
