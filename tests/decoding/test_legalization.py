from __future__ import annotations

import itertools

import numpy as np
import pytest

from oracles.all_trees import all_tree_arrays, all_tree_membership
from oracles.random_decoding import random_boundaries
from spanlin.decoding import SpanConstraints, legalize, legalize_batch
from spanlin.errors import ConstraintError, DecodingError, LinearizationError
from spanlin.linearization import is_legal, linearize
from spanlin.trees.tree import Span


@pytest.mark.parametrize("word_count", range(1, 8))
def test_no_tree_is_nearer_to_any_sequence(word_count: int) -> None:
    every = np.array(list(itertools.product(*map(range, range(1, word_count + 1)))))
    found = legalize_batch(every, np.full(len(every), word_count))
    lefts, _ = all_tree_arrays(word_count)
    full = np.pad(lefts, ((0, 0), (0, 1)))
    changes = (every[:, np.newaxis] != full).sum(axis=2)
    assert (found.changed_counts == changes.min(axis=1)).all()
    own = np.pad(found.lefts, ((0, 0), (0, 1)))
    assert ((own != every).sum(axis=1) == found.changed_counts).all()
    assert all(map(is_legal, own.tolist()))


def test_a_legal_sequence_comes_back_unchanged_and_an_illegal_one_does_not() -> None:
    generator = np.random.default_rng(0)
    for sequence in random_boundaries(generator, 300, 9).tolist():
        found = legalize(sequence)
        assert (found.changed_count == 0) == is_legal(sequence)
        legal = linearize(found.spans, 9)
        assert is_legal(legal)
        assert sum(one != two for one, two in zip(sequence, legal, strict=True)) == found.changed_count


def test_a_padded_batch_equals_one_by_one() -> None:
    generator = np.random.default_rng(1)
    batch = random_boundaries(generator, 200, 12)
    word_counts = generator.integers(1, 11, 200)
    found = legalize_batch(batch, word_counts)
    for sentence, n in enumerate(word_counts.tolist()):
        one = legalize(batch[sentence, :n].tolist())
        assert found.changed_counts is not None
        assert one.changed_count == found.changed_counts[sentence]
        ends = zip(found.lefts[sentence, : n - 1].tolist(), found.rights[sentence, : n - 1].tolist(), strict=True)
        assert one.spans == tuple(Span(*pair) for pair in ends)


def test_constraints_hold_and_cost_as_little_as_they_can() -> None:
    generator = np.random.default_rng(2)
    batch = random_boundaries(generator, 300, 7)
    constraints = SpanConstraints(required=(Span(1, 4),), forbidden=(Span(1, 3), Span(0, 4)))
    found = legalize_batch(batch, np.full(300, 7), constraints=[constraints] * 300)
    membership = all_tree_membership(7)
    obeying = membership[:, 1, 4] & ~membership[:, 1, 3] & ~membership[:, 0, 4]
    full = np.pad(all_tree_arrays(7)[0], ((0, 0), (0, 1)))[obeying]
    assert (found.changed_counts == (batch[:, np.newaxis] != full).sum(axis=2).min(axis=1)).all()


def test_one_crossing_pair_costs_one_change() -> None:
    found = legalize((0, 0, 1, 0))
    assert found.changed_count == 1
    assert legalize((0,)).spans == ()
    assert legalize((0, 1)).changed_count == 1


def test_bad_input_is_an_error() -> None:
    with pytest.raises(DecodingError, match="no words"):
        legalize(())
    with pytest.raises(LinearizationError, match="left boundary 3 at split point 2"):
        legalize((0, 3))
    with pytest.raises(ConstraintError, match=r"^no tree over 3 words can do without the forbidden \(0, 2\), \(1, 3\)"):
        legalize((0, 0, 0), constraints=SpanConstraints(forbidden=(Span(0, 2), Span(1, 3))))
