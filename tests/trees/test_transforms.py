from __future__ import annotations

import pytest
from hypothesis import given

from spanlin.errors import TreeError
from spanlin.trees.brackets import parse_tree
from spanlin.trees.transforms import (
    EMPTY_LABEL,
    ROOT_LABELS,
    add_root,
    binarize,
    clean_tree,
    collapse_unaries,
    constituent_labels,
    debinarize,
    expand_unaries,
    label_parts,
    split_chain,
    strip_root,
)
from spanlin.trees.tree import Leaf, Tree
from strategies import trees


@given(trees)
def test_expand_unaries_inverts_collapse_unaries(tree: Tree) -> None:
    collapsed = collapse_unaries(tree)
    assert expand_unaries(collapsed) == tree
    for node in collapsed.preorder():
        assert isinstance(node, Leaf) or len(node.children) > 1 or isinstance(node.children[0], Leaf)


@given(trees)
def test_debinarize_inverts_binarize(tree: Tree) -> None:
    binary = binarize(tree)
    assert debinarize(binary) == tree
    assert all(isinstance(node, Leaf) or len(node.children) <= 2 for node in binary.preorder())


@given(trees)
def test_the_two_together_are_inverted_in_reverse(tree: Tree) -> None:
    assert expand_unaries(debinarize(binarize(collapse_unaries(tree)))) == tree


@given(trees)
def test_clean_tree_changes_nothing_the_second_time(tree: Tree) -> None:
    cleaned = clean_tree(tree)
    assert cleaned is None or clean_tree(cleaned) == cleaned


def test_right_binarization_combines_the_rightmost_two() -> None:
    # Wei et al. (2020), Fig. 1b
    tree = parse_tree("(S (NP (PRP She)) (VP (VBZ loves)) (. .))")
    assert str(binarize(tree)) == f"(S (NP (PRP She)) ({EMPTY_LABEL} (VP (VBZ loves)) (. .)))"


def test_a_chain_is_joined_from_the_top() -> None:
    tree = parse_tree("(S (VP (VBG writing) (NP (NN code))))")
    assert str(collapse_unaries(tree)) == "(S+VP (VBG writing) (NP (NN code)))"


@given(trees)
def test_a_root_is_added_once(tree: Tree) -> None:
    rooted = add_root(tree)
    assert add_root(rooted) == rooted
    assert strip_root(rooted) == strip_root(tree)


@given(trees)
def test_the_parts_of_a_chain_are_its_labels(tree: Tree) -> None:
    for node in collapse_unaries(tree).preorder():
        if isinstance(node, Tree):
            parts = label_parts(node.label)
            assert parts == split_chain(node.label) != []
            assert constituent_labels(node.label) == [part for part in parts if part not in ROOT_LABELS]
    assert label_parts(EMPTY_LABEL) == constituent_labels(EMPTY_LABEL) == []


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("( (S (NP-SBJ-1 (DT the)) (VP=2 (VB go))))", "(S (NP (DT the)) (VP (VB go)))"),
        ("(TOP (S (NP (-NONE- *)) (VP (VB go) (S (NP (-NONE- *T*))))))", "(S (VP (VB go)))"),
        ("(ROOT (S1 (S (-LRB- -LRB-) (PRT|ADVP (RB up)))))", "(S (-LRB- -LRB-) (PRT|ADVP (RB up)))"),
        ("(TOP (NN dog))", "(TOP (NN dog))"),
        ("(TOP (S (A a)) (S (B b)))", "(TOP (S (A a)) (S (B b)))"),
        ("(TOP (-LRB- (A a)))", "(-LRB- (A a))"),
    ],
)
def test_cleaning(before: str, after: str) -> None:
    assert str(clean_tree(parse_tree(before))) == after


def test_each_part_of_cleaning_can_be_off() -> None:
    tree = parse_tree("(TOP (NP-SBJ (-NONE- *)))")
    assert clean_tree(tree) is None
    kept = clean_tree(tree, remove_empty_elements=False, remove_function_tags=False, remove_root=False)
    assert kept == tree


def test_deep_trees_need_no_recursion() -> None:
    tree = parse_tree("(X " * 10_000 + "(A a) (B b)" + ")" * 10_000)
    assert expand_unaries(debinarize(binarize(collapse_unaries(tree)))) == tree
    wide = Tree("X", (Leaf("A", "a"),) * 10_000)
    assert debinarize(binarize(wide)) == wide
    assert strip_root(clean_tree(tree) or tree) == tree


def test_an_empty_root_cannot_be_debinarized() -> None:
    with pytest.raises(TreeError, match="the root has the empty label"):
        debinarize(Tree(EMPTY_LABEL, (Leaf("A", "a"), Leaf("B", "b"))))


def test_a_constituent_without_children_cannot_be_binarized() -> None:
    with pytest.raises(TreeError, match="the constituent 'X' has no children"):
        binarize(Tree("X", ()))
