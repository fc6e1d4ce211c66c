"""One door to all decoders that give one tree for each sentence.

`argmin`, `largest` and `strict` read a tree off the most probable boundaries, in linear time after the argmax. If
those boundaries are legal, no tree can be more probable, and the result is `certified`. `cky` looks for that
certificate first and builds charts only for the sentences that lack it. `min-change` changes as few boundaries as
possible; `minimum-risk` has the greatest expected number of right spans.

With left and right log-probabilities together, the greedy decoders read off a tree on either side and keep the more
probable one (the left one if they tie); it is certified if both sides are legal and agree. `min-change` counts changes
on both sides.

Constraints on spans hold for every decoder. The greedy ones mask the boundaries. Where their tree still has a forbidden
span, or a split point is left without a possible boundary, the most probable tree under the constraints is taken.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Literal, TypeAlias, get_args

import numpy as np
import numpy.typing as npt

from spanlin.decoding.chart import fill_chart, highest
from spanlin.decoding.constraints import SpanConstraints
from spanlin.decoding.exact import minimum_risk_trees
from spanlin.decoding.greedy import (
    BoolArray,
    GreedyRule,
    IntArray,
    greedy_trees,
    raise_if_illegal,
    same_boundaries,
)
from spanlin.decoding.legalization import agreement_scores
from spanlin.decoding.mirror import mirror_boundaries, mirror_spans
from spanlin.decoding.problem import TreeProblem, best_trees_in
from spanlin.decoding.results import DecodedTree, TreeBatch
from spanlin.decoding.scores import BoundaryScores, FloatArray, length_groups
from spanlin.errors import DecodingError
from spanlin.linearization import delinearize, delinearize_right

Decoder: TypeAlias = Literal["argmin", "largest", "strict", "cky", "min-change", "minimum-risk"]


def decode(
    left_boundary_log_probs: npt.ArrayLike | None = None,
    right_boundary_log_probs: npt.ArrayLike | None = None,
    *,
    decoder: Decoder = "argmin",
    constraints: SpanConstraints | None = None,
) -> DecodedTree:
    """Return the decoder's tree of one sentence of n words.

    `left_boundary_log_probs` is [n, n] with log P(i|j) in row j-1, column i; `right_boundary_log_probs` [n, n] with
    log P_R(j|i) in row i, column j-1. Cells where i >= j are ignored. The root's boundary is always 0 (left) or n
    (right), and of equally probable boundaries the one of the longest span is taken. One word gives a tree without
    spans; none, a NaN, or scores that make every tree impossible raise a DecodingError, constraints that no tree
    can obey a ConstraintError, and `strict` a LinearizationError on an illegal sequence.
    """
    problem = TreeProblem.of_sentence(left_boundary_log_probs, right_boundary_log_probs, constraints)
    return _decode(problem, decoder).tree(0)


def decode_batch(
    word_counts: npt.ArrayLike,
    left_boundary_log_probs: npt.ArrayLike | None = None,
    right_boundary_log_probs: npt.ArrayLike | None = None,
    *,
    decoder: Decoder = "argmin",
    constraints: Sequence[SpanConstraints | None] | None = None,
) -> TreeBatch:
    """Return what `decode` returns for each sentence of a padded batch.

    `word_counts` is [batch], the log-probabilities are [batch, max_words, max_words], and there is one item of
    `constraints`, None for none, for each sentence. The padding is ignored whatever it holds.
    """
    problem = TreeProblem.of_batch(word_counts, left_boundary_log_probs, right_boundary_log_probs, constraints)
    return _decode(problem, decoder)


def most_probable_trees(
    word_counts: IntArray, left: npt.NDArray[np.floating] | None, right: npt.NDArray[np.floating] | None
) -> TreeBatch:
    """Return the trees of `decode_batch` by `cky`, where it is known that none of them is certified without a chart.

    They have no `log_probs`. The scores are not looked at beforehand, but for those with which no tree is possible, or
    that are no numbers.
    """
    sides = left, right
    max_words = next(side.shape[1] for side in sides if side is not None)
    lefts = np.zeros((len(word_counts), max_words - 1), dtype=np.int64)
    rights = np.zeros_like(lefts)
    for sentences in length_groups(word_counts):
        counts = word_counts[sentences]
        words = int(counts.max())
        own_left, own_right = (None if side is None else side[sentences, :words, :words] for side in sides)
        # What is in the padding is in no span of the sentence.
        with np.errstate(invalid="ignore"):
            chart = fill_chart(own_left, own_right, None, highest)
        if not np.isfinite(chart.root_scores(counts)).all():
            lefts, rights = TreeProblem.of_batch(word_counts, left, right, None).best_trees()
            break
        lefts[sentences, : words - 1], rights[sentences, : words - 1] = best_trees_in(chart, counts)
    return TreeBatch(lefts, rights, word_counts, np.ones(len(lefts), dtype=np.bool_))


def _decode(problem: TreeProblem, decoder: Decoder) -> TreeBatch:
    if decoder == "min-change":
        trees = _nearest(problem)
    elif decoder == "minimum-risk":
        lefts, rights = minimum_risk_trees(problem)
        trees = TreeBatch(lefts, rights, problem.scores.word_counts, np.zeros(len(lefts), dtype=np.bool_))
    elif decoder == "cky":
        trees, _ = _greedy(problem, "argmin")
        trees = _finished(problem, trees, trees.certified)
    elif decoder in ("argmin", "largest", "strict"):
        trees = _finished(problem, *_greedy(problem, decoder))
    else:
        raise DecodingError(f"unknown decoder {decoder!r}: choose one of {', '.join(get_args(Decoder))}")
    return replace(trees, log_probs=problem.scores.tree_log_probs(trees.lefts, trees.rights))


def _finished(problem: TreeProblem, trees: TreeBatch, done: BoolArray) -> TreeBatch:
    """Return the trees with the best one, from the chart, wherever none is `done` yet."""
    rest = np.flatnonzero(~done)
    if not rest.size:
        return trees
    lefts, rights = trees.lefts.copy(), trees.rights.copy()
    part = problem.select(rest)
    lefts[rest], rights[rest] = 0, 0
    lefts[rest, : part.scores.max_words - 1], rights[rest, : part.scores.max_words - 1] = part.best_trees()
    return TreeBatch(lefts, rights, trees.word_counts, trees.certified | ~done)


def _greedy(problem: TreeProblem, rule: GreedyRule) -> tuple[TreeBatch, BoolArray]:
    """Return the greedy trees, and [batch], where there is one that obeys the constraints."""
    masks = problem.masks
    scores = problem.scores if masks is None else masks.apply(problem.scores)
    sides = [side for side in (_left_greedy(scores, rule), _right_greedy(scores, rule)) if side is not None]
    if masks is not None:
        for index, (trees, done) in enumerate(sides):
            done = done & masks.satisfied(trees.lefts, trees.rights)
            sides[index] = replace(trees, certified=trees.certified & done), done
    if len(sides) == 1:
        return sides[0]
    (one, one_done), (two, two_done) = sides
    same: BoolArray = ((one.lefts == two.lefts) & (one.rights == two.rights)).all(axis=1)
    better = scores.tree_scores(two.lefts, two.rights) > scores.tree_scores(one.lefts, one.rights)
    second = (two_done & (better | ~one_done))[:, np.newaxis]
    trees = TreeBatch(
        np.where(second, two.lefts, one.lefts),
        np.where(second, two.rights, one.rights),
        scores.word_counts,
        one.certified & two.certified & same,
    )
    return trees, one_done | two_done


def _left_greedy(scores: BoundaryScores, rule: GreedyRule) -> tuple[TreeBatch, BoolArray] | None:
    if scores.left is None:
        return None
    boundaries = scores.predicted_left_boundaries()
    trees, done = _read_off(boundaries, scores.left, scores.word_counts, rule)
    if rule == "strict":
        raise_if_illegal(boundaries, scores.word_counts, trees.certified | ~done, delinearize, scores.sentence)
    return trees, done


def _right_greedy(scores: BoundaryScores, rule: GreedyRule) -> tuple[TreeBatch, BoolArray] | None:
    if scores.right is None:
        return None
    boundaries = scores.predicted_right_boundaries()
    mirrored = mirror_boundaries(boundaries, scores.word_counts)
    trees, done = _read_off(mirrored, scores.right, scores.word_counts, rule)
    if rule == "strict":
        raise_if_illegal(boundaries, scores.word_counts, trees.certified | ~done, delinearize_right, scores.sentence)
    lefts, rights = mirror_spans(trees.lefts, trees.rights, scores.word_counts)
    return replace(trees, lefts=lefts, rights=rights), done


def _read_off(
    boundaries: IntArray, side: FloatArray, word_counts: IntArray, rule: GreedyRule
) -> tuple[TreeBatch, BoolArray]:
    """Return the trees that the rule reads off, and where the masks left a possible boundary at every split point."""
    lefts, rights = greedy_trees(boundaries, word_counts, rule="argmin" if rule == "strict" else rule)
    padding = np.arange(side.shape[1]) >= word_counts[:, np.newaxis]
    done: BoolArray = ((side.max(axis=2, initial=-np.inf) > -np.inf) | padding).all(axis=1)
    return TreeBatch(lefts, rights, word_counts, done & same_boundaries(boundaries, lefts, word_counts)), done


def _nearest(problem: TreeProblem) -> TreeBatch:
    """Return the trees that differ least from the most probable boundaries; certified where they do not differ."""
    scores = problem.scores
    counts = scores.word_counts
    left = None if scores.left is None else scores.predicted_left_boundaries()
    right = None if scores.right is None else scores.predicted_right_boundaries()
    agreement = BoundaryScores(
        counts,
        None if left is None else agreement_scores(left),
        None if right is None else agreement_scores(right - 1),
        scores.numbers,
    )
    lefts, rights = TreeProblem(agreement, problem.constraints, problem.masks).best_trees()
    same: BoolArray = np.ones(len(counts), dtype=np.bool_)
    if left is not None:
        same &= same_boundaries(left, lefts, counts)
    if right is not None:
        padding = np.arange(1, right.shape[1]) >= counts[:, np.newaxis]
        same &= ((right[:, 1:] == rights) | padding).all(axis=1)
    return TreeBatch(lefts, rights, counts, same)
