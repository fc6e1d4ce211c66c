from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from oracles.all_trees import CHOICES, argmin_choice, recursive_tree
from oracles.random_decoding import random_boundaries
from spanlin.decoding import greedy_tree, greedy_trees, legal_rows
from spanlin.decoding.greedy import GreedyRule
from spanlin.errors import DecodingError, LinearizationError
from spanlin.linearization import is_legal, linearize
from spanlin.trees.tree import Span

REPAIRS: list[GreedyRule] = ["argmin", "largest"]
RULES: list[GreedyRule] = ["argmin", "largest", "strict"]


@st.composite
def sequences(draw: st.DrawFn, max_words: int = 20) -> list[int]:
    word_count = draw(st.integers(1, max_words))
    return [draw(st.integers(0, j - 1)) for j in range(1, word_count + 1)]


def rows_as_spans(lefts: np.ndarray, rights: np.ndarray, word_counts: np.ndarray) -> list[tuple[Span, ...]]:
    rows = zip(lefts.tolist(), rights.tolist(), word_counts.tolist(), strict=True)
    return [tuple(map(Span, left[: n - 1], right[: n - 1])) for left, right, n in rows]


@given(sequences())
def test_repairing_rules_equal_their_recursive_twins(left_boundaries: list[int]) -> None:
    for rule in REPAIRS:
        assert greedy_tree(left_boundaries, rule=rule) == recursive_tree(left_boundaries, CHOICES[rule])


@given(st.lists(sequences(), min_size=1, max_size=6), st.integers(0, 3), st.integers(-9, 99))
def test_a_padded_batch_equals_one_by_one(batch: list[list[int]], extra_columns: int, filler: int) -> None:
    word_counts = np.array([len(sequence) for sequence in batch])
    padded = np.full((len(batch), word_counts.max() + extra_columns), filler)
    for row, sequence in enumerate(batch):
        padded[row, : len(sequence)] = sequence
    for rule in REPAIRS:
        lefts, rights = greedy_trees(padded, word_counts, rule=rule)
        assert rows_as_spans(lefts, rights, word_counts) == [greedy_tree(sequence, rule=rule) for sequence in batch]
        padding = np.arange(1, padded.shape[1]) >= word_counts[:, np.newaxis]
        assert not lefts[padding].any()
        assert not rights[padding].any()


@pytest.mark.parametrize("word_count", range(1, 8))
def test_every_sequence_of_up_to_seven_words_decodes_as_its_recursive_twin(word_count: int) -> None:
    every = np.array(list(itertools.product(*map(range, range(1, word_count + 1)))))
    word_counts = np.full(len(every), word_count)
    for rule in REPAIRS:
        expected = [recursive_tree(sequence, CHOICES[rule]) for sequence in every.tolist()]
        assert [greedy_tree(sequence, rule=rule) for sequence in every.tolist()] == expected
        assert rows_as_spans(*greedy_trees(every, word_counts, rule=rule), word_counts) == expected


@pytest.mark.parametrize("word_count", range(1, 8))
def test_strict_takes_the_legal_sequences_and_no_other(word_count: int) -> None:
    for sequence in itertools.product(*map(range, range(1, word_count + 1))):
        if is_legal(sequence):
            tree = greedy_tree(sequence, rule="strict")
            assert tree == recursive_tree(sequence, CHOICES["strict"])
            assert tree == greedy_tree(sequence, rule="argmin") == greedy_tree(sequence, rule="largest")
            assert linearize(tree, word_count) == sequence
        else:
            with pytest.raises(LinearizationError):
                greedy_tree(sequence, rule="strict")


@pytest.mark.parametrize("rule", REPAIRS)
def test_thousands_of_random_sequences_decode_as_their_recursive_twins(rule: GreedyRule) -> None:
    generator = np.random.default_rng(1)
    for word_count in (8, 25, 60):
        batch = random_boundaries(generator, 1000, word_count)
        word_counts = generator.integers(1, word_count + 1, len(batch))
        found = rows_as_spans(*greedy_trees(batch, word_counts, rule=rule), word_counts)
        for sequence, n, spans in zip(batch.tolist(), word_counts.tolist(), found, strict=True):
            assert spans == recursive_tree(sequence[:n], CHOICES[rule])


def test_batches_of_several_blocks_equal_one_by_one() -> None:
    generator = np.random.default_rng(2)
    batch = random_boundaries(generator, 9000, 6)
    word_counts = generator.integers(1, 7, len(batch))
    found = rows_as_spans(*greedy_trees(batch, word_counts), word_counts)
    assert found == [greedy_tree(row[:n]) for row, n in zip(batch.tolist(), word_counts.tolist(), strict=True)]


def test_legal_rows_are_those_that_some_tree_has() -> None:
    generator = np.random.default_rng(3)
    batch = random_boundaries(generator, 3000, 6)
    word_counts = generator.integers(1, 7, len(batch))
    expected = [is_legal(row[:n]) for row, n in zip(batch.tolist(), word_counts.tolist(), strict=True)]
    assert legal_rows(batch, word_counts).tolist() == expected
    assert 0 < sum(expected) < len(expected)


@given(sequences())
def test_the_last_boundary_changes_nothing_but_for_strict(left_boundaries: list[int]) -> None:
    for rule in REPAIRS:
        assert greedy_tree(left_boundaries, rule=rule) == greedy_tree([*left_boundaries[:-1], 0], rule=rule)


@pytest.mark.parametrize("rule", RULES)
def test_the_papers_example_decodes(rule: GreedyRule) -> None:
    expected = (Span(0, 5), Span(1, 4), Span(2, 4), Span(1, 5))
    assert greedy_tree((0, 1, 2, 1, 0), rule=rule) == expected
    lefts, rights = greedy_trees([[0, 1, 2, 1, 0]], [5], rule=rule)
    assert (lefts.tolist(), rights.tolist()) == ([[0, 1, 2, 1]], [[5, 4, 4, 5]])


def test_the_two_repairs_may_differ_on_an_illegal_sequence() -> None:
    assert greedy_tree((0, 0, 1, 2, 0), rule="argmin") == (Span(0, 2), Span(0, 5), Span(2, 5), Span(3, 5))
    assert greedy_tree((0, 0, 1, 2, 0), rule="largest") == (Span(0, 2), Span(0, 5), Span(2, 4), Span(2, 5))


@pytest.mark.parametrize("rule", RULES)
def test_one_and_two_words_have_their_only_tree(rule: GreedyRule) -> None:
    assert greedy_tree((0,), rule=rule) == ()
    assert greedy_tree((0, 0), rule=rule) == (Span(0, 2),)
    lefts, rights = greedy_trees([[0, 7], [0, 0]], [1, 2], rule=rule)
    assert (lefts.tolist(), rights.tolist()) == ([[0], [0]], [[0], [2]])


def test_a_batch_of_one_word_sentences_and_an_empty_batch_have_no_spans() -> None:
    assert [ends.shape for ends in greedy_trees([[0], [0]], [1, 1])] == [(2, 0), (2, 0)]
    assert [ends.shape for ends in greedy_trees(np.zeros((0, 4), dtype=int), [])] == [(0, 3), (0, 3)]
    assert [ends.shape for ends in greedy_trees(np.zeros((0, 0), dtype=int), [])] == [(0, 0), (0, 0)]


@pytest.mark.parametrize("rule", REPAIRS)
def test_deep_trees_decode_in_linear_time(rule: GreedyRule) -> None:
    word_count = 40_000  # too wide for 16 bits, and hopeless for anything quadratic
    for sequence in ([0] * word_count, list(range(word_count))):
        spans = greedy_tree(sequence, rule=rule)
        lefts, rights = greedy_trees([sequence, sequence], [word_count, word_count], rule=rule)
        assert rows_as_spans(lefts[1:], rights[1:], np.array([word_count])) == [spans]
    assert spans[0] == Span(0, word_count)


def test_strict_names_the_crossing_pair() -> None:
    with pytest.raises(LinearizationError, match=r"\(0, 2\) and \(1, 3\) cross"):
        greedy_tree((0, 0, 1, 0), rule="strict")


def test_strict_names_the_sentence_of_a_batch() -> None:
    with pytest.raises(LinearizationError, match=r"sentence 2: .*\(0, 2\) and \(1, 3\) cross"):
        greedy_trees([[0, 1, 2, 0], [0, 0, 1, 0]], [4, 4], rule="strict")


def test_strict_refuses_a_last_boundary_that_is_not_the_roots() -> None:
    with pytest.raises(LinearizationError, match="must be 0"):
        greedy_tree((0, 1), rule="strict")


def test_a_boundary_out_of_range_is_an_error() -> None:
    with pytest.raises(LinearizationError, match=r"left boundary 2 at split point 2 is not within 0\.\.1"):
        greedy_tree((0, 2))
    with pytest.raises(LinearizationError, match="sentence 2: left boundary -1 at split point 1"):
        greedy_trees([[0, 0], [-1, 0]], [2, 2])


def test_no_words_are_an_error() -> None:
    with pytest.raises(DecodingError, match="no words"):
        greedy_tree(())
    with pytest.raises(DecodingError, match="sentence 2: no words"):
        greedy_trees([[0], [0]], [1, 0])


def test_an_unknown_rule_is_an_error() -> None:
    with pytest.raises(DecodingError, match="unknown rule 'best': choose one of strict, largest, argmin"):
        greedy_tree((0,), rule="best")  # type: ignore[arg-type]
    with pytest.raises(DecodingError, match="unknown rule 'best'"):
        greedy_trees([[0]], [1], rule="best")  # type: ignore[arg-type]


def test_arrays_that_do_not_fit_are_an_error() -> None:
    with pytest.raises(DecodingError, match="for 2 sentences"):
        greedy_trees([[0]], [1, 1])
    with pytest.raises(DecodingError, match="must be integers"):
        greedy_trees([[0.0]], [1])
    with pytest.raises(DecodingError, match="3 words counted in left boundaries of 2 columns"):
        greedy_trees([[0, 0]], [3])
    with pytest.raises(DecodingError, match="word counts must be"):
        greedy_trees([[0]], [[1]])
    with pytest.raises(DecodingError, match="word counts must be"):
        greedy_trees([[0]], [1.0])


def test_the_recursive_twin_prefers_the_largest_of_equal_split_points() -> None:
    assert argmin_choice([0, 0, 0, 0], 0, 4) == 3
