from __future__ import annotations

import itertools
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spanlin.errors import LinearizationError
from spanlin.linearization import (
    crossing_pair,
    delinearize,
    delinearize_right,
    is_legal,
    is_legal_right,
    linearize,
    linearize_right,
    linearize_tree,
    linearize_tree_right,
    mirror,
)
from spanlin.trees.brackets import parse_tree
from spanlin.trees.transforms import binarize
from spanlin.trees.tree import Span, Tree
from strategies import binary_spans, trees


@given(binary_spans())
def test_delinearize_inverts_linearize(drawn: tuple[frozenset[Span], int]) -> None:
    spans, word_count = drawn
    left_boundaries = linearize(spans, word_count)
    assert is_legal(left_boundaries)
    assert delinearize(left_boundaries) == spans


@given(binary_spans())
def test_delinearize_right_inverts_linearize_right(drawn: tuple[frozenset[Span], int]) -> None:
    spans, word_count = drawn
    right_boundaries = linearize_right(spans, word_count)
    assert is_legal_right(right_boundaries)
    assert delinearize_right(right_boundaries) == spans


@given(trees)
def test_a_tree_and_its_binary_form_have_the_same_boundaries(tree: Tree) -> None:
    spans = [Span(left, right) for left, right, _ in binarize(tree).constituents()]
    word_count = len(tree.words)
    assert linearize_tree(tree) == linearize(spans, word_count)
    assert linearize_tree_right(tree) == linearize_right(spans, word_count)


@pytest.mark.parametrize("word_count", range(1, 9))
def test_legal_sequences_are_as_many_as_binary_trees(word_count: int) -> None:
    candidates = itertools.product(*map(range, range(1, word_count + 1)))
    assert sum(map(is_legal, candidates)) == math.comb(2 * word_count - 2, word_count - 1) // word_count


@given(st.integers(1, 9).flatmap(lambda n: st.tuples(*(st.integers(0, j) for j in range(n)))))
def test_legality_is_the_papers_second_proposition(left_boundaries: tuple[int, ...]) -> None:
    spans = [Span(left, right) for right, left in enumerate(left_boundaries, start=1)]
    crossings = [(a, b) for a, b in itertools.combinations(spans, 2) if a.left < b.left < a.right]
    assert (crossing_pair(left_boundaries) is None) == (not crossings)
    if crossings:
        assert crossing_pair(left_boundaries) in crossings


@given(st.lists(st.integers(0, 20)))
def test_mirror_is_its_own_inverse(boundaries: list[int]) -> None:
    assert mirror(mirror(boundaries)) == tuple(boundaries)


def test_the_worked_examples() -> None:
    she = parse_tree("(S (NP (PRP She)) (VP (VBZ loves) (S (VP (VBG writing) (NP (NN code))))) (. .))")
    assert linearize_tree(she) == (0, 1, 2, 1, 0)
    assert linearize_tree_right(she) == (5, 5, 4, 4, 5)
    cats = parse_tree("(S (NP (JJ Old) (NNS cats)) (VP (VBP sleep) (NP (DT all) (NN day))))")
    assert linearize_tree(cats) == (0, 0, 2, 3, 0)


@pytest.mark.parametrize(
    ("left_boundaries", "message"),
    [
        ((), "^no boundaries: a sentence has at least one word$"),
        ((0, 2, 0), "left boundary 2 at split point 2: must be 0 to 1"),
        ((0, -1), "left boundary -1 at split point 2: must be 0 to 1"),
        ((0, 0, 1, 0), r"\(0, 2\) and \(1, 3\) cross"),
        ((0, 1), "left boundary 1 at the last split point: must be 0"),
        ((0, 0, 2), "left boundary 2 at the last split point: must be 0"),
    ],
)
def test_boundaries_of_no_tree_are_an_error(left_boundaries: tuple[int, ...], message: str) -> None:
    assert not is_legal(left_boundaries)
    with pytest.raises(LinearizationError, match=message):
        delinearize(left_boundaries)


@pytest.mark.parametrize(
    ("right_boundaries", "message"),
    [
        ((), "^no boundaries: a sentence has at least one word$"),
        ((3, 1, 3), "right boundary 1 at split point 1: must be 2 to 3"),
        ((2, 2, 3), "right boundary 2 at split point 0: must be 3"),
        ((1, 3, 3), "right boundary 1 at split point 0: must be 3"),
        ((4, 3, 4, 4), r"no tree has these right boundaries: \(1, 3\) and \(2, 4\) cross"),
    ],
)
def test_right_boundaries_of_no_tree_are_an_error(right_boundaries: tuple[int, ...], message: str) -> None:
    assert not is_legal_right(right_boundaries)
    with pytest.raises(LinearizationError, match=message):
        delinearize_right(right_boundaries)
