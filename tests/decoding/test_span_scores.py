from __future__ import annotations

import numpy as np
import pytest

from oracles.all_trees import all_tree_membership, all_trees
from spanlin.decoding.span_scores import best_span_trees
from spanlin.errors import DecodingError

MAX_WORDS = 7


def drawn(seed: int, batch: int = 40) -> tuple[np.ndarray, np.ndarray]:
    """Word counts and scores; the padding and the cells of no span have what must not be read."""
    generator = np.random.default_rng(seed)
    counts = generator.integers(1, MAX_WORDS + 1, size=batch)
    scores = generator.normal(size=(batch, MAX_WORDS, MAX_WORDS))
    place = np.arange(MAX_WORDS)
    is_word = place < counts[:, np.newaxis]
    used = is_word[:, :, np.newaxis] & is_word[:, np.newaxis] & (place <= place[:, np.newaxis])
    return counts, np.where(used, scores, np.nan)


@pytest.mark.parametrize("seed", range(5))
def test_the_tree_is_the_best_of_all(seed: int) -> None:
    counts, scores = drawn(seed)
    lefts, rights = best_span_trees(counts, scores)
    assert lefts.shape == rights.shape == (len(counts), MAX_WORDS - 1)
    for row, count in enumerate(counts.tolist()):
        # The span (i, j) has its score in row j - 1, column i.
        spans = np.nan_to_num(scores[row, :count, :count].T)
        totals = (all_tree_membership(count)[:, :-1, 1:] * spans).sum(axis=(1, 2))
        best = all_trees(count)[int(totals.argmax())]
        found = list(zip(lefts[row, : count - 1].tolist(), rights[row, : count - 1].tolist(), strict=True))
        assert found == [tuple(span) for span in best]


def test_of_equal_trees_the_one_with_the_largest_splits_is_taken() -> None:
    lefts, rights = best_span_trees([4], np.zeros((1, 4, 4)))
    assert (lefts.tolist(), rights.tolist()) == ([[0, 0, 0]], [[2, 3, 4]])


def test_a_batch_equals_one_by_one() -> None:
    counts, scores = drawn(9)
    lefts, rights = best_span_trees(counts, scores)
    for row, count in enumerate(counts.tolist()):
        alone = best_span_trees([count], scores[row : row + 1, :count, :count])
        assert lefts[row, : count - 1].tolist() == alone[0][0].tolist()
        assert rights[row, : count - 1].tolist() == alone[1][0].tolist()


def test_wrong_scores_are_an_error_that_names_the_sentence() -> None:
    scores = np.zeros((3, 4, 4))
    scores[0, 0, 2] = scores[1, 3, 0] = np.nan  # of no span; of padding
    best_span_trees([4, 3, 4], scores)
    scores[2, 3, 0] = np.nan
    with pytest.raises(DecodingError, match=r"^sentence 3: a span score is NaN$"):
        best_span_trees([4, 3, 4], scores)
    for shape in ((4, 4), (2, 4, 4)):
        with pytest.raises(DecodingError, match=r"^span scores of shape \(.*\) for 3 sentences: want \[batch, n, n\]$"):
            best_span_trees([4, 3, 4], np.zeros(shape))
    with pytest.raises(DecodingError, match="sentence 2: no words to decode"):
        best_span_trees([4, 0, 4], np.zeros((3, 4, 4)))
