from __future__ import annotations

import json
import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spanlin.errors import EvaluationError
from spanlin.evaluation import COLLINS, Counts, Parameters, Score, Status, score_trees
from spanlin.trees.brackets import parse_tree
from spanlin.trees.tree import Leaf, Tree

GOLD = "(TOP (S (NP (DT The) (NN cat)) (VP (VBD saw) (PRT (RP up)) (NP (PRP it))) (. .)))"
PREDICTED = "(TOP (S (NP (DT The) (NN cat) (VBD saw)) (VP (ADVP (RB up)) (PP (PRP it))) (. .)))"


def score(gold: list[str], predicted: list[str], parameters: Parameters = COLLINS) -> Score:
    return score_trees(
        [parse_tree(text) if text else None for text in gold],
        [parse_tree(text) if text else None for text in predicted],
        parameters=parameters,
    )


def node(rng: random.Random, word_count: int) -> Tree | Leaf:
    label = rng.choice("AB")
    if rng.random() < 0.2:
        return Tree(label, (node(rng, word_count),))
    if word_count == 1:
        return Leaf(rng.choice("AB."), "w")
    left = rng.randint(1, word_count - 1)
    return Tree(label, (node(rng, left), node(rng, word_count - left)))


def pair(seed: int) -> tuple[Tree | None, Tree | None]:
    """Return two trees over the same words, or now and then none."""
    rng = random.Random(seed)
    word_count = rng.randint(1, 8)
    one, two = (None if rng.random() < 0.1 else Tree("TOP", (node(rng, word_count),)) for _ in range(2))
    return one, two


drawn_pairs = st.integers(0, 2**32).map(pair)


@given(st.lists(drawn_pairs, max_size=5))
def test_no_number_is_ever_nan_and_counts_agree(pairs: list[tuple[Tree | None, Tree | None]]) -> None:
    result = score_trees([gold for gold, _ in pairs], [predicted for _, predicted in pairs])
    report = json.loads(result.to_json(), parse_constant=lambda name: pytest.fail(f"{name} in the report"))
    assert "nan" not in result.to_text().lower()
    gold, predicted, matched = result.totals.brackets
    for table in (result.by_label, result.by_length, result.by_span_length, result.by_sentence_length):
        assert tuple(map(sum, zip(*table.values(), strict=True))) in {(gold, predicted, matched), ()}
    assert matched <= result.totals.unlabelled.matched <= min(gold, predicted)
    assert report["f1"] is None or 0 <= report["f1"] <= 100
    assert (report["f1"] is None) == (gold + predicted == 0)
    assert report["sentences"]["all"] == len(pairs)
    assert len(report["problems"]) == len(pairs) - report["sentences"]["valid"]


@given(st.lists(drawn_pairs, min_size=1, max_size=5))
def test_exchanging_gold_and_predicted_exchanges_precision_and_recall(
    pairs: list[tuple[Tree | None, Tree | None]],
) -> None:
    whole = [(gold, predicted) for gold, predicted in pairs if gold and predicted]
    one = score_trees([gold for gold, _ in whole], [predicted for _, predicted in whole])
    two = score_trees([predicted for _, predicted in whole], [gold for gold, _ in whole])
    assert (one.precision, one.recall, one.f1, one.unlabelled_f1) == (
        two.recall,
        two.precision,
        two.f1,
        two.unlabelled_f1,
    )


@given(st.lists(drawn_pairs, min_size=1, max_size=5))
def test_a_tree_against_itself_is_perfect(pairs: list[tuple[Tree | None, Tree | None]]) -> None:
    trees = [gold for gold, _ in pairs if gold]
    result = score_trees(trees, trees)
    assert result.f1 in {100.0, None}
    assert result.complete_match in {100.0, None}
    assert result.totals.crossing == 0


@given(st.lists(drawn_pairs, min_size=1, max_size=5))
def test_scoring_unlabelled_gives_the_unlabelled_score(pairs: list[tuple[Tree | None, Tree | None]]) -> None:
    gold, predicted = [gold for gold, _ in pairs], [predicted for _, predicted in pairs]
    labelled = score_trees(gold, predicted, parameters=Parameters(deleted_labels=("TOP",)))
    unlabelled = score_trees(gold, predicted, parameters=Parameters(deleted_labels=("TOP",), labelled=False))
    assert unlabelled.f1 == unlabelled.unlabelled_f1 == labelled.unlabelled_f1


def test_all_numbers_of_a_small_case() -> None:
    result = score([GOLD, GOLD], [PREDICTED, GOLD])
    assert result.totals.brackets == Counts(gold=10, predicted=10, matched=7)
    assert (result.precision, result.recall, result.f1) == (70.0, 70.0, 70.0)
    assert result.unlabelled_f1 == pytest.approx(80.0)
    assert result.complete_match == 50.0
    assert result.tagging_accuracy == 90.0
    assert result.totals.average_crossing == 0.5
    assert result.by_label == {
        "NP": Counts(4, 3, 2),
        "ADVP=PRT": Counts(2, 2, 2),
        "S": Counts(2, 2, 2),
        "VP": Counts(2, 2, 1),
        "PP": Counts(0, 1, 0),
    }
    assert result.by_span_length == {"1-5": Counts(10, 10, 7)}
    assert result.by_sentence_length == {"1-10": Counts(10, 10, 7)}


def test_labels_tied_by_equality_are_counted_together() -> None:
    chained = Parameters(equal_labels=(("A", "B"), ("B", "C")))
    result = score(["(A (N a))", "(A (N a))", "(A (N a))"], ["(B (N a))", "(C (N a))", "(A (N a))"], chained)
    assert result.by_label == {"A=B=C": Counts(gold=3, predicted=3, matched=2)}


def test_lengths_fall_into_the_buckets_of_figure_3() -> None:
    flat = Tree("A", tuple(Leaf("N", "w") for _ in range(46)))
    long = Tree("B", (flat, Leaf("N", "w"), *(Leaf("N", "w") for _ in range(14))))
    short = Tree("A", tuple(Leaf("N", "w") for _ in range(6)))
    result = score_trees([long, short], [long, short])
    assert list(result.by_span_length) == [
        *("1-5", "6-10", "11-15", "16-20", "21-25", "26-30", "31-35", "36-40", "41-45", ">45"),
    ]
    assert {name: counts.gold for name, counts in result.by_span_length.items() if counts.gold} == {"6-10": 1, ">45": 2}
    assert {name: counts.gold for name, counts in result.by_sentence_length.items() if counts.gold} == {
        "1-10": 1,
        ">60": 2,
    }


def test_what_cannot_be_scored_says_so() -> None:
    result = score([GOLD, ""], ["", GOLD])
    assert result.f1 is None
    assert result.interval is None
    assert [sentence.status for sentence in result.sentences] == [Status.SKIPPED, Status.ERROR]
    assert result.problems == [(1, "nothing predicted"), (2, "Length unmatch (0|5)")]
    text = result.to_text()
    assert "95% interval of F1: n/a, because no bracket is scored" in text
    assert "sentence 2: Length unmatch (0|5)" in text
    report = result.to_dict()
    assert report["f1"] is None
    assert report["interval"] is None
    assert report["sentences"] == {"all": 2, "valid": 0, "error": 1, "skipped": 1}


def test_scores_by_label_are_not_available_without_labels() -> None:
    result = score([GOLD], [PREDICTED], Parameters(labelled=False))
    assert result.to_dict()["by_label"] is None
    assert "Label: n/a" in result.to_text()


def test_many_problems_are_shortened_in_the_text_only() -> None:
    result = score([GOLD] * 15, [""] * 15)
    assert "... and 5 more" in result.to_text()
    assert len(result.to_dict()["problems"]) == 15


def test_the_signature_names_version_and_settings() -> None:
    from spanlin import __version__

    signature = score([GOLD], [GOLD]).signature
    assert signature.startswith("evalb|labelled:yes|delete:")
    assert signature.endswith(f"|bootstrap:1000|seed:12345|spanlin:{__version__}")
    assert score([GOLD], [GOLD], Parameters(labelled=False)).signature != signature


@pytest.mark.parametrize(("gold_count", "predicted_count"), [(3, 1), (1, 4), (1, 0), (0, 2)])
def test_different_numbers_of_trees_are_an_error_with_both_counts(gold_count: int, predicted_count: int) -> None:
    with pytest.raises(EvaluationError, match=f"{gold_count} gold trees but {predicted_count} predicted ones"):
        score([GOLD] * gold_count, [GOLD] * predicted_count)


def test_no_trees_at_all_is_a_score_of_nothing() -> None:
    result = score([], [])
    assert result.f1 is None
    assert result.to_dict()["sentences"]["all"] == 0
    assert "n/a" in result.to_text()


def chain(depth: int, label: str) -> Tree:
    tree = Tree(label, (Leaf("N", "a"), Leaf("N", "b")))
    for _ in range(depth):
        tree = Tree(label, (tree, Leaf("N", "c"))) if _ % 10 == 0 else Tree(label, (tree,))
    return tree


def test_trees_of_any_depth_are_scored() -> None:
    gold, predicted = chain(20_000, "A"), chain(20_000, "A")
    assert score_trees([gold], [predicted]).f1 == 100.0
    other = score_trees([gold], [chain(20_000, "B")])
    assert (other.f1, other.unlabelled_f1) == (0.0, 100.0)
