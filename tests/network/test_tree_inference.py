from __future__ import annotations

import itertools
from collections.abc import Callable

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch import Tensor

from oracles.random_decoding import random_boundaries
from spanlin.decoding.greedy import GreedyRule, greedy_trees, legal_rows
from spanlin.decoding.mirror import mirror_boundaries, mirror_spans
from spanlin.linearization import linearize, linearize_right
from spanlin.network.tree_inference import argmax_tree_right, argmin_tree, largest_tree, largest_tree_right
from spanlin.trees.tree import Span
from strategies import binary_spans

LEFT: dict[GreedyRule, Callable[[Tensor, Tensor], tuple[Tensor, Tensor]]] = {
    "argmin": argmin_tree,
    "largest": largest_tree,
}
RIGHT = {"argmin": argmax_tree_right, "largest": largest_tree_right}
RULES = tuple(LEFT)


def assert_like_numpy(left_boundaries: np.ndarray, word_counts: np.ndarray) -> None:
    """The tensor functions and the NumPy decoders agree on a padded batch, read from the left and from the right."""
    batch, width = left_boundaries.shape
    counts = torch.from_numpy(word_counts)
    right_boundaries = mirror_boundaries(left_boundaries, word_counts)
    # What the network says of padding is anything; here it is junk on the right side too.
    padding = np.arange(width) >= word_counts[:, np.newaxis]
    right_boundaries = np.where(padding, left_boundaries + 1, right_boundaries)
    for rule in RULES:
        lefts, rights = greedy_trees(left_boundaries, word_counts, rule=rule)
        found = LEFT[rule](torch.from_numpy(left_boundaries), counts)
        for wanted, tensor in zip((lefts, rights), found, strict=True):
            assert tensor.shape == (batch, width - 1)
            np.testing.assert_array_equal(tensor.numpy(), wanted, err_msg=f"{rule}, left")
        mirrored = RIGHT[rule](torch.from_numpy(right_boundaries), counts)
        for wanted, tensor in zip(mirror_spans(lefts, rights, word_counts), mirrored, strict=True):
            np.testing.assert_array_equal(tensor.numpy(), wanted, err_msg=f"{rule}, right")


def ragged_sequences(generator: np.random.Generator, batch: int, width: int) -> tuple[np.ndarray, np.ndarray]:
    """Sequences of 1 to `width` words with junk after them: a third legal, a third nearly so, the rest at random."""
    word_counts = generator.integers(1, width + 1, batch)
    word_counts[0] = width
    boundaries = random_boundaries(generator, batch, width)
    tamed = generator.random(batch) < 2 / 3
    lefts, _ = greedy_trees(boundaries, word_counts)
    inner = np.arange(width - 1) < word_counts[:, np.newaxis] - 1
    boundaries[:, :-1] = np.where(tamed[:, np.newaxis] & inner, lefts, boundaries[:, :-1])
    boundaries[np.arange(batch)[tamed], word_counts[tamed] - 1] = 0
    touched = np.flatnonzero(tamed)[::2]
    places = (generator.random(len(touched)) * word_counts[touched]).astype(np.int64)
    boundaries[touched, places] = (generator.random(len(touched)) * (places + 1)).astype(np.int64)
    return boundaries, word_counts


def check_random_sequences(count: int) -> None:
    generator = np.random.default_rng(count)
    done = legal = 0
    for width in itertools.cycle((2, 3, 5, 8, 13, 24, 40)):
        batch = min(1000, count - done)
        boundaries, word_counts = ragged_sequences(generator, batch, width)
        assert_like_numpy(boundaries, word_counts)
        legal += int(legal_rows(boundaries, word_counts).sum())
        done += batch
        if done == count:
            break
    assert 0.25 * count < legal < 0.75 * count


def test_tensor_inference_equals_the_numpy_decoders_on_5000_random_sequences() -> None:
    check_random_sequences(5_000)


@pytest.mark.slow
def test_tensor_inference_equals_the_numpy_decoders_on_100000_random_sequences() -> None:
    check_random_sequences(100_000)


@pytest.mark.parametrize("word_count", range(1, 8))
def test_tensor_inference_equals_the_numpy_decoders_on_every_sequence_of_a_length(word_count: int) -> None:
    every = np.array(list(itertools.product(*map(range, range(1, word_count + 1)))), dtype=np.int64)
    assert_like_numpy(every, np.full(len(every), word_count))


def test_tensor_inference_equals_the_numpy_decoders_on_long_sentences() -> None:
    boundaries, word_counts = ragged_sequences(np.random.default_rng(1), 9, 300)
    assert_like_numpy(boundaries, word_counts)


@given(st.data(), binary_spans(max_words=20), st.integers(0, 5))
def test_every_rule_gives_back_the_tree_of_a_legal_sequence(
    data: st.DataObject, tree: tuple[frozenset[Span], int], padding: int
) -> None:
    spans, word_count = tree
    junk = data.draw(st.lists(st.integers(0, word_count), min_size=padding, max_size=padding))
    counts = torch.tensor([word_count])
    inner = {span for span in spans if span.right - span.left > 1}
    for rule in RULES:
        for infer, boundaries in (
            (LEFT[rule], linearize(spans, word_count)),
            (RIGHT[rule], linearize_right(spans, word_count)),
        ):
            lefts, rights = infer(torch.tensor([[*boundaries, *junk]]), counts)
            assert lefts.shape == rights.shape == (1, word_count + padding - 1)
            used = slice(0, word_count - 1)
            assert set(map(Span, lefts[0, used].tolist(), rights[0, used].tolist())) == inner
            assert not lefts[0, word_count - 1 :].any()
            assert not rights[0, word_count - 1 :].any()


def test_the_papers_sentence_has_its_tree() -> None:
    # She loves writing code . (Fig. 1)
    lefts, rights = argmin_tree(torch.tensor([[0, 1, 2, 1, 0]]), torch.tensor([5]))
    assert (lefts.tolist(), rights.tolist()) == ([[0, 1, 2, 1]], [[5, 4, 4, 5]])
