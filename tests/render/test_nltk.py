from __future__ import annotations

import sys

import pytest
from hypothesis import given

from deep_trees import deep_tree
from spanlin.errors import MissingExtraError
from spanlin.render.nltk import nltk_tree
from spanlin.trees.tree import Leaf, Node, Tree
from strategies import trees


@given(trees)
def test_labels_tags_and_words_are_those_of_the_tree(tree: Tree) -> None:
    nltk = pytest.importorskip("nltk.tree")

    def made(node: Node) -> object:
        children = [node.word] if isinstance(node, Leaf) else [made(child) for child in node.children]
        return nltk.Tree(node.tag if isinstance(node, Leaf) else node.label, children)

    assert nltk_tree(tree) == made(tree)


def test_a_tree_may_be_deep() -> None:
    pytest.importorskip("nltk.tree")
    depth = 20_000
    node = nltk_tree(deep_tree(depth))
    for _ in range(depth):
        assert (node.label(), len(node), node[1].label(), node[1][0]) == ("NP", 2, "NN", "side")
        node = node[0]
    assert (node.label(), list(node)) == ("NN", ["bottom"])


def test_without_nltk_the_error_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "nltk", None)
    monkeypatch.setitem(sys.modules, "nltk.tree", None)
    with pytest.raises(MissingExtraError, match="trees of NLTK's kind need NLTK: pip install nltk"):
        nltk_tree(Tree("S", (Leaf("A", "a"),)))
