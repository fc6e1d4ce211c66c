"""Joint decoding against all pairs of a tree and heads that go together."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from oracles.all_trees import log_sum_exp
from oracles.dependency_trees import all_dependency_trees, random_arc_scores, tree_scores
from oracles.joint_parses import all_compatible
from oracles.labelled_trees import all_labelled_trees
from oracles.random_decoding import random_log_probs
from spanlin.decoding import (
    ArcConstraints,
    Constraints,
    JointParse,
    LabelledProblem,
    LabelSet,
    SpanRules,
    Temperatures,
    decode_heads,
    decode_joint,
    joint_chart,
)
from spanlin.decoding.head_spans import go_together
from spanlin.decoding.joint_chart import JointChart
from spanlin.decoding.joint_scores import JointScores
from spanlin.errors import ConstraintError, DecodingError
from spanlin.trees.tree import Span

LABELS = {2: LabelSet(("∅", "A")), 3: LabelSet(("∅", "A", "B"))}
Case = tuple[np.ndarray | None, np.ndarray | None, np.ndarray, np.ndarray]


def random_case(generator: np.random.Generator, word_count: int, label_count: int, number: int) -> Case:
    side = ("left", "right", "both")[number % 3]
    left = random_log_probs(generator, 1, word_count, "plain")[0] if side != "right" else None
    right = random_log_probs(generator, 1, word_count, "plain", side="right")[0] if side != "left" else None
    labels = generator.normal(0, 2, (3, word_count + 1, word_count + 1, label_count))
    arcs = random_arc_scores(generator, word_count, ("plain", "ties", "cyclic", "holes")[number % 5 % 4])
    # Now the tree counts more, now the heads.
    return left, right, labels - log_sum_exp(labels)[..., np.newaxis], arcs * (0.3 + number % 4)


def best_pair_score(case: Case, label_count: int) -> float:
    left, right, labels, arcs = case
    shapes, together = all_compatible(len(arcs), label_count)
    trees = all_labelled_trees(len(arcs), label_count).scores(left, right, labels)
    best_heads = np.where(together, tree_scores(arcs), -np.inf).max(axis=1)
    return float((trees + best_heads[shapes]).max())


def constituents(parse: JointParse) -> list[Span]:
    return [span for span, label in zip(parse.spans, parse.labels, strict=False) if label]


def score_of(parse: JointParse, case: Case) -> float:
    """The score of a pair, written out from its parts."""
    left, right, labels, arcs = case
    count = len(arcs)
    total = float(arcs[np.arange(count), parse.heads].sum())
    words = [Span(word, word + 1) for word in range(count)]
    left_ends = {span: k for k, span in enumerate(parse.spans, start=1)}
    for span, label in zip((*parse.spans, *words), parse.labels, strict=True):
        role = 2 if span == (0, count) else 1
        for parent, k in left_ends.items():
            if span == (parent.left, k):
                role = 0
                total += 0.0 if left is None else float(left[k - 1, parent.left])
            elif span == (k, parent.right):
                total += 0.0 if right is None else float(right[k, parent.right - 1])
        total += float(labels[role, span.left, span.right, label])
    return total


@pytest.mark.parametrize(
    ("word_count", "label_count", "cases"), [(1, 3, 40), (2, 3, 60), (3, 3, 100), (4, 3, 100), (5, 2, 100)]
)
def test_the_pair_is_the_best_of_all_that_go_together(word_count: int, label_count: int, cases: int) -> None:
    generator = np.random.default_rng(word_count)
    outcomes = set()
    for number in range(cases):
        case = random_case(generator, word_count, label_count, number)
        best = best_pair_score(case, label_count)
        left, right, labels, arcs = case
        if best == -np.inf:
            with pytest.raises(DecodingError):
                decode_joint(left, right, labels, LABELS[label_count], arcs)
            continue
        found = decode_joint(left, right, labels, LABELS[label_count], arcs)
        assert found.score == pytest.approx(best, abs=1e-8)
        assert score_of(found, case) == pytest.approx(best, abs=1e-8)
        assert go_together(constituents(found), found.heads)
        outcomes.add(found.agreed)
    assert outcomes == ({True} if word_count < 3 else {True, False})


def joint_scores(case: Case, label_set: LabelSet) -> JointScores:
    left, right, labels, arcs = case
    count = len(arcs)
    own = np.where(np.eye(count, count + 1, k=1, dtype=bool), -np.inf, arcs)
    return JointScores.of((left, right), labels, SpanRules(label_set, count), own)


@pytest.mark.parametrize(("word_count", "label_count"), [(2, 3), (3, 3), (4, 3), (5, 2)])
def test_the_chart_alone_finds_the_best_pair(word_count: int, label_count: int) -> None:
    generator = np.random.default_rng(word_count + 10)
    for number in range(30):
        case = random_case(generator, word_count, label_count, number)
        chart = JointChart(joint_scores(case, LABELS[label_count]))
        assert chart.best_score() == pytest.approx(best_pair_score(case, label_count), abs=1e-8)


@pytest.mark.parametrize(("word_count", "label_count"), [(4, 3), (5, 2)])
def test_a_chart_of_few_constituents_finds_the_best_pair_with_these(word_count: int, label_count: int) -> None:
    generator = np.random.default_rng(word_count + 20)
    shapes, together = all_compatible(word_count, label_count)
    every = all_labelled_trees(word_count, label_count)
    places = np.arange(word_count + 1)
    is_long = places[np.newaxis] - places[:, np.newaxis] > 1
    is_long[0, word_count] = False  # the whole sentence is always one
    for number in range(40):
        case = random_case(generator, word_count, label_count, number)
        left, right, labels, arcs = case
        allowed = generator.random(is_long.shape) < 0.4
        is_kept = ~((every.constituents > 0) & is_long & ~allowed).any(axis=(1, 2))
        heads = np.where(together, tree_scores(arcs), -np.inf).max(axis=1)
        best = np.where(is_kept, every.scores(left, right, labels) + heads[shapes], -np.inf).max()
        chart = JointChart(joint_scores(case, LABELS[label_count]).allowing(allowed))
        assert chart.best_score() == pytest.approx(best, abs=1e-8)


def test_tables_that_are_filled_again_give_the_same_pair(monkeypatch: pytest.MonkeyPatch) -> None:
    generator = np.random.default_rng(30)
    cases = [random_case(generator, 9, 3, number % 3) for number in range(12)]
    kept = [decode_joint(*case[:3], LABELS[3], case[3]) for case in cases]
    monkeypatch.setattr(joint_chart, "_MOST_KEPT", 0)
    assert [decode_joint(*case[:3], LABELS[3], case[3]) for case in cases] == kept
    assert not all(parse.agreed for parse in kept)


@settings(deadline=None, max_examples=40)
@given(st.integers(0, 2**32 - 1), st.integers(6, 12), st.floats(0.2, 3.0))
def test_bounds_rule_out_nothing_that_matters(seed: int, word_count: int, weight: float) -> None:
    generator = np.random.default_rng(seed)
    left, right, labels, arcs = random_case(generator, word_count, 3, seed % 3)
    case = (left, right, labels, arcs * weight)
    found = decode_joint(*case[:3], LABELS[3], case[3])
    assert found.score == pytest.approx(JointChart(joint_scores(case, LABELS[3])).best_score(), abs=1e-7)
    assert score_of(found, case) == pytest.approx(found.score, abs=1e-7)
    assert go_together(constituents(found), found.heads)
    # Each half alone is at least as good as its half of the pair.
    tree = LabelledProblem.of_sentence(*case[:3], LABELS[3])
    best_tree = next(tree.ranked_trees(0)).log_prob + float(tree.log_partitions[0])
    heads = decode_heads(case[3])
    assert found.score <= best_tree + heads.log_prob + 1e-7
    own_arcs = float(case[3][np.arange(word_count), found.heads].sum())
    assert found.tree_loss == pytest.approx(best_tree - (found.score - own_arcs), abs=1e-6)
    if found.agreed:
        assert found.score == pytest.approx(best_tree + heads.log_prob, abs=1e-7)
        assert found.heads == heads.heads


def test_temperatures_divide_splits_and_labels() -> None:
    case = random_case(np.random.default_rng(4), 4, 3, 2)
    left, right, labels, arcs = case
    assert left is not None
    assert right is not None
    hot = decode_joint(left, right, labels, LABELS[3], arcs, temperatures=Temperatures(splits=2.0, labels=4.0))
    assert hot == decode_joint(left / 2.0, right / 2.0, labels / 4.0, LABELS[3], arcs)


def test_constraints_on_constituents_and_arcs_are_obeyed() -> None:
    generator = np.random.default_rng(9)
    trees, _ = all_dependency_trees(4)
    shapes, together = all_compatible(4, 3)
    every = all_labelled_trees(4, 3)
    for number in range(60):
        case = random_case(generator, 4, 3, number % 3)
        left, right, labels, arcs = case
        constraints = Constraints(required=[(1, 3)], forbidden=[(0, 3), (1, 2, "A")])
        keeps_tree = (every.constituents[:, 1, 3] > 0) & (every.constituents[:, 0, 3] == 0)
        keeps_tree &= every.constituents[:, 1, 2] != 1
        keeps_heads = (trees[:, 0] == 2) & (trees[:, 3] != 2)
        heads = np.where(together & keeps_heads, tree_scores(arcs), -np.inf).max(axis=1)
        best = np.where(keeps_tree, every.scores(left, right, labels) + heads[shapes], -np.inf).max()
        found = decode_joint(
            left,
            right,
            labels,
            LABELS[3],
            arcs,
            rules=SpanRules(LABELS[3], 4, constraints),
            arc_constraints=ArcConstraints(required=((1, 2),), forbidden=((4, 2),)),
        )
        assert found.score == pytest.approx(best, abs=1e-8)


def test_what_cannot_be_is_an_error() -> None:
    left, right, labels, arcs = random_case(np.random.default_rng(0), 4, 3, 2)
    rules = SpanRules(LABELS[3], 4, Constraints(required=[(0, 2)]))
    both_outside = ArcConstraints(required=((1, 3), (2, 3)))
    with pytest.raises(DecodingError, match=r"^no tree and heads in which every constituent has one head are possible"):
        decode_joint(left, right, labels, LABELS[3], arcs, rules=rules, arc_constraints=both_outside)
    with pytest.raises(ConstraintError, match="no dependency tree of 4 words is left"):
        decode_joint(left, right, labels, LABELS[3], arcs, arc_constraints=ArcConstraints(((1, 2), (2, 1))))
    with pytest.raises(DecodingError, match=r"^label_log_probs: must be \(5, 5, 3\), or one for each role"):
        decode_joint(left, right, labels[..., :2], LABELS[3], arcs)
    with pytest.raises(DecodingError, match=r"^arc_log_probs: must be \(4, 5\), not of shape \(3, 5\)$"):
        decode_joint(left, right, labels, LABELS[3], arcs[:3])
