from __future__ import annotations

import itertools

import numpy as np
import pytest

from oracles.dependency_trees import all_dependency_trees
from oracles.joint_parses import are_compatible
from oracles.labelled_trees import all_labelled_trees
from oracles.random_decoding import random_boundaries
from spanlin.decoding import greedy_trees
from spanlin.decoding.head_spans import children_of, go_together, go_together_batch, one_headed_spans
from spanlin.decoding.heads import are_projective
from spanlin.linearization import is_legal
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


def random_heads(generator: np.random.Generator, word_count: int) -> list[int]:
    """Heads of a dependency tree, near ones more often, so that some are projective."""
    heads = [0] * word_count
    placed = [int(generator.integers(1, word_count + 1))]
    for word in sorted(set(range(1, word_count + 1)) - set(placed), key=lambda word: abs(word - placed[0])):
        nearest = sorted(placed, key=lambda other: abs(other - word))
        heads[word - 1] = nearest[min(int(generator.geometric(0.7)) - 1, len(nearest) - 1)]
        placed.append(word)
    return heads


@pytest.mark.parametrize("most_words", [1, 2, 3, 5, 9, 14])
def test_a_batch_goes_together_where_each_sentence_does(most_words: int) -> None:
    generator = np.random.default_rng(most_words)
    counts = generator.integers(1, most_words + 1, size=600)
    lefts, rights = greedy_trees(random_boundaries(generator, 600, most_words), counts)
    # Few constituents, or there would hardly be a pair.
    are_constituents = generator.random(lefts.shape) < 0.3
    heads = generator.integers(0, most_words + 1, size=(600, most_words))  # what stands in the padding means nothing
    expected, crossing = [], 0
    for row, count in enumerate(counts.tolist()):
        heads[row, :count] = random_heads(generator, count)
        spans = zip(lefts[row, : count - 1].tolist(), rights[row, : count - 1].tolist(), strict=True)
        chosen = [Span(*span) for span, is_one in zip(spans, are_constituents[row], strict=False) if is_one]
        expected.append(go_together(chosen, heads[row, :count].tolist()))
        crossing += expected[-1] and not are_projective(heads[row : row + 1], counts[row : row + 1])[0]
    assert go_together_batch(lefts, rights, are_constituents, heads, counts).tolist() == expected
    assert set(expected) == ({True} if most_words < 3 else {True, False})
    assert crossing or most_words < 5  # else only projective heads are tried


def test_every_small_pair_goes_together_in_a_batch_as_by_itself() -> None:
    """Every tree of 4 words with every choice of constituents, and all heads."""
    boundaries = np.array(
        [row for row in itertools.product(*map(range, range(1, 5))) if is_legal(row) and row[-1] == 0]
    )
    lefts, rights = greedy_trees(boundaries, np.full(len(boundaries), 4))
    heads = all_dependency_trees(4)[0]
    for chosen in itertools.product((False, True), repeat=3):
        for tree in range(len(lefts)):
            spans = [Span(int(lefts[tree, k]), int(rights[tree, k])) for k in range(3) if chosen[k]]
            every = np.full(len(heads), tree)
            found = go_together_batch(
                lefts[every], rights[every], np.array([chosen] * len(heads)), heads, np.full(len(heads), 4)
            )
            assert found.tolist() == [go_together(spans, one) for one in heads.tolist()]
