"""Hypothesis strategies that several test files share."""

from __future__ import annotations

from hypothesis import strategies as st

from spanlin.trees.tree import Leaf, Node, Span, Tree

WORD_TRAPS = [
    "(",
    ")",
    "-LRB-",
    "-RRB-",
    "-U-",
    "-U0028-",
    "-LRB",
    "LRB-",
    "",
    " ",
    "a b",
    "\n",
    "``",
    "''",
    "😀",
    "+",
    "∅",
]

words = st.one_of(st.text(max_size=8), st.sampled_from(WORD_TRAPS), st.lists(st.sampled_from(WORD_TRAPS)).map("".join))
labels = st.one_of(
    st.sampled_from(["S", "NP", "VP", "", "∅", "\\∅", "A+B", "\\", "+", "-LRB-", "NP-SBJ=1"]),
    st.text(st.characters(exclude_characters="()\t\n\v\f\r ", exclude_categories=["Cs"]), max_size=6),
)
leaves = st.builds(Leaf, labels, words)
nodes: st.SearchStrategy[Node] = st.recursive(
    leaves,
    lambda children: st.builds(Tree, labels, st.lists(children, min_size=1, max_size=4).map(tuple)),
    max_leaves=12,
)
trees = st.builds(Tree, labels, st.lists(nodes, min_size=1, max_size=4).map(tuple))


@st.composite
def binary_spans(draw: st.DrawFn, max_words: int = 12) -> tuple[frozenset[Span], int]:
    """All 2n-1 spans of a random binary tree, and n."""
    word_count = draw(st.integers(1, max_words))
    spans: set[Span] = set()
    todo = [Span(0, word_count)]
    while todo:
        span = todo.pop()
        spans.add(span)
        if span.right - span.left > 1:
            split_point = draw(st.integers(span.left + 1, span.right - 1))
            todo += [Span(span.left, split_point), Span(split_point, span.right)]
    return frozenset(spans), word_count
