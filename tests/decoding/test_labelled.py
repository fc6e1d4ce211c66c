"""Labelled trees against all of them, written out."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from oracles.all_trees import log_sum_exp
from oracles.labelled_trees import all_labelled_trees
from oracles.random_decoding import random_log_probs
from spanlin import CharacterConstraints
from spanlin.decoding import Constraints, LabelledProblem, LabelledTree, LabelSet, SpanRules, Temperatures
from spanlin.errors import ConstraintError, DecodingError
from spanlin.trees.tree import LabelledSpan

LABELS = LabelSet(("∅", "A", "B"))
Case = tuple[np.ndarray | None, np.ndarray | None, np.ndarray]


def random_case(generator: np.random.Generator, word_count: int, side: str, *, sharpness: float = 2.0) -> Case:
    left = random_log_probs(generator, 1, word_count, "plain")[0] if side != "right" else None
    right = random_log_probs(generator, 1, word_count, "plain", side="right")[0] if side != "left" else None
    labels = generator.normal(0, sharpness, (3, word_count + 1, word_count + 1, len(LABELS)))
    return left, right, labels - log_sum_exp(labels)[..., np.newaxis]


def table_of(tree: LabelledTree, word_count: int) -> bytes:
    """The labels of a tree's constituents by span, as one key."""
    table = np.zeros((word_count + 1, word_count + 1), dtype=np.int8)
    spans = [*tree.spans, *((word, word + 1) for word in range(word_count))]
    for (left, right), label in zip(spans, tree.labels, strict=True):
        table[left, right] = label
    return table.tobytes()


@pytest.mark.parametrize("side", ["left", "right", "both"])
@pytest.mark.parametrize(("word_count", "cases"), [(1, 100), (2, 200), (3, 60), (4, 15), (5, 1)])
def test_ranked_trees_are_all_labelled_trees_by_their_probability(word_count: int, cases: int, side: str) -> None:
    generator = np.random.default_rng(word_count)
    every = all_labelled_trees(word_count, len(LABELS))
    for number in range(cases):
        case = random_case(generator, word_count, side)
        temperatures = Temperatures(splits=0.5 + number % 3, labels=0.5 + number % 2)
        left, right, labels = case
        scores = every.scores(
            None if left is None else left / temperatures.splits,
            None if right is None else right / temperatures.splits,
            labels / temperatures.labels,
        )
        expected = scores - log_sum_exp(scores)
        problem = LabelledProblem.of_sentence(*case, LABELS, temperatures=temperatures)
        own = {table.tobytes(): value for table, value in zip(every.constituents, expected.tolist(), strict=True)}
        found = list(itertools.islice(problem.ranked_trees(0), 500))
        assert len(own) == len(every.constituents)  # each tree is known by its constituents
        assert len({table_of(tree, word_count) for tree in found}) == len(found) == min(500, len(own))
        for tree in found:
            assert tree.log_prob == pytest.approx(own[table_of(tree, word_count)], abs=1e-9)
        np.testing.assert_allclose([tree.log_prob for tree in found], np.sort(expected)[::-1][:500], rtol=0, atol=1e-9)
        lefts, rights, chosen, log_probs = problem.best_trees()
        assert tuple(zip(lefts[0].tolist(), rights[0].tolist(), strict=True)) == found[0].spans
        assert tuple(chosen[0].tolist()) == found[0].labels
        assert log_probs[0] == pytest.approx(found[0].log_prob, abs=1e-9)


@pytest.mark.parametrize("side", ["left", "right", "both"])
@pytest.mark.parametrize(("word_count", "cases"), [(1, 100), (2, 200), (3, 200), (4, 50), (5, 10)])
def test_marginals_are_sums_over_all_labelled_trees(word_count: int, cases: int, side: str) -> None:
    generator = np.random.default_rng(10 + word_count)
    every = all_labelled_trees(word_count, len(LABELS))
    for _ in range(cases):
        case = random_case(generator, word_count, side)
        scores = every.scores(*case)
        probabilities = np.exp(scores - log_sum_exp(scores))
        expected = np.tensordot(probabilities, every.constituents > 0, axes=1)
        problem = LabelledProblem.of_sentence(*case, LABELS)
        np.testing.assert_allclose(problem.marginals()[0], expected, rtol=0, atol=1e-9)
        assert problem.log_partitions[0] == pytest.approx(log_sum_exp(scores), abs=1e-9)


def random_constraints(generator: np.random.Generator, word_count: int) -> Constraints:
    def draw() -> tuple[int, int] | tuple[int, int, str]:
        left, right = sorted(generator.choice(word_count + 1, 2, replace=False).tolist())
        label = generator.choice(["", "A", "B"])
        return (left, right, str(label)) if label else (left, right)

    return Constraints(
        required=[draw() for _ in range(generator.integers(0, 3))],
        forbidden=[draw() for _ in range(generator.integers(0, 3))],
    )


def obeying(tables: np.ndarray, constraints: Constraints) -> np.ndarray:
    """Which trees obey, by the definition: looking at their constituents."""
    kept = np.ones(len(tables), dtype=bool)

    def has(left: int, right: int, label: str) -> np.ndarray:
        found = tables[:, left, right]
        return found == " AB".index(label) if label else found > 0

    for left, right, label in constraints.required:
        kept &= has(left, right, label)
    for left, right, label in constraints.forbidden:
        kept &= ~has(left, right, label)
    return kept


@pytest.mark.parametrize(("word_count", "cases"), [(1, 200), (2, 500), (3, 500), (4, 150), (5, 15)])
def test_constraints_leave_the_trees_that_have_and_lack_those_constituents(word_count: int, cases: int) -> None:
    generator = np.random.default_rng(20 + word_count)
    every = all_labelled_trees(word_count, len(LABELS))
    refused = 0
    for _ in range(cases):
        case = random_case(generator, word_count, "both")
        constraints = random_constraints(generator, word_count)
        kept = obeying(every.constituents, constraints)
        if not kept.any():
            refused += 1
            with pytest.raises(ConstraintError):
                SpanRules(LABELS, word_count, constraints)
            continue
        rules = SpanRules(LABELS, word_count, constraints)
        problem = LabelledProblem.of_sentence(*case, LABELS, rules=rules)
        scores = every.scores(*case)[kept]
        tables = every.constituents[kept]
        expected = scores - log_sum_exp(scores)
        found = list(itertools.islice(problem.ranked_trees(0), 5))
        np.testing.assert_allclose([tree.log_prob for tree in found], np.sort(expected)[::-1][:5], rtol=0, atol=1e-9)
        own = {table.tobytes() for table in tables}
        assert all(table_of(tree, word_count) in own for tree in found)
        expected_marginals = np.tensordot(np.exp(expected), tables > 0, axes=1)
        np.testing.assert_allclose(problem.marginals()[0], expected_marginals, rtol=0, atol=1e-9)
    assert 0 < refused < cases


def test_a_chain_is_required_and_forbidden_by_any_of_its_labels() -> None:
    labels = LabelSet(("∅", "NP", "S+VP", "TOP"))
    assert labels.chains == [(), ("NP",), ("S", "VP"), ()]
    assert labels.having("VP").tolist() == [False, False, True, False]
    assert labels.under_root("S").tolist() == [False, False, True, False]
    assert labels.is_inner.tolist() == [True, True, True, False]  # TOP marks the root alone
    with pytest.raises(DecodingError, match=r"^no root label 'VP': the model knows NP, S$"):
        labels.under_root("VP")
    with pytest.raises(ConstraintError, match=r"^no label 'X': the model knows NP, S, VP$"):
        labels.having("X")


def test_the_whole_sentence_can_be_forbidden_where_the_root_alone_has_a_label() -> None:
    labels = LabelSet(("∅", "S", "TOP"))
    table = np.log(np.full((3, 3, 3), 1 / 3))
    rules = SpanRules(labels, 2, Constraints(forbidden=[(0, 2)]))
    problem = LabelledProblem.of_sentence(np.log([[1.0, 1.0], [0.5, 0.5]]), None, table, labels, rules=rules)
    assert problem.best_trees()[2][0, 0] == 2
    assert problem.marginals()[0, 0, 2] == 0
    free = LabelledProblem.of_sentence(np.log([[1.0, 1.0], [0.5, 0.5]]), None, table, labels)
    assert free.marginals()[0, 0, 2] == pytest.approx(0.5)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"required": [(0, 4)]}, r"required constituent \(0, 4\) does not lie within the words 0\.\.3"),
        ({"forbidden": [(2, 1, "A")]}, r"forbidden constituent \(2, 1, 'A'\) does not lie within the words 0\.\.3"),
        ({"required": [(0, 2), (1, 3)]}, r"required constituents \(0, 2\) and \(1, 3\) cross: no tree has both"),
        ({"required": [(0, 2)], "forbidden": [(0, 2)]}, r"no label of the model is left for the words 0\.\.2"),
        ({"forbidden": [(0, 3)]}, r"no label of the model is left for the words 0\.\.3"),
        ({"required": [(0, 2, "Q")]}, "no label 'Q': the model knows A, B"),
    ],
)
def test_what_no_tree_can_obey_is_an_error(given: dict[str, list[tuple[int, int]]], message: str) -> None:
    with pytest.raises(ConstraintError, match=message):
        SpanRules(LABELS, 3, Constraints(**given))


@pytest.mark.parametrize("wrong", [3, (1,), (1, 2, 3), ("a", "b"), (0.5, 2), (True, 2), None, "ab", (1, 2, "NP", 3)])
def test_what_is_not_a_constituent_is_named(wrong: object) -> None:
    for kind in (Constraints, CharacterConstraints):
        with pytest.raises(ConstraintError) as caught:
            kind(forbidden=[(0, 1), wrong])  # type: ignore[list-item]
        assert str(caught.value) == (
            f"forbidden[1] is {wrong!r}: a constituent is two whole numbers, or two and a label, as in "
            "forbidden=[(0, 2), (3, 5, 'NP')]"
        )


@pytest.mark.parametrize("wrong", ["ab", None, 3])
def test_what_is_not_a_list_of_constituents_is_named(wrong: object) -> None:
    for kind in (Constraints, CharacterConstraints):
        with pytest.raises(ConstraintError) as caught:
            kind(required=wrong)  # type: ignore[arg-type]
        told = f"required is {wrong!r}: give a list of constituents, such as [(0, 2), (3, 5, 'NP')]"
        assert str(caught.value) == told


def test_lists_and_numpy_numbers_are_constituents_too() -> None:
    given = Constraints(required=[[0, 2]], forbidden=[(np.int64(1), 3, "NP")])  # type: ignore[list-item]
    assert given == Constraints(required=[(0, 2)], forbidden=[LabelledSpan(1, 3, "NP")])
    assert type(given.forbidden[0].left) is int


def test_labels_must_fit_the_words() -> None:
    with pytest.raises(DecodingError, match=r"must be \(3, 3, 3\), or one for each role, not of shape \(2, 2, 3\)"):
        LabelledProblem.of_sentence(np.zeros((2, 2)), None, np.zeros((2, 2, 3)), LABELS)
