from __future__ import annotations

import itertools

import pytest

from spanlin.dependencies import Dependencies
from spanlin.dependencies.heads import is_projective, tree_problem
from spanlin.errors import DependencyError


def obvious_tree(heads: tuple[int, ...]) -> bool:
    """One root, and every word reaches it in at most n steps."""
    for word in range(1, len(heads) + 1):
        steps = 0
        while word and steps <= len(heads):
            word, steps = heads[word - 1], steps + 1
        if word:
            return False
    return heads.count(0) == 1


def crossing(one: tuple[int, int], two: tuple[int, int]) -> bool:
    (a, b), (c, d) = sorted(one), sorted(two)
    return a < c < b < d or c < a < d < b


@pytest.mark.parametrize("word_count", range(1, 6))
def test_trees_and_projective_trees_are_what_their_definitions_say(word_count: int) -> None:
    trees = 0
    for heads in itertools.product(range(word_count + 1), repeat=word_count):
        is_tree = obvious_tree(heads)
        assert (tree_problem(heads) == "") == is_tree, heads
        trees += is_tree
        if is_tree:
            arcs = list(enumerate(heads, start=1))
            crosses = any(crossing(one, two) for one, two in itertools.combinations(arcs, 2))
            assert is_projective(heads) == (not crosses), heads
    assert trees == word_count ** (word_count - 1)  # Cayley's formula, with a root


def test_problems_are_named() -> None:
    assert tree_problem((2, 1, 0)) == "word 1 is its own ancestor"
    assert tree_problem((0, 0)) == "words 1 and 2 are both roots"
    assert tree_problem(()) == "no word is the root"
    assert Dependencies((0, 1), ("root", "x")).problem == ""
    assert Dependencies((0, 1), ("root", "x")).is_projective


def test_wrong_lengths_and_heads_are_errors() -> None:
    with pytest.raises(DependencyError, match=r"^1 heads and 2 relations: give one of each for every word$"):
        Dependencies((0,), ("root", "x"))
    with pytest.raises(DependencyError, match=r"^the head of word 2 is 3: expected 0 to 2$"):
        Dependencies((0, 3), ("root", "x"))
    with pytest.raises(DependencyError, match=r"^no word is the root: give one of them the head 0$"):
        _ = Dependencies((2, 1), ("x", "x")).root
