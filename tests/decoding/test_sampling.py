from __future__ import annotations

import math
from collections import Counter

import numpy as np
import pytest

from oracles.all_trees import all_tree_log_probs, all_trees, log_sum_exp
from oracles.random_decoding import random_log_probs
from spanlin.decoding import SpanConstraints, sample_trees, span_marginals
from spanlin.errors import DecodingError
from spanlin.trees.tree import Span

DRAWS = 15_000


def chi_square(counts: np.ndarray, expected: np.ndarray) -> float:
    """How far the statistic lies above its mean, in standard deviations, with rare trees put together."""
    rare = expected < 10
    counts = np.append(counts[~rare], counts[rare].sum())
    expected = np.append(expected[~rare], expected[rare].sum())
    kept = expected > 0
    freedom = max(int(kept.sum()) - 1, 1)
    statistic = float(((counts - expected)[kept] ** 2 / expected[kept]).sum())
    return (statistic - freedom) / math.sqrt(2 * freedom)


@pytest.mark.parametrize("side", ["left", "right", "both"])
@pytest.mark.parametrize("kind", ["plain", "ties", "holes"])
@pytest.mark.parametrize("word_count", range(2, 8))
def test_trees_are_as_frequent_as_they_are_probable(word_count: int, kind: str, side: str) -> None:
    generator = np.random.default_rng([word_count, len(kind), len(side)])
    log_probs = np.array([-np.inf])
    while log_probs.max() == -np.inf:  # holes on both sides may leave no tree at all
        left = random_log_probs(generator, 1, word_count, kind)[0] if side != "right" else None
        right = random_log_probs(generator, 1, word_count, kind, side="right")[0] if side != "left" else None
        log_probs = all_tree_log_probs(left, right, word_count)
    probs = np.exp(log_probs - log_sum_exp(log_probs))
    found = sample_trees(left, right, count=DRAWS, generator=generator)
    counted = Counter(found.spans(tree) for tree in range(DRAWS))
    counts = np.array([counted[tree] for tree in all_trees(word_count)])
    assert counts.sum() == DRAWS
    assert not counts[probs == 0].any()
    assert chi_square(counts, probs * DRAWS) < 4
    if kind == "plain" and word_count > 3:
        assert chi_square(counts, np.roll(probs, 1) * DRAWS) > 20  # the test can fail
    own = dict(zip(all_trees(word_count), log_probs.tolist(), strict=True))
    assert found.log_probs is not None
    for tree in range(0, DRAWS, 997):
        assert found.log_probs[tree] == pytest.approx(own[found.spans(tree)], abs=1e-9)


def test_span_frequencies_of_long_sentences_equal_the_marginals() -> None:
    generator = np.random.default_rng(11)
    left = random_log_probs(generator, 1, 40, "plain")[0]
    found = sample_trees(left, count=20_000, generator=generator)
    frequencies = np.zeros((41, 41))
    np.add.at(frequencies, (found.lefts, found.rights), 1 / 20_000)
    marginals = span_marginals(left) - np.eye(41, k=1)
    assert np.abs(frequencies - marginals).max() < 5 * np.sqrt(0.25 / 20_000)


def test_the_same_seed_draws_the_same_trees_and_another_draws_others() -> None:
    left = random_log_probs(np.random.default_rng(12), 1, 12, "plain")[0]
    one, two, other = (sample_trees(left, count=50, generator=np.random.default_rng(seed)) for seed in (1, 1, 2))
    assert (one.lefts == two.lefts).all()
    assert (one.lefts != other.lefts).any()


def test_samples_obey_constraints() -> None:
    generator = np.random.default_rng(13)
    left = random_log_probs(generator, 1, 7, "plain")[0]
    constraints = SpanConstraints(required=(Span(2, 5),), forbidden=(Span(2, 4), Span(0, 6)))
    found = sample_trees(left, count=500, generator=generator, constraints=constraints)
    for tree in range(500):
        spans = set(found.spans(tree))
        assert Span(2, 5) in spans
        assert spans.isdisjoint(constraints.forbidden)


def test_one_word_and_no_draws_work() -> None:
    generator = np.random.default_rng(14)
    assert sample_trees(np.zeros((1, 1)), count=3, generator=generator).lefts.shape == (3, 0)
    assert len(sample_trees(np.zeros((4, 4)), count=0, generator=generator)) == 0


def test_a_negative_count_is_an_error() -> None:
    with pytest.raises(DecodingError, match="cannot draw -1 trees"):
        sample_trees(np.zeros((2, 2)), count=-1, generator=np.random.default_rng(0))
