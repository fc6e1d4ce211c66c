from __future__ import annotations

import pytest
from hypothesis import given

from spanlin.errors import TreeError
from spanlin.render.columns import columns_tree
from spanlin.trees.brackets import parse_tree
from spanlin.trees.tree import Leaf, Tree
from strategies import trees


@given(trees)
def test_the_tree_can_be_read_back_from_its_columns(tree: Tree) -> None:
    parts = []
    for row in columns_tree(tree).split("\n"):
        word, tag, brackets = row.split("\t")
        before, _, after = brackets.rpartition("*")
        assert not after.strip(")")
        parts.append(f"{before} ({tag} {word}){after}")
    assert parse_tree(" ".join(parts)) == tree


def test_brackets_are_given_to_the_words_they_open_and_close_at() -> None:
    tree = parse_tree("(TOP (S (NP (JJ Old) (NNS cats)) (VP (VBP sleep)) (-LRB- -LRB-)))")
    assert [row.split("\t") for row in columns_tree(tree).split("\n")] == [
        ["Old", "JJ", "(TOP(S(NP*"],
        ["cats", "NNS", "*)"],
        ["sleep", "VBP", "(VP*)"],
        ["-LRB-", "-LRB-", "*))"],
    ]


def test_a_label_that_cannot_be_written_is_named() -> None:
    with pytest.raises(TreeError, match="the label 'N P' holds a bracket or white space"):
        columns_tree(Tree("N P", (Leaf("X", "x"),)))
