"""One pair of trees: which brackets match, and which cross."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spanlin.evaluation import Counts, score_trees
from spanlin.evaluation.brackets import Bracket, Rules, collect_brackets
from spanlin.evaluation.counts import SentenceScore, Status
from spanlin.evaluation.pairs import BracketTally, count_crossing, score_pair
from spanlin.evaluation.parameters import COLLINS, Parameters
from spanlin.trees.brackets import parse_tree
from spanlin.trees.tree import Leaf, Tree
from strategies import trees

RULES = Rules(Parameters())


def pair(gold: str, predicted: str, parameters: Parameters = COLLINS) -> tuple[SentenceScore, BracketTally]:
    tally = BracketTally()
    found = score_pair(
        parse_tree(gold) if gold else None, parse_tree(predicted) if predicted else None, Rules(parameters), tally
    )
    tally.flush()
    return found, tally


@given(trees, st.lists(st.tuples(st.integers(0, 12), st.integers(0, 12))))
def test_crossing_is_counted_as_by_comparing_all_with_all(tree: Tree, drawn: list[tuple[int, int]]) -> None:
    gold = collect_brackets(tree, RULES).brackets
    word_count = len(tree.words)
    predicted: list[Bracket] = [
        (min(one, two), max(one, two), "X") for one, two in drawn if one != two and max(one, two) <= word_count
    ]

    def cross(one: Bracket, two: Bracket) -> bool:
        return one[0] < two[0] < one[1] < two[1] or two[0] < one[0] < two[1] < one[1]

    expected = sum(any(cross(bracket, other) for other in gold) for bracket in predicted)
    assert count_crossing(gold, predicted, word_count) == expected


def test_crossing_takes_linear_time() -> None:
    words = [Leaf("N", "w") for _ in range(5_000)]
    left, right = Tree("A", tuple(words[:2])), Tree("A", tuple(words[:2]))
    for word in words[2:]:
        left, right = Tree("A", (left, word)), Tree("A", (word, right))
    result = score_trees([left], [right])
    assert result.totals.brackets == Counts(4_999, 4_999, 1)
    assert result.totals.crossing == 4_998
    assert result.f1 == pytest.approx(100 / 4_999)


def test_each_bracket_matches_once() -> None:
    found, tally = pair("(X (NP (NP (NP (NN a)))))", "(X (NP (NP (NN a))))")
    assert (found.gold, found.predicted, found.matched) == (4, 3, 3)
    assert tally.matched == {("NP", 1): 2, ("X", 1): 1}
    assert (tally.gold_only, tally.predicted_only) == ({("NP", 1): 1}, {})


def test_what_is_on_one_side_only_is_tallied_by_label_and_length() -> None:
    found, tally = pair(
        "(S (NP (D a) (N b)) (V c))", "(S (D a) (VP (N b) (V d)))", Parameters(equal_words=(("c", "d"),))
    )
    assert (found.status, found.matched, found.crossing) == (Status.VALID, 1, 1)
    assert (tally.gold_only, tally.predicted_only) == ({("NP", 2): 1}, {("VP", 2): 1})


def test_a_wrong_label_matches_if_labels_do_not_count() -> None:
    found, _ = pair("(S (NP (NP (N a))))", "(S (VP (NP (N a))))")
    assert (found.matched, found.unlabelled_matched, found.crossing) == (2, 3, 0)


@pytest.mark.parametrize(
    ("gold", "predicted", "matched"),
    [("(A (N a))", "(C (N a))", 0), ("(A (B (N a)))", "(B (C (N a)))", 2), ("(B (A (N a)))", "(A (C (N a)))", 1)],
)
def test_if_equality_is_not_transitive_the_first_free_equal_is_taken(gold: str, predicted: str, matched: int) -> None:
    found, tally = pair(gold, predicted, Parameters(equal_labels=(("A", "B"), ("B", "C"))))
    assert found.matched == matched
    assert {label for counter in (tally.matched, tally.gold_only) for label, _ in counter} == {"A=B=C"}


@pytest.mark.parametrize(
    ("gold", "predicted", "status", "problem"),
    [
        ("(S (N a))", "", Status.SKIPPED, ""),
        ("", "", Status.SKIPPED, ""),
        ("(S (N a))", "(S (. a))", Status.SKIPPED, ""),
        ("", "(S (N a))", Status.ERROR, "Length unmatch (0|1)"),
        ("(S (N a) (N b))", "(S (N a))", Status.ERROR, "Length unmatch (2|1)"),
        ("(S (N -LRB-))", "(S (N -RRB-))", Status.ERROR, "Words unmatch (-LRB-|-RRB-)"),
    ],
)
def test_other_words_or_none_are_not_scored(gold: str, predicted: str, status: Status, problem: str) -> None:
    found, tally = pair(gold, predicted)
    assert (found.status, found.problem) == (status, problem)
    assert found.matched == found.gold == found.word_count == 0
    assert not tally.matched


def test_many_brackets_are_all_counted() -> None:
    tally = BracketTally()
    brackets: list[Bracket] = [(0, 1, "A"), (0, 3, "B")] * 4_000
    for _ in range(3):
        tally.add(brackets, brackets[:2], [])
    tally.flush()
    tally.flush()
    assert tally.matched == {("A", 1): 12_000, ("B", 3): 12_000}
    assert tally.gold_only == {("A", 1): 3, ("B", 3): 3}
