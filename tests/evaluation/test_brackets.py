"""What is compared of a tree once the deleted words and constituents are gone."""

from __future__ import annotations

from hypothesis import given

from spanlin.evaluation.brackets import Rules, collect_brackets, trim_label
from spanlin.evaluation.parameters import COLLINS, Parameters
from spanlin.trees.brackets import parse_tree
from spanlin.trees.tree import Tree
from strategies import trees


@given(trees)
def test_without_deletions_all_words_and_constituents_stay_children_first(tree: Tree) -> None:
    found = collect_brackets(tree, Rules(Parameters()))
    assert (tuple(found.words), tuple(found.tags), found.deleted_tags) == (tree.words, tree.tags, [])
    assert found.brackets == [(left, right, trim_label(label)) for left, right, label in tree.constituents()]


def test_spans_count_the_words_that_stay_and_what_has_none_left_goes() -> None:
    tree = parse_tree("(TOP (S (`` ``) (NP-SBJ (-NONE- *)) (VP=2 (VB go) (. .)) (X (. .))))")
    found = collect_brackets(tree, Rules(COLLINS))
    assert (found.words, found.brackets) == (["go"], [(0, 1, "VP"), (0, 1, "S")])
    assert found.deleted_tags == ["``", "-NONE-", ".", "."]


def test_tags_are_deleted_letter_for_letter_and_constituents_by_what_is_equal() -> None:
    rules = Rules(Parameters(deleted_labels=("Z", "NP-X"), equal_labels=(("Z", "Y"),)))
    found = collect_brackets(parse_tree("(A (Y (Y a)) (Z-1 (Z b)) (NP-X (NP-X c)) (Z-1 d))"), rules)
    assert (found.words, found.tags) == (["a", "d"], ["Y", "Z-1"])
    # A label is trimmed before it is looked for, so no NP-X is ever found; this one has no word left.
    assert found.brackets == [(0, 2, "A")]
    assert rules.labels["NP-X"] == "NP"


def test_a_label_that_begins_with_a_hyphen_is_empty() -> None:
    assert [trim_label(label) for label in ("NP", "NP-SBJ=1", "NP=1-SBJ", "-LRB-", "=")] == ["NP", "NP", "NP", "", ""]


def test_labels_tied_by_equality_become_one_if_that_cannot_change_a_match() -> None:
    pairs = (("A", "B"), ("B", "C"))
    chained, closed = Rules(Parameters(equal_labels=pairs)), Rules(Parameters(equal_labels=(*pairs, ("C", "A"))))
    assert (chained.equality_is_transitive, closed.equality_is_transitive) == (False, True)
    assert [chained.labels[label] for label in "ABCD"] == ["A", "B", "C", "D"]
    assert [closed.labels[label] for label in "ABCD"] == ["A=B=C"] * 3 + ["D"]
    assert chained.are_equal_labels("C", "B")
    assert not chained.are_equal_labels("A", "C")


def test_all_labels_are_one_where_labels_do_not_count() -> None:
    rules = Rules(Parameters(labelled=False, deleted_labels=("TOP",), equal_labels=(("A", "B"), ("B", "C"))))
    assert rules.equality_is_transitive
    assert [rules.labels[label] for label in ("NP", "VP-1", "TOP")] == ["", "", None]
