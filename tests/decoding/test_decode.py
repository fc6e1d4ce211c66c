from __future__ import annotations

from typing import get_args

import numpy as np
import pytest

from oracles.all_trees import (
    CHOICES,
    all_tree_arrays,
    all_tree_log_probs,
    all_tree_membership,
    all_trees,
    log_sum_exp,
    mirrored_tree,
    recursive_tree,
)
from oracles.random_decoding import pad, random_log_probs
from spanlin.decoding import Decoder, TreeBatch, decode, decode_batch
from spanlin.decoding.greedy import GreedyRule
from spanlin.errors import DecodingError, LinearizationError
from spanlin.linearization import is_legal
from spanlin.trees.tree import Span

DECODERS: tuple[Decoder, ...] = get_args(Decoder)
REPAIRING: tuple[Decoder, ...] = tuple(decoder for decoder in DECODERS if decoder != "strict")
KINDS = ["plain", "ties", "sharp", "holes"]
SIDES = ["left", "right", "both"]
SMALL = range(1, 8)


def draw(
    generator: np.random.Generator, batch_size: int, word_count: int, kind: str, side: str
) -> tuple[np.ndarray | None, np.ndarray | None]:
    left = random_log_probs(generator, batch_size, word_count, kind) if side != "right" else None
    right = random_log_probs(generator, batch_size, word_count, kind, side="right") if side != "left" else None
    return left, right


def tree_index(lefts: np.ndarray, rights: np.ndarray, word_count: int) -> np.ndarray:
    """The place of each decoded tree among all trees; fails if one is no tree."""
    all_lefts, all_rights = all_tree_arrays(word_count)
    same = (lefts[:, np.newaxis] == all_lefts).all(axis=2) & (rights[:, np.newaxis] == all_rights).all(axis=2)
    assert (same.sum(axis=1) == 1).all()
    found: np.ndarray = same.argmax(axis=1)
    return found


def log_probs_of(found: TreeBatch) -> np.ndarray:
    assert found.log_probs is not None
    return found.log_probs


def greedy_oracle(side: np.ndarray, rule: str) -> tuple[list[tuple[Span, ...]], list[bool]]:
    """The recursive rule's trees over left log-probabilities, and which sequences were legal."""
    boundaries = side.argmax(axis=2)
    boundaries[:, -1] = 0
    return (
        [recursive_tree(row, CHOICES[rule]) for row in boundaries.tolist()],
        [is_legal(row) for row in boundaries.tolist()],
    )


# 200 sentences for each length, kind and side: 16,800 sentences, each with every decoder below.
@pytest.fixture(scope="module", params=[(n, kind, side) for n in SMALL for kind in KINDS for side in SIDES], ids=str)
def case(request: pytest.FixtureRequest) -> tuple[int, np.ndarray | None, np.ndarray | None, np.ndarray]:
    word_count, kind, side = request.param
    generator = np.random.default_rng([word_count, KINDS.index(kind), SIDES.index(side)])
    left, right = draw(generator, 200, word_count, kind, side)
    log_probs = all_tree_log_probs(left, right, word_count)
    possible = log_probs.max(axis=1) > -np.inf  # holes on both sides may leave no tree at all
    assert possible.mean() > 0.3
    return (
        word_count,
        None if left is None else left[possible],
        None if right is None else right[possible],
        log_probs[possible],
    )


Case = tuple[int, "np.ndarray | None", "np.ndarray | None", np.ndarray]


def test_cky_is_the_most_probable_of_all_trees(case: Case) -> None:
    word_count, left, right, log_probs = case
    word_counts = np.full(len(log_probs), word_count)
    found = decode_batch(word_counts, left, right, decoder="cky")
    index = tree_index(found.lefts, found.rights, word_count)
    np.testing.assert_allclose(log_probs_of(found), log_probs[np.arange(len(index)), index], rtol=0, atol=1e-9)
    np.testing.assert_allclose(log_probs_of(found), log_probs.max(axis=1), rtol=0, atol=1e-9)
    assert found.certified.all()


def test_greedy_equals_the_recursive_rule_and_is_certified_exactly_if_legal(case: Case) -> None:
    word_count, left, right, log_probs = case
    word_counts = np.full(len(log_probs), word_count)
    rules: list[GreedyRule] = ["argmin", "largest"]
    for rule in rules:
        found = decode_batch(word_counts, left, right, decoder=rule)
        trees = [found.spans(sentence) for sentence in range(len(found))]
        candidates: list[list[tuple[Span, ...]]] = []
        legal: list[list[bool]] = []
        for side, mirrored in ((left, False), (None if right is None else right[:, ::-1, ::-1], True)):
            if side is not None:
                read_off, were_legal = greedy_oracle(side, rule)
                candidates.append([mirrored_tree(t, word_count) if mirrored else t for t in read_off])
                legal.append(were_legal)
        for sentence, tree in enumerate(trees):
            options = [side[sentence] for side in candidates]
            assert tree in options
            agree = all(option == options[0] for option in options)
            assert bool(found.certified[sentence]) == (all(side[sentence] for side in legal) and agree)
            own = [log_probs[sentence, all_trees(word_count).index(option)] for option in options]
            assert log_probs_of(found)[sentence] == pytest.approx(max(own), abs=1e-9)
            assert tree == options[0] or own[1] > own[0]
        best = log_probs.max(axis=1)
        assert (log_probs_of(found) <= best + 1e-9).all()
        np.testing.assert_allclose(log_probs_of(found)[found.certified], best[found.certified], rtol=0, atol=1e-9)


def test_cky_gives_the_greedy_tree_whenever_that_is_certified(case: Case) -> None:
    word_count, left, right, log_probs = case
    word_counts = np.full(len(log_probs), word_count)
    greedy = decode_batch(word_counts, left, right, decoder="argmin")
    exact = decode_batch(word_counts, left, right, decoder="cky")
    assert (greedy.lefts == exact.lefts)[greedy.certified].all()
    assert (greedy.rights == exact.rights)[greedy.certified].all()
    assert (log_probs_of(exact) >= log_probs_of(greedy) - 1e-9).all()


def test_min_change_keeps_as_many_predicted_boundaries_as_any_tree_can(case: Case) -> None:
    word_count, left, right, _ = case
    sides = [side for side in (left, right) if side is not None]
    word_counts = np.full(len(sides[0]), word_count)
    found = decode_batch(word_counts, left, right, decoder="min-change")
    lefts, rights = all_tree_arrays(word_count)
    kept = np.zeros((len(word_counts), len(lefts)), dtype=int)
    if left is not None:
        kept += (left.argmax(axis=2)[:, np.newaxis, : word_count - 1] == lefts).sum(axis=2)
    if right is not None:
        longest = word_count - right[:, :, ::-1].argmax(axis=2)
        kept += (longest[:, np.newaxis, 1:] == rights).sum(axis=2)
    index = tree_index(found.lefts, found.rights, word_count)
    own = kept[np.arange(len(index)), index]
    assert (own == kept.max(axis=1)).all()
    assert (found.certified == (own == len(sides) * (word_count - 1))).all()


def test_minimum_risk_has_the_greatest_sum_of_marginals(case: Case) -> None:
    word_count, left, right, log_probs = case
    found = decode_batch(np.full(len(log_probs), word_count), left, right, decoder="minimum-risk")
    index = tree_index(found.lefts, found.rights, word_count)
    probs = np.exp(log_probs - log_sum_exp(log_probs)[:, np.newaxis])
    membership = all_tree_membership(word_count).reshape(log_probs.shape[1], -1).astype(float)
    gains = (probs @ membership) @ membership.T
    np.testing.assert_allclose(gains[np.arange(len(index)), index], gains.max(axis=1), rtol=0, atol=1e-9)
    assert not found.certified.any()


def test_every_decoder_gives_the_same_in_a_padded_batch_and_one_by_one() -> None:
    generator = np.random.default_rng(7)
    for side in SIDES:
        for decoder in REPAIRING:
            for kind, filler in (("plain", np.nan), ("ties", 5.0), ("sharp", np.inf)):
                parts = [draw(generator, 4, word_count, kind, side) for word_count in range(1, 14)]
                order = generator.permutation(52)
                word_counts = np.repeat(np.arange(1, 14), 4)[order]
                left, right = (
                    None if part[0] is None else np.concatenate([pad(p, 15, filler) for p in part])[order]
                    for part in zip(*parts, strict=True)
                )
                batch = decode_batch(word_counts, left, right, decoder=decoder)
                for sentence, n in enumerate(word_counts):
                    one = decode(
                        None if left is None else left[sentence, :n, :n],
                        None if right is None else right[sentence, :n, :n],
                        decoder=decoder,
                    )
                    assert batch.tree(sentence) == one
                padding = np.arange(1, 15) >= word_counts[:, np.newaxis]
                assert not batch.lefts[padding].any()
                assert not batch.rights[padding].any()


def largest_split_tree(gains: np.ndarray, left: int, right: int) -> tuple[int, dict[int, Span]]:
    """The greatest sum of integer gains over the spans of a tree, and the tree with the largest splits that has it."""
    gain = int(gains[left, right])
    if right - left == 1:
        return gain, {}
    best: tuple[int, dict[int, Span]] = (-1, {})
    for k in range(left + 1, right):
        one, two = largest_split_tree(gains, left, k), largest_split_tree(gains, k, right)
        if gain + one[0] + two[0] >= best[0]:
            best = gain + one[0] + two[0], {**one[1], k: Span(left, right), **two[1]}
    return best


@pytest.mark.parametrize("word_count", range(2, 9))
def test_minimum_risk_breaks_ties_by_the_largest_split(word_count: int) -> None:
    # Over equally probable trees the marginals are numbers of trees over one denominator, so ties are exact.
    _, tree = largest_split_tree(all_tree_membership(word_count).sum(axis=0), 0, word_count)
    for scores in (np.zeros((word_count, word_count)), np.full((word_count, word_count), -0.1)):
        assert decode(scores, decoder="minimum-risk").spans == tuple(tree[k] for k in range(1, word_count))
        assert decode(None, scores, decoder="minimum-risk").spans == tuple(tree[k] for k in range(1, word_count))


def test_long_sentences_score_at_least_as_high_as_greedy() -> None:
    generator = np.random.default_rng(8)
    left, right = draw(generator, 5, 70, "plain", "both")
    word_counts = np.array([70, 3, 52, 69, 1])
    exact = decode_batch(word_counts, left, right, decoder="cky")
    for decoder in ("argmin", "largest", "min-change", "minimum-risk"):
        found = decode_batch(word_counts, left, right, decoder=decoder)
        assert (log_probs_of(exact) >= log_probs_of(found) - 1e-9).all()
        assert not (log_probs_of(exact) > log_probs_of(found) + 1e-9)[[1, 4]].all()


def boundary_scores(left_boundaries: tuple[int, ...]) -> np.ndarray:
    word_count = len(left_boundaries)
    scores = np.full((word_count, word_count), -2.0)
    scores[np.arange(word_count), left_boundaries] = -0.5
    return scores


@pytest.mark.parametrize("decoder", DECODERS)
def test_the_papers_example_decodes(decoder: Decoder) -> None:
    found = decode(boundary_scores((0, 1, 2, 1, 0)), decoder=decoder)
    assert found.spans == (Span(0, 5), Span(1, 4), Span(2, 4), Span(1, 5))
    assert found.log_prob == pytest.approx(-2.5)
    assert found.certified == (decoder != "minimum-risk")


@pytest.mark.parametrize("decoder", DECODERS)
def test_the_right_side_alone_decodes_the_mirrored_example(decoder: Decoder) -> None:
    found = decode(None, boundary_scores((0, 1, 2, 1, 0))[::-1, ::-1], decoder=decoder)
    assert found.spans == (Span(0, 4), Span(1, 3), Span(1, 4), Span(0, 5))
    assert found.log_prob == pytest.approx(-2.5)


@pytest.mark.parametrize("decoder", DECODERS)
@pytest.mark.parametrize("side", SIDES)
def test_one_and_two_words_have_their_only_tree(decoder: Decoder, side: str) -> None:
    left = None if side == "right" else np.array([[-1.0, 9.0], [-2.0, 0.0]])
    right = None if side == "left" else np.array([[-9.0, -4.0], [9.0, -8.0]])
    two = decode(left, right, decoder=decoder)
    assert two.spans == (Span(0, 2),)
    assert two.log_prob == {"left": -3.0, "right": -12.0, "both": -15.0}[side]
    one = decode(None if left is None else left[:1, :1], None if right is None else right[:1, :1], decoder=decoder)
    assert one.spans == ()
    assert one.log_prob == {"left": -1.0, "right": -9.0, "both": -10.0}[side]


def test_an_empty_batch_has_no_trees() -> None:
    for decoder in DECODERS:
        assert len(decode_batch([], np.zeros((0, 5, 5)), decoder=decoder)) == 0
        assert decode_batch([], np.zeros((0, 0, 0)), decoder=decoder).lefts.shape == (0, 0)
        assert decode_batch([], [], [], decoder=decoder, constraints=[]).lefts.shape == (0, 0)


def test_a_batch_without_sentences_but_with_scores_is_an_error() -> None:
    with pytest.raises(DecodingError, match=r"left_boundary_log_probs: shape \(2, 3, 3\) does not fit 0 sentences$"):
        decode_batch([], np.zeros((2, 3, 3)))
    with pytest.raises(DecodingError, match=r"must be \[batch, max_words, max_words\], not of shape \(0, 3, 4\)"):
        decode_batch([], np.zeros((0, 3, 4)))
    with pytest.raises(DecodingError, match=r"must be \[batch, max_words, max_words\], not of shape \(0,\)"):
        decode_batch([2], [])


def test_word_counts_of_different_lengths_are_an_error() -> None:
    with pytest.raises(DecodingError, match=r"word counts must be \[batch\] integers, not lists of different lengths"):
        decode_batch([[1], [1, 2]], np.zeros((2, 2, 2)))


def test_ties_between_boundaries_go_to_the_longest_span() -> None:
    flat = np.zeros((4, 4))
    assert decode(flat).spans == (Span(0, 2), Span(0, 3), Span(0, 4))
    assert decode(None, flat).spans == (Span(0, 4), Span(1, 4), Span(2, 4))
    assert decode(flat, flat).spans == (Span(0, 2), Span(0, 3), Span(0, 4))
    assert not decode(flat, flat).certified


def test_scores_of_any_real_type_and_plain_lists_are_accepted() -> None:
    scores = boundary_scores((0, 1, 2, 1, 0))
    expected = decode(scores).spans
    assert decode(scores.astype(np.float32)).spans == expected
    assert decode((scores * 2).astype(int)).spans == expected
    assert decode(scores.tolist()).spans == expected


def test_huge_penalties_and_impossible_boundaries_do_not_disturb_the_rest() -> None:
    for penalty in (-np.inf, -1e308, float(np.finfo(np.float32).min)):
        scores = np.full((5, 5), penalty)
        scores[np.arange(5), (0, 1, 2, 1, 0)] = -0.5
        for decoder in DECODERS:
            assert decode(scores, decoder=decoder).spans == (Span(0, 5), Span(1, 4), Span(2, 4), Span(1, 5))


def test_the_callers_arrays_are_left_alone() -> None:
    left, right = draw(np.random.default_rng(9), 3, 6, "plain", "both")
    assert left is not None
    assert right is not None
    before = left.copy(), right.copy()
    for decoder in REPAIRING:
        decode_batch([6, 2, 4], left, right, decoder=decoder)
    assert (left == before[0]).all()
    assert (right == before[1]).all()


def test_strict_names_the_crossing_pair_and_the_sentence() -> None:
    illegal = boundary_scores((0, 0, 1, 0))
    with pytest.raises(LinearizationError, match=r"^no tree has these left boundaries: \(0, 2\) and \(1, 3\) cross"):
        decode(illegal, decoder="strict")
    legal = boundary_scores((0, 1, 2, 0))
    with pytest.raises(LinearizationError, match=r"^sentence 2: .*\(0, 2\) and \(1, 3\) cross"):
        decode_batch([4, 4], [legal, illegal], decoder="strict")
    with pytest.raises(LinearizationError, match=r"^no tree has these right boundaries: \(1, 3\) and \(2, 4\) cross"):
        decode(None, illegal[::-1, ::-1], decoder="strict")


def test_nan_is_an_error_that_says_where() -> None:
    scores = boundary_scores((0, 1, 2, 0))
    scores[2, 1] = np.nan
    with pytest.raises(DecodingError, match=r"^left_boundary_log_probs\[2, 1\] is nan"):
        decode(scores)
    with pytest.raises(DecodingError, match=r"^sentence 2: right_boundary_log_probs\[1, 2\] is nan"):
        decode_batch([2, 4], None, [scores.T, scores.T])
    scores[2, 1] = np.inf
    with pytest.raises(DecodingError, match=r"\[2, 1\] is inf"):
        decode(scores)


def test_a_split_point_without_a_possible_boundary_is_an_error() -> None:
    scores = boundary_scores((0, 1, 2, 0))
    scores[1] = -np.inf
    with pytest.raises(DecodingError, match=r"^left_boundary_log_probs: row 1 is -inf throughout"):
        decode(scores)


def test_an_impossible_root_is_an_error() -> None:
    scores = boundary_scores((0, 1, 2, 0))
    scores[3, 0] = -np.inf
    with pytest.raises(DecodingError, match="whole sentence has log-probability -inf"):
        decode(scores)


def test_scores_that_no_tree_fits_are_an_error_for_the_exact_decoders() -> None:
    scores = np.full((4, 4), -np.inf)
    scores[np.arange(4), (0, 0, 1, 0)] = 0.0  # (0, 2) and (1, 3) cross
    for decoder in ("cky", "minimum-risk"):
        with pytest.raises(DecodingError, match=r"^sentence 2: every tree has log-probability -inf"):
            decode_batch([2, 4], [boundary_scores((0, 1, 2, 0)), scores], decoder=decoder)
    assert decode(scores, decoder="argmin").log_prob == -np.inf


def test_no_words_no_scores_and_wrong_shapes_are_errors() -> None:
    with pytest.raises(DecodingError, match="no words to decode"):
        decode(np.zeros((0, 0)))
    with pytest.raises(DecodingError, match="sentence 2: no words"):
        decode_batch([1, 0], np.zeros((2, 1, 1)))
    with pytest.raises(DecodingError, match="nothing to decode"):
        decode()
    with pytest.raises(DecodingError, match=r"must be \[n, n\], not of shape \(2, 3\)"):
        decode(np.zeros((2, 3)))
    with pytest.raises(DecodingError, match=r"must be \[batch, max_words, max_words\]"):
        decode_batch([2], np.zeros((2, 2)))
    with pytest.raises(DecodingError, match="does not fit 1 sentences, longest 3"):
        decode_batch([3], np.zeros((1, 2, 2)))
    with pytest.raises(DecodingError, match="differ in shape"):
        decode(np.zeros((2, 2)), np.zeros((3, 3)))
    with pytest.raises(DecodingError, match="not an array of numbers"):
        decode([[0.0], [0.0, 1.0]])


def test_an_unknown_decoder_is_an_error_that_lists_the_known_ones() -> None:
    with pytest.raises(DecodingError, match="unknown decoder 'best': choose one of argmin, largest, strict, cky"):
        decode(np.zeros((2, 2)), decoder="best")  # type: ignore[arg-type]
