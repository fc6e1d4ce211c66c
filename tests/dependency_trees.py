"""Dependency trees that hypothesis draws."""

from __future__ import annotations

from hypothesis import strategies as st


@st.composite
def head_trees(draw: st.DrawFn, max_words: int = 12) -> tuple[int, ...]:
    """The heads of a tree of any shape, crossing arcs included."""
    count = draw(st.integers(1, max_words))
    order = draw(st.permutations(range(1, count + 1)))  # each word after its head
    heads = [0] * count
    for number, word in enumerate(order[1:], start=1):
        heads[word - 1] = order[draw(st.integers(0, number - 1))]
    return tuple(heads)
