"""The decoders of heads against all dependency trees."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from oracles.dependency_trees import all_dependency_trees, has_crossing_arcs, random_arc_scores, tree_scores
from spanlin.decoding import ArcConstraints, HeadDecoder, decode_heads, decode_heads_batch
from spanlin.decoding.heads import are_projective, are_trees
from spanlin.errors import ConstraintError, DecodingError

KINDS = ["plain", "ties", "cyclic", "holes"]
EXACT: list[HeadDecoder] = ["spanning", "projective"]


@pytest.mark.parametrize("decoder", EXACT)
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("word_count", range(1, 7))
def test_the_tree_is_the_best_of_all(word_count: int, kind: str, decoder: HeadDecoder) -> None:
    generator = np.random.default_rng(word_count)
    impossible = 0
    for _ in range(40):
        scores = random_arc_scores(generator, word_count, kind)
        best = tree_scores(scores, projective=decoder == "projective").max()
        if best == -np.inf:
            impossible += 1
            with pytest.raises(DecodingError, match=r"^every dependency tree has log-probability -inf$"):
                decode_heads(scores, decoder=decoder)
            continue
        found = decode_heads(scores, decoder=decoder)
        assert found.certified
        assert found.log_prob == pytest.approx(best, abs=1e-9)
        assert are_trees(np.array([found.heads]), np.array([word_count]))[0]
        assert scores[np.arange(word_count), found.heads].sum() == pytest.approx(best, abs=1e-9)
        assert decoder == "spanning" or not has_crossing_arcs(found.heads)
    assert impossible < 40


@pytest.mark.parametrize("kind", ["plain", "cyclic"])
def test_greedy_heads_are_certified_exactly_if_they_are_a_tree(kind: str) -> None:
    generator = np.random.default_rng(7)
    seen = set()
    for _ in range(200):
        scores = random_arc_scores(generator, 4, kind)
        found = decode_heads(scores, decoder="greedy")
        without_itself = np.where(np.eye(4, 5, k=1, dtype=bool), -np.inf, scores)
        assert found.heads == tuple(without_itself.argmax(axis=1))
        assert found.certified == (list(found.heads) in all_dependency_trees(4)[0].tolist())
        if found.certified:
            assert found.heads == decode_heads(scores).heads
        seen.add(found.certified)
    assert seen == {True, False}


@settings(deadline=None)
@given(st.integers(0, 2**32 - 1), st.lists(st.integers(1, 12), min_size=1, max_size=6), st.sampled_from(EXACT))
def test_a_batch_gives_what_its_sentences_give_whatever_the_padding_is(
    seed: int, counts: list[int], decoder: HeadDecoder
) -> None:
    generator = np.random.default_rng(seed)
    words = max(counts) + 1
    batch = np.full((len(counts), words, words + 1), np.nan)
    for place, count in enumerate(counts):
        batch[place, :count, : count + 1] = random_arc_scores(generator, count, "cyclic")
        batch[place, np.arange(count), np.arange(1, count + 1)] = np.nan
    found = decode_heads_batch(counts, batch, decoder=decoder)
    assert len(found) == len(counts)
    for place, count in enumerate(counts):
        assert found.sentence(place) == decode_heads(batch[place, :count, : count + 1], decoder=decoder)
        assert not found.heads[place, count:].any()


@settings(deadline=None)
@given(st.integers(0, 2**32 - 1), st.integers(1, 40))
def test_longer_sentences_get_trees_that_no_exchange_of_one_head_improves(seed: int, word_count: int) -> None:
    generator = np.random.default_rng(seed)
    scores = random_arc_scores(generator, word_count, "cyclic")
    spanning, projective = (decode_heads(scores, decoder=decoder) for decoder in EXACT)
    assert are_projective(np.array([projective.heads]), np.array([word_count]))[0]
    assert spanning.log_prob >= projective.log_prob - 1e-9
    for word in range(word_count):
        for head in range(word_count + 1):
            changed = np.array([spanning.heads])
            changed[0, word] = head
            if head != word + 1 and are_trees(changed, np.array([word_count]))[0]:
                assert scores[np.arange(word_count), changed[0]].sum() <= spanning.log_prob + 1e-9


def test_scores_of_any_size_are_compared_to_the_last_digit() -> None:
    # With a large constant against a second root, the small difference would be lost.
    scores = np.array([[0.0, -np.inf, -1e12], [0.0, -1e-9, -np.inf]])
    assert decode_heads(scores).heads == (0, 1)
    scores = np.array([[0.0, -np.inf, -1e12], [-1e12 - 1, -1e12 - 0.5, -np.inf]])
    assert decode_heads(scores).heads == (0, 1)


@pytest.mark.parametrize("word_count", range(1, 6))
def test_trees_and_projective_ones_are_told_apart(word_count: int) -> None:
    every = np.array(np.meshgrid(*[range(word_count + 1)] * word_count)).reshape(word_count, -1).T
    counts = np.full(len(every), word_count)
    trees, projective = all_dependency_trees(word_count)
    assert sorted(every[are_trees(every, counts)].tolist()) == sorted(trees.tolist())
    assert are_projective(trees, np.full(len(trees), word_count)).tolist() == projective.tolist()


def obeying(trees: np.ndarray, constraints: ArcConstraints) -> np.ndarray:
    kept = np.ones(len(trees), dtype=bool)
    for word, head in constraints.required:
        kept &= trees[:, word - 1] == head
    for word, head in constraints.forbidden:
        kept &= trees[:, word - 1] != head
    return kept


@pytest.mark.parametrize("decoder", EXACT)
def test_constraints_leave_the_best_of_the_trees_that_obey_them(decoder: HeadDecoder) -> None:
    generator = np.random.default_rng(3)
    trees, projective = all_dependency_trees(4)
    outcomes = {"tree": 0, "none": 0}
    for _ in range(300):
        scores = random_arc_scores(generator, 4, "plain")
        arcs = [(word, head) for word in range(1, 5) for head in range(5) if word != head]
        drawn = [arcs[place] for place in generator.permutation(len(arcs))[: generator.integers(1, 9)]]
        constraints = ArcConstraints(tuple(drawn[:2]), tuple(drawn[2:]))
        kept = obeying(trees, constraints) & (projective if decoder == "projective" else True)
        if kept.any():
            outcomes["tree"] += 1
            best = scores[np.arange(4), trees[kept]].sum(axis=1).max()
            found = decode_heads(scores, decoder=decoder, constraints=constraints)
            assert found.log_prob == pytest.approx(best, abs=1e-9)
            assert obeying(np.array([found.heads]), constraints)[0]
        else:
            outcomes["none"] += 1
            with pytest.raises(ConstraintError):
                decode_heads(scores, decoder=decoder, constraints=constraints)
    assert min(outcomes.values()) > 20


def test_a_batch_may_be_empty() -> None:
    found = decode_heads_batch(np.zeros(0, dtype=int), np.zeros((0, 3, 4)))
    assert len(found) == len(found.log_probs) == 0


def test_wrong_arguments_are_errors() -> None:
    with pytest.raises(DecodingError, match=r"^unknown decoder 'best': choose greedy, spanning or projective$"):
        decode_heads([[0.0, 0.0]], decoder="best")  # type: ignore[arg-type]
    with pytest.raises(DecodingError, match=r"^arc_log_probs: must be \[n, n \+ 1\], not of shape \(2,\)$"):
        decode_heads([0.0, 0.0])
