from __future__ import annotations

import re

import pytest
from hypothesis import given

from spanlin.errors import TreeError
from spanlin.linearization import linearize_tree, linearize_tree_right
from spanlin.trees.brackets import parse_tree
from spanlin.trees.labelled import labelled_splits, tree_from_splits
from spanlin.trees.transforms import EMPTY_LABEL, binarize, collapse_unaries
from spanlin.trees.tree import Leaf, Span, Tree
from strategies import trees


@given(trees)
def test_tree_from_splits_inverts_labelled_splits(tree: Tree) -> None:
    assert tree_from_splits(labelled_splits(tree)) == tree


@given(trees)
def test_the_spans_are_those_of_the_collapsed_and_binarized_tree(tree: Tree) -> None:
    splits = labelled_splits(tree)
    mine = [(*span, label) for span, label in zip(splits.spans, splits.split_labels, strict=True)]
    binary = binarize(collapse_unaries(tree))
    # What binarize escapes once more, so that its own empty label stays apart.
    theirs = [
        (left, right, label[1:] if re.fullmatch(rf"\\+{EMPTY_LABEL}", label) else label)
        for left, right, label in binary.constituents()
        if right - left > 1
    ]
    assert sorted(mine) == sorted(theirs)


@given(trees)
def test_both_linearizations_can_be_read_off(tree: Tree) -> None:
    splits = labelled_splits(tree)
    assert splits.left_boundaries == linearize_tree(tree)
    assert splits.right_boundaries == linearize_tree_right(tree)


def test_the_papers_example() -> None:
    splits = labelled_splits(
        parse_tree("(S (NP (PRP She)) (VP (VBZ loves) (S (VP (VBG writing) (NP (NN code))))) (. .))")
    )
    assert splits.spans == (Span(0, 5), Span(1, 4), Span(2, 4), Span(1, 5))
    assert splits.split_labels == ("S", "VP", "S+VP", EMPTY_LABEL)
    assert splits.word_labels == ("NP", EMPTY_LABEL, EMPTY_LABEL, "NP", EMPTY_LABEL)


def test_words_without_a_constituent_get_a_root() -> None:
    splits = labelled_splits(parse_tree("(TOP (A a) (B b))"))._replace(split_labels=(EMPTY_LABEL,))
    assert tree_from_splits(splits) == parse_tree("(TOP (A a) (B b))")


def test_deep_and_wide_trees_need_no_recursion() -> None:
    deep = parse_tree("(X (A a) " * 10_000 + "(B b)" + ")" * 10_000)
    wide = Tree("X", (Leaf("A", "a"),) * 10_000)
    for tree in (deep, wide):
        assert tree_from_splits(labelled_splits(tree)) == tree


def test_a_constituent_without_children_is_an_error() -> None:
    with pytest.raises(TreeError, match="the constituent 'X' has no children"):
        labelled_splits(Tree("X", ()))
