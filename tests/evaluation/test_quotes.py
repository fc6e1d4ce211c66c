"""Quotes that only one side deletes are words on both."""

from __future__ import annotations

import pytest

from spanlin.evaluation.brackets import Rules
from spanlin.evaluation.parameters import COLLINS, NK
from spanlin.evaluation.quotes import count_copies, restore_quotes
from spanlin.trees.brackets import parse_tree

RULES = Rules(NK)


def copies(gold: str, predicted: str, rules: Rules = RULES) -> tuple[list[int], list[int]]:
    return count_copies(parse_tree(gold), parse_tree(predicted), rules)


def test_quotes_deleted_on_one_side_are_put_back_with_their_tag() -> None:
    gold = parse_tree("(TOP (NP (NP (NNS dogs) (POS ')) (NN tail)))")
    predicted = parse_tree("(TOP (NP (NP (NNS dogs)) ('' ') (NN tail)))")
    for one, two, tag in ((gold, predicted, "''"), (predicted, gold, "POS")):
        _, restored = restore_quotes(one, two, RULES)
        assert restored.words == ["dogs", "'", "tail"]
        assert restored.tags[1] == tag
    _, restored = restore_quotes(gold, predicted, RULES)
    assert restored.brackets == [(0, 1, "NP"), (0, 3, "NP")]
    assert restored.deleted_tags == []


def test_a_quote_put_back_may_be_put_back_again() -> None:
    assert copies("(X (A a) ('' '))", "(X (A a) (POS ') (NN '))") == ([1, 2], [1, 1, 1])


@pytest.mark.parametrize(
    ("gold", "predicted"),
    [
        ("(X (A a) ('' ') (B b))", "(X (A a) ('' ') (B b) (C c))"),  # the same tag on both sides
        ("(X (A a) ('' x) (B b))", "(X (A a) (POS x) (B b))"),  # not a quote
        ("(X ('' ') (A a) (B b))", "(X (A a) (POS ') (B b))"),  # not at the same place
        ("(X (A a) ('' ') (POS '))", "(X (A a) (POS ') ('' '))"),  # as many words already
    ],
)
def test_all_other_words_stay_deleted(gold: str, predicted: str) -> None:
    kept = [[int(leaf.tag not in RULES.deleted_tags) for leaf in parse_tree(text).leaves] for text in (gold, predicted)]
    assert copies(gold, predicted) == tuple(kept)


def test_without_quote_labels_nothing_is_put_back() -> None:
    assert copies("(X (A a) ('' '))", "(X (A a) (POS '))", Rules(COLLINS)) == ([1, 0], [1, 1])


def test_a_side_without_words_is_left_alone() -> None:
    assert count_copies(parse_tree("(X ('' '))"), None, RULES) == ([0], [])
