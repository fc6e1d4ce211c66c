from __future__ import annotations

import itertools

import numpy as np
import pytest

from oracles.all_trees import all_tree_log_probs, all_trees
from oracles.random_decoding import random_log_probs
from spanlin.decoding import best_trees, decode, k_best_trees, log_partition
from spanlin.errors import DecodingError


@pytest.mark.parametrize("side", ["left", "right", "both"])
@pytest.mark.parametrize("kind", ["plain", "ties", "sharp", "holes"])
@pytest.mark.parametrize("word_count", range(1, 8))
def test_all_trees_come_in_the_order_of_their_probability(word_count: int, kind: str, side: str) -> None:
    generator = np.random.default_rng(word_count)
    for _ in range(8):
        left = random_log_probs(generator, 1, word_count, kind)[0] if side != "right" else None
        right = random_log_probs(generator, 1, word_count, kind, side="right")[0] if side != "left" else None
        log_probs = all_tree_log_probs(left, right, word_count)
        if log_probs.max() == -np.inf:
            continue
        own = dict(zip(all_trees(word_count), log_probs.tolist(), strict=True))
        found = k_best_trees(left, right, count=len(own) + 5)
        assert len(found) == np.isfinite(log_probs).sum() == len({tree.spans for tree in found})
        for tree in found:
            assert tree.log_prob == pytest.approx(own[tree.spans], abs=1e-9)
        expected = np.sort(log_probs[np.isfinite(log_probs)])[::-1]
        np.testing.assert_allclose([tree.log_prob for tree in found], expected, rtol=0, atol=1e-9)


@pytest.mark.parametrize("count", [0, 1, 2, 7, 40])
def test_fewer_are_the_beginning_of_all(count: int) -> None:
    generator = np.random.default_rng(count)
    for kind in ("plain", "ties"):
        left = random_log_probs(generator, 1, 7, kind)[0]
        assert k_best_trees(left, count=count) == k_best_trees(left, count=1000)[:count]
        assert k_best_trees(left, count=count) == tuple(itertools.islice(best_trees(left), count))


def test_the_first_tree_is_as_probable_as_the_exact_decoders() -> None:
    left = random_log_probs(np.random.default_rng(5), 1, 60, "plain")[0]
    best, second = k_best_trees(left, count=2)
    assert best.log_prob == pytest.approx(decode(left, decoder="cky").log_prob)
    assert second.log_prob <= best.log_prob


def test_all_trees_share_the_partition_function() -> None:
    left = random_log_probs(np.random.default_rng(6), 1, 9, "plain")[0]
    probs = np.exp([tree.log_prob - log_partition(left) for tree in best_trees(left)])
    assert len(probs) == 1430
    assert probs.sum() == pytest.approx(1.0)


def test_long_sentences_need_no_recursion() -> None:
    word_count = 700
    scores = np.where(np.eye(word_count, dtype=bool), 0.0, -20.0) - np.arange(word_count)[:, np.newaxis] * 1e-3
    found = k_best_trees(scores, count=5)
    assert len({tree.spans for tree in found}) == 5
    assert [tree.log_prob for tree in found] == sorted((tree.log_prob for tree in found), reverse=True)


def test_scores_that_no_tree_fits_are_an_error_before_the_first_tree() -> None:
    scores = np.full((4, 4), -np.inf)
    scores[np.arange(4), (0, 0, 1, 0)] = 0.0
    with pytest.raises(DecodingError, match="every tree has log-probability -inf"):
        best_trees(scores)


def test_a_negative_count_is_an_error() -> None:
    with pytest.raises(DecodingError, match="the -1 best trees"):
        k_best_trees(np.zeros((2, 2)), count=-1)
