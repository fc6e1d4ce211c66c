from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from oracles.dependency_trees import all_dependency_trees, random_arc_scores, tree_scores
from spanlin.decoding import ArcConstraints, arc_marginals, arc_marginals_batch
from spanlin.errors import ConstraintError, DecodingError


def summed_marginals(scores: np.ndarray) -> np.ndarray | None:
    """The share of every arc in the sum over all trees; None if all are impossible."""
    trees, _ = all_dependency_trees(len(scores))
    totals = tree_scores(scores)
    if totals.max() == -np.inf:
        return None
    probs = np.exp(totals - totals.max())
    marginals = np.zeros(scores.shape)
    for word in range(len(scores)):
        np.add.at(marginals[word], trees[:, word], probs / probs.sum())
    return marginals


@pytest.mark.parametrize("sharpness", [1.0, 5.0, 40.0])
@pytest.mark.parametrize("kind", ["plain", "ties", "cyclic", "holes"])
@pytest.mark.parametrize("word_count", range(1, 6))
def test_marginals_are_sums_over_all_trees(word_count: int, kind: str, sharpness: float) -> None:
    generator = np.random.default_rng(word_count)
    for _ in range(15):
        scores = random_arc_scores(generator, word_count, kind) * sharpness
        expected = summed_marginals(scores)
        if expected is None:
            with pytest.raises(DecodingError, match="every dependency tree has log-probability -inf"):
                arc_marginals(scores)
        else:
            np.testing.assert_allclose(arc_marginals(scores), expected, rtol=0, atol=1e-7)


def test_words_that_are_sure_of_each_other_do_not_lose_the_digits() -> None:
    scores = np.full((3, 4), -60.0)
    scores[0, 2] = scores[1, 1] = 0.0  # each of two words is e^60 times likelier to have the other as its head
    scores[0, 0], scores[2, 1] = -61.0, -1.0
    expected = summed_marginals(scores)
    assert expected is not None
    np.testing.assert_allclose(arc_marginals(scores), expected, rtol=1e-9, atol=1e-12)


@settings(deadline=None)
@given(st.integers(0, 2**32 - 1), st.lists(st.integers(1, 10), min_size=1, max_size=5))
def test_a_batch_gives_what_its_sentences_give(seed: int, counts: list[int]) -> None:
    generator = np.random.default_rng(seed)
    batch = np.full((len(counts), max(counts), max(counts) + 1), np.nan)
    for place, count in enumerate(counts):
        batch[place, :count, : count + 1] = random_arc_scores(generator, count, "cyclic")
    found = arc_marginals_batch(counts, batch)
    for place, count in enumerate(counts):
        own = arc_marginals(batch[place, :count, : count + 1])
        np.testing.assert_allclose(found[place, :count, : count + 1], own, rtol=0, atol=1e-9)
        np.testing.assert_allclose(own.sum(axis=1), 1.0, rtol=0, atol=1e-6)
        assert own[:, 0].sum() == pytest.approx(1.0, abs=1e-6)  # one root
        assert found[place, count:].sum() == found[place, :, count + 1 :].sum() == 0.0


def test_constraints_make_arcs_certain_or_impossible() -> None:
    scores = random_arc_scores(np.random.default_rng(0), 4, "plain")
    found = arc_marginals(scores, constraints=ArcConstraints(required=((1, 3),), forbidden=((2, 1),)))
    assert found[0, 3] == pytest.approx(1.0)
    assert found[1, 1] == 0.0
    with pytest.raises(ConstraintError, match="no dependency tree of 4 words"):
        arc_marginals(scores, constraints=ArcConstraints(required=((1, 3), (3, 1))))
    with pytest.raises(DecodingError, match=r"must be \[n, n \+ 1\]"):
        arc_marginals([1.0])
