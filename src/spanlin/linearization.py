"""The span-based linearization of binary trees (Wei et al. 2020, sec. 2), to the left and to the right.

`left_boundaries` (the paper's D) has an item for each split point 1..n: the left edge of the longest span that ends
there. `right_boundaries` is its mirror image: for each split point 0..n-1, the right edge of the longest span that
starts there. Either is enough to give the tree back.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from spanlin.errors import LinearizationError
from spanlin.trees.tree import Leaf, Node, Span, Tree


def linearize(spans: Iterable[Span], word_count: int) -> tuple[int, ...]:
    """Return, for split points 1..n, the left boundary of the longest span ending there.

    `spans` come from a binary tree; one-word spans may be left out. Wei et al. (2020), Fig. 1c.

    >>> linearize([Span(0, 5), Span(1, 5), Span(1, 4), Span(2, 4)], 5)
    (0, 1, 2, 1, 0)
    """
    left_boundaries = list(range(word_count))
    for left, right in spans:
        left_boundaries[right - 1] = min(left, left_boundaries[right - 1])
    return tuple(left_boundaries)


def linearize_tree(tree: Tree) -> tuple[int, ...]:
    """Return the left boundaries of a tree of any shape, as if it were right-binarized first, in linear time.

    Of the children of a constituent, right binarization makes all but the last left children (Prop. 1).
    """
    left_boundaries: list[int] = []
    # Where the span of the node starts if it is a left child; its last child ends where the node itself does.
    stack: list[tuple[Node, int]] = [(tree, 0)]
    while stack:
        node, outer_left = stack.pop()
        left = len(left_boundaries) if outer_left < 0 else outer_left
        if isinstance(node, Leaf):
            left_boundaries.append(left)
        else:
            stack.append((node.children[-1], left))
            stack.extend((child, -1) for child in reversed(node.children[:-1]))
    return tuple(left_boundaries)


def linearize_tree_right(tree: Tree) -> tuple[int, ...]:
    """Return the right boundaries of a tree of any shape, as if it were right-binarized first, in linear time.

    Right binarization gives each child but the first a span that reaches to the end of its parent.
    """
    right_boundaries: list[int] = []
    # A list holds the left edges of a constituent's children; None in place of a node closes the constituent.
    stack: list[tuple[Node | None, list[int]]] = [(tree, [])]
    while stack:
        node, lefts = stack.pop()
        if node is None:
            right = len(right_boundaries)
            for left in lefts:
                # Outer constituents close later; they overwrite what the inner ones wrote.
                right_boundaries[left] = right
            continue
        lefts.append(len(right_boundaries))
        if isinstance(node, Leaf):
            right_boundaries.append(len(right_boundaries) + 1)
        else:
            own: list[int] = []
            stack.append((None, own))
            stack.extend((child, own) for child in reversed(node.children))
    return tuple(right_boundaries)


def delinearize(left_boundaries: Sequence[int]) -> frozenset[Span]:
    """Return all 2n-1 spans of the one binary tree with these left boundaries, in linear time.

    >>> sorted(delinearize((0, 0, 0)))
    [Span(left=0, right=1), Span(left=0, right=2), Span(left=0, right=3), Span(left=1, right=2), Span(left=2, right=3)]
    """
    _require_legal(left_boundaries)
    spans: set[Span] = set()
    open_lefts: list[int] = []  # of adjacent spans, left to right, each waiting for a right sibling
    for split_point, left_boundary in enumerate(left_boundaries, start=1):
        spans.add(Span(split_point - 1, split_point))
        left = split_point - 1
        while left > left_boundary:
            left = open_lefts.pop()
            spans.add(Span(left, split_point))
        open_lefts.append(left)
    return frozenset(spans)


def mirror(boundaries: Sequence[int]) -> tuple[int, ...]:
    """Return the right boundaries of a tree's mirror image from its left boundaries, or the other way round.

    Read from the other end, a left edge i of a sentence of n words is the right edge n - i.

    >>> mirror((0, 1, 2, 1, 0))
    (5, 4, 3, 4, 5)
    """
    word_count = len(boundaries)
    return tuple(word_count - boundary for boundary in reversed(boundaries))


def linearize_right(spans: Iterable[Span], word_count: int) -> tuple[int, ...]:
    """Return, for split points 0..n-1, the right boundary of the longest span starting there.

    >>> linearize_right([Span(0, 5), Span(1, 5), Span(1, 4), Span(2, 4)], 5)
    (5, 5, 4, 4, 5)
    """
    right_boundaries = list(range(1, word_count + 1))
    for left, right in spans:
        right_boundaries[left] = max(right, right_boundaries[left])
    return tuple(right_boundaries)


def delinearize_right(right_boundaries: Sequence[int]) -> frozenset[Span]:
    """Return all 2n-1 spans of the one binary tree with these right boundaries, in linear time."""
    word_count = len(right_boundaries)
    for split_point, boundary in enumerate(right_boundaries):
        if not split_point < boundary <= word_count:
            raise LinearizationError(
                f"right boundary {boundary} at split point {split_point}: must be {split_point + 1} to {word_count}"
            )
    if right_boundaries and right_boundaries[0] != word_count:
        raise LinearizationError(
            f"right boundary {right_boundaries[0]} at split point 0: must be {word_count}, the end of the sentence"
        )
    mirrored = mirror(right_boundaries)
    pair = crossing_pair(mirrored)
    if pair is not None:
        one, two = (Span(word_count - right, word_count - left) for left, right in pair)
        raise LinearizationError(f"no tree has these right boundaries: {_show(two)} and {_show(one)} cross")
    return frozenset(Span(word_count - right, word_count - left) for left, right in delinearize(mirrored))


def is_legal(left_boundaries: Sequence[int]) -> bool:
    """Tell whether some tree has these left boundaries (Wei et al. 2020, Prop. 2), in linear time.

    >>> is_legal((0, 1, 2, 1, 0)), is_legal((0, 0, 1, 0))
    (True, False)
    """
    return (
        len(left_boundaries) > 0
        and left_boundaries[-1] == 0
        and all(0 <= left < right for right, left in enumerate(left_boundaries, start=1))
        and crossing_pair(left_boundaries) is None
    )


def is_legal_right(right_boundaries: Sequence[int]) -> bool:
    """Tell whether some tree has these right boundaries, in linear time."""
    return is_legal(mirror(right_boundaries))


def crossing_pair(left_boundaries: Sequence[int]) -> tuple[Span, Span] | None:
    """Return the first two spans that cross, the one that ends first in front; None if none do. Linear time.

    Every boundary must lie left of its split point.
    """
    open_spans: list[Span] = []
    for split_point, left_boundary in enumerate(left_boundaries, start=1):
        # What starts inside the new span is covered by it, what ends before it stays; the rest it would cut in two.
        while open_spans and open_spans[-1].left >= left_boundary:
            open_spans.pop()
        if open_spans and open_spans[-1].right > left_boundary:
            return open_spans[-1], Span(left_boundary, split_point)
        open_spans.append(Span(left_boundary, split_point))
    return None


def _require_legal(left_boundaries: Sequence[int]) -> None:
    if not left_boundaries:
        raise LinearizationError("no boundaries: a sentence has at least one word")
    for split_point, boundary in enumerate(left_boundaries, start=1):
        if not 0 <= boundary < split_point:
            raise LinearizationError(
                f"left boundary {boundary} at split point {split_point}: must be 0 to {split_point - 1}"
            )
    pair = crossing_pair(left_boundaries)
    if pair is not None:
        raise LinearizationError(f"no tree has these left boundaries: {_show(pair[0])} and {_show(pair[1])} cross")
    if left_boundaries[-1] != 0:
        raise LinearizationError(
            f"left boundary {left_boundaries[-1]} at the last split point: must be 0, the start of the sentence"
        )


def _show(span: Span) -> str:
    return f"({span.left}, {span.right})"
