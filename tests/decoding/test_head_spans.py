from __future__ import annotations

import numpy as np
import pytest

from oracles.dependency_trees import all_dependency_trees
from oracles.joint_parses import are_compatible
from oracles.labelled_trees import all_labelled_trees
from spanlin.decoding.head_spans import children_of, go_together, one_headed_spans
from spanlin.trees.tree import Span


@pytest.mark.parametrize("word_count", range(1, 6))
def test_one_headed_spans_are_those_with_one_word_governed_from_outside(word_count: int) -> None:
    for heads in all_dependency_trees(word_count)[0]:
        found = one_headed_spans(heads)
        for left in range(word_count):
            for right in range(left + 1, word_count + 1):
                outside = sum(not left < head <= right for head in heads[left:right])
                assert found[left, right] == (outside == 1)


@pytest.mark.parametrize("word_count", range(1, 5))
def test_trees_and_heads_go_together_by_the_definition(word_count: int) -> None:
    places = np.arange(word_count + 1)
    are_long = places[np.newaxis] - places[:, np.newaxis] > 1
    shapes = np.unique((all_labelled_trees(word_count, 2).constituents > 0) & are_long, axis=0)
    seen = set()
    for shape in shapes:
        spans = [Span(int(left), int(right)) for left, right in np.argwhere(shape)]
        for heads in all_dependency_trees(word_count)[0].tolist():
            expected = are_compatible([(left, right) for left, right in spans], tuple(heads))
            assert go_together(spans, heads) == expected
            seen.add(expected)
    assert seen == ({True} if word_count < 3 else {True, False})


def test_one_head_for_each_constituent_does_not_make_heads_projective() -> None:
    # Word 1 governs word 3, and word 2, its own head, is the root.
    assert go_together([Span(0, 2), Span(2, 4)], [2, 0, 1, 3])
    # In a flat constituent, crossing arcs are left out.
    assert not go_together([], [3, 4, 0, 3])
    assert go_together([], [2, 0, 2, 3])


def test_children_are_constituents_and_words_from_left_to_right() -> None:
    found = children_of([Span(1, 4), Span(1, 3)], 5)
    assert found == {
        Span(0, 5): [Span(0, 1), Span(1, 4), Span(4, 5)],
        Span(1, 4): [Span(1, 3), Span(3, 4)],
        Span(1, 3): [Span(1, 2), Span(2, 3)],
    }
    assert list(found) == [Span(0, 5), Span(1, 4), Span(1, 3)]
    assert children_of([], 1) == {}
