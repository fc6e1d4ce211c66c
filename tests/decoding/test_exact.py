from __future__ import annotations

import math

import numpy as np
import pytest

from oracles.all_trees import all_tree_log_probs, all_tree_membership, log_sum_exp
from oracles.random_decoding import pad, random_log_probs
from spanlin.decoding import log_partition, log_partition_batch, span_marginals, span_marginals_batch
from spanlin.errors import DecodingError


@pytest.mark.parametrize("side", ["left", "right", "both"])
@pytest.mark.parametrize("kind", ["plain", "ties", "sharp", "holes"])
@pytest.mark.parametrize("word_count", range(1, 8))
def test_partition_and_marginals_equal_the_sums_over_all_trees(word_count: int, kind: str, side: str) -> None:
    generator = np.random.default_rng(word_count)
    left = random_log_probs(generator, 100, word_count, kind) if side != "right" else None
    right = random_log_probs(generator, 100, word_count, kind, side="right") if side != "left" else None
    log_probs = all_tree_log_probs(left, right, word_count)
    possible = log_probs.max(axis=1) > -np.inf
    left = None if left is None else left[possible]
    right = None if right is None else right[possible]
    log_probs = log_probs[possible]
    word_counts = np.full(len(log_probs), word_count)

    totals = log_partition_batch(word_counts, left, right)
    np.testing.assert_allclose(totals, log_sum_exp(log_probs), rtol=0, atol=1e-9)

    marginals = span_marginals_batch(word_counts, left, right)
    probs = np.exp(log_probs - log_sum_exp(log_probs)[:, np.newaxis])
    expected = np.einsum("bt,tij->bij", probs, all_tree_membership(word_count))
    np.testing.assert_allclose(marginals, expected, rtol=0, atol=1e-9)
    assert marginals.max() <= 1.0


@pytest.mark.parametrize("word_count", [1, 2, 3, 30, 90])
def test_marginals_sum_to_the_number_of_spans_of_a_tree(word_count: int) -> None:
    generator = np.random.default_rng(word_count)
    left = random_log_probs(generator, 1, word_count, "plain")[0]
    right = random_log_probs(generator, 1, word_count, "sharp", side="right")[0]
    for marginals in (span_marginals(left), span_marginals(None, right), span_marginals(left, right)):
        words = np.diagonal(marginals, 1)
        np.testing.assert_allclose(words, 1.0)
        assert marginals[0, word_count] == 1.0
        assert marginals.sum() == pytest.approx(2 * word_count - 1)
        assert marginals.sum() - words.sum() == pytest.approx(word_count - 1)
        assert not np.tril(marginals).any()


def test_flat_scores_count_the_trees() -> None:
    for word_count in range(1, 40):
        catalan = math.comb(2 * word_count - 2, word_count - 1) // word_count
        assert log_partition(np.zeros((word_count, word_count))) == pytest.approx(math.log(catalan))


def test_normalised_left_boundaries_leave_some_probability_to_illegal_sequences() -> None:
    scores = random_log_probs(np.random.default_rng(0), 1, 8, "plain")[0]
    assert log_partition(scores) < 0.0


def test_a_padded_batch_equals_one_by_one() -> None:
    generator = np.random.default_rng(4)
    parts = [random_log_probs(generator, 1, n, "plain") for n in (5, 1, 9, 2, 9, 40)]
    word_counts = [part.shape[1] for part in parts]
    batch = np.concatenate([pad(part, 42, np.nan) for part in parts])
    totals = log_partition_batch(word_counts, batch, batch.transpose(0, 2, 1))
    marginals = span_marginals_batch(word_counts, batch, batch.transpose(0, 2, 1))
    for sentence, (part, n) in enumerate(zip(parts, word_counts, strict=True)):
        assert totals[sentence] == pytest.approx(log_partition(part[0], part[0].T), abs=1e-12)
        own = span_marginals(part[0], part[0].T)
        np.testing.assert_allclose(marginals[sentence, : n + 1, : n + 1], own, rtol=0, atol=1e-12)
        assert marginals[sentence].sum() == pytest.approx(own.sum())


def test_scores_that_no_tree_fits_are_an_error() -> None:
    scores = np.full((4, 4), -np.inf)
    scores[np.arange(4), (0, 0, 1, 0)] = 0.0
    for function in (log_partition, span_marginals):
        with pytest.raises(DecodingError, match=r"^every tree has log-probability -inf"):
            function(scores)
