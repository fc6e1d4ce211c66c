from __future__ import annotations

import pickle

import pytest
from hypothesis import given

from spanlin.errors import TreeError
from spanlin.render.svg import svg_tree
from spanlin.trees.brackets import parse_tree
from spanlin.trees.tree import LabelledSpan, Leaf, Tree
from strategies import trees

SHE = "(S (NP (PRP She)) (VP (VBZ loves) (S (VP (VBG writing) (NP (NN code))))) (. .))"


def deep_tree(levels: int) -> Tree:
    node = Tree("X", (Leaf("NN", "word"),))
    for _ in range(levels - 1):
        node = Tree("X", (node,))
    return node


@given(trees)
def test_equal_trees_have_equal_hashes_and_survive_pickling(tree: Tree) -> None:
    copy = pickle.loads(pickle.dumps(tree))
    assert copy == tree
    assert hash(copy) == hash(tree)


def test_constituents_come_after_their_children() -> None:
    assert list(parse_tree(SHE).constituents()) == [
        LabelledSpan(0, 1, "NP"),
        LabelledSpan(3, 4, "NP"),
        LabelledSpan(2, 4, "VP"),
        LabelledSpan(2, 4, "S"),
        LabelledSpan(1, 4, "VP"),
        LabelledSpan(0, 5, "S"),
    ]


def test_words_tags_and_height() -> None:
    tree = parse_tree(SHE)
    assert tree.words == ("She", "loves", "writing", "code", ".")
    assert tree.tags == ("PRP", "VBZ", "VBG", "NN", ".")
    assert tree.height == 5


def test_trees_differ_in_label_shape_tag_or_word() -> None:
    base = parse_tree("(S (A a) (B b))")
    for other in ["(T (A a) (B b))", "(S (A a) (B c))", "(S (A a) (C b))", "(S (A a))", "(S (A a) (B (B b)))"]:
        assert parse_tree(other) != base
    assert base != "(S (A a) (B b))"


def test_ten_thousand_levels_need_no_recursion() -> None:
    tree = deep_tree(10_000)
    assert tree.height == 10_000
    assert parse_tree(str(tree)) == tree
    assert pickle.loads(pickle.dumps(tree)) == tree
    assert hash(tree) == hash(deep_tree(10_000))
    assert tree != deep_tree(9_999)
    assert repr(tree).startswith("<Tree (X (X")


def test_a_notebook_shows_the_drawing() -> None:
    tree = parse_tree(SHE)
    assert tree._repr_svg_() == svg_tree(tree)
    assert tree._repr_html_() == f'<div style="overflow-x: auto">{svg_tree(tree)}</div>'


def test_a_tree_that_cannot_be_drawn_is_shown_in_words() -> None:
    bare = Tree("NP", ())
    assert bare._repr_svg_() is bare._repr_html_() is None


def test_a_label_with_a_bracket_cannot_be_written() -> None:
    with pytest.raises(TreeError, match=r"the label 'N P' holds a bracket or white space"):
        str(Tree("N P", (Leaf("NN", "x"),)))


def test_a_constituent_without_children_cannot_be_written() -> None:
    with pytest.raises(TreeError, match="the constituent 'NP' has no children"):
        str(Tree("S", (Tree("NP", ()),)))
    assert "no children" in repr(Tree("NP", ()))
