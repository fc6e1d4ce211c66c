"""How probable each arc is in a dependency tree with one root, by the matrix-tree theorem (Koo et al. 2007).

A tree is as probable as its share of the summed exponentials of all trees' scores. O(n^3) time for each sentence, by
the inverse of one matrix. Where that matrix is nearly singular, as when two words are all but certain that each is the
other's head, the sentence is solved in another way, without subtractions: O(n^4), exact to the last digits.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from spanlin.decoding.arborescence import best_arborescence
from spanlin.decoding.arcs import ArcConstraints, ArcScores, check_arc_scores
from spanlin.decoding.greedy import BoolArray, IntArray
from spanlin.decoding.scores import FloatArray, length_groups
from spanlin.errors import DecodingError

_WORST_CONDITION = 1e7  # leaves more than eight digits


def arc_marginals(arc_log_probs: npt.ArrayLike, *, constraints: ArcConstraints | None = None) -> FloatArray:
    """Return [n, n + 1], the probability that word d has the head h at [d - 1, h]; each row sums to 1."""
    scores = np.asarray(arc_log_probs)
    if scores.ndim != 2:
        raise DecodingError(f"arc_log_probs: must be [n, n + 1], not of shape {scores.shape}")
    checked = check_arc_scores([len(scores)], scores[np.newaxis], [constraints], is_batch=False)
    marginals: FloatArray = _marginals(checked)[0]
    return marginals


def arc_marginals_batch(
    word_counts: npt.ArrayLike,
    arc_log_probs: npt.ArrayLike,
    *,
    constraints: Sequence[ArcConstraints | None] | None = None,
) -> FloatArray:
    """Return [batch, max_words, max_words + 1], what `arc_marginals` returns for each; 0 in the padding."""
    return _marginals(check_arc_scores(word_counts, arc_log_probs, constraints))


def _marginals(scores: ArcScores) -> FloatArray:
    marginals = np.zeros_like(scores.log_probs)
    for sentences in length_groups(scores.word_counts):
        counts = scores.word_counts[sentences]
        words = int(counts.max())
        found, is_sound = _by_inverse(scores.log_probs[sentences, :words, : words + 1], counts)
        marginals[sentences, :words, : words + 1] = found
        for sentence in sentences[~is_sound].tolist():
            count = scores.word_counts[sentence]
            log_probs = scores.log_probs[sentence, :count, : count + 1]
            if best_arborescence(log_probs) is None:
                raise scores.impossible(sentence)
            marginals[sentence, :count, : count + 1] = _by_walks(log_probs)
    return marginals


def _by_inverse(log_probs: FloatArray, counts: IntArray) -> tuple[FloatArray, BoolArray]:
    """Return the marginals of a batch, and whose matrix was sound."""
    words = log_probs.shape[1]
    places = np.arange(words)
    is_word = places < counts[:, np.newaxis]
    highest = np.where(is_word, log_probs.max(axis=2), 0.0)
    weights = np.exp(log_probs - highest[:, :, np.newaxis])  # a factor for each word changes no marginal
    roots, arcs = weights[:, :, 0], weights[:, :, 1:]
    laplacian = -arcs.transpose(0, 2, 1)  # [head, word], as in the paper
    laplacian[:, places, places] = np.where(is_word, arcs.sum(axis=2), 1.0)
    laplacian[:, 0] = roots
    condition = np.linalg.cond(laplacian, 1)
    is_sound = condition < _WORST_CONDITION
    laplacian[~is_sound] = np.eye(words)
    inverse = np.linalg.inv(laplacian)
    own = inverse[:, places, places].copy()
    own[:, 0] = 0.0
    other = inverse.copy()
    other[:, :, 0] = 0.0
    found = np.concatenate(
        [(roots * inverse[:, :, 0])[:, :, np.newaxis], arcs * (own[:, :, np.newaxis] - other)], axis=2
    )
    # Where rounding has gone past what is certain or impossible.
    return np.where(is_word[:, :, np.newaxis], np.clip(found, 0.0, 1.0), 0.0), is_sound & np.isfinite(condition)


def _by_walks(log_probs: FloatArray) -> FloatArray:
    """Return the marginals of one sentence by walks from a word to its head, drawn by their weights, up to the root.

    An arc from h to d is as probable as its weight times the chance that a walk from h comes to the root before it
    comes to d (Wilson 1996). All chances are found by taking words out one at a time, which adds and divides but never
    subtracts, so it can be done with logarithms. The root's weights are made so small that no tree with two of them
    counts.
    """
    count = len(log_probs)
    finite = np.where(log_probs == -np.inf, np.nan, log_probs)
    few_roots = 50.0 + 2.0 * float((np.nanmax(finite, axis=1) - np.nanmin(finite, axis=1)).sum())
    steps = np.concatenate([log_probs[:, 1:], log_probs[:, :1] - few_roots], axis=1)  # the root last
    goals = np.arange(count)
    walks = np.repeat(steps[np.newaxis], count, axis=0)  # [goal, from, to]; walks end at their goal
    to_goal = walks[goals, :, goals].copy()
    walks[goals, :, goals] = walks[goals, goals] = -np.inf
    leaving = np.zeros((count, count))
    for word in range(count):
        onward = np.concatenate([walks[:, word, word + 1 :], to_goal[:, word, np.newaxis]], axis=1)
        leaving[:, word] = _log_sum(onward)
        leaving[word, word] = 0.0  # the goal itself is not taken out
        through = walks[:, word + 1 :, word] - leaving[:, word, np.newaxis]
        added = through[:, :, np.newaxis] + walks[:, word, np.newaxis, word + 1 :]
        walks[:, word + 1 :, word + 1 :] = np.logaddexp(walks[:, word + 1 :, word + 1 :], added)
        to_goal[:, word + 1 :] = np.logaddexp(to_goal[:, word + 1 :], through + to_goal[:, word, np.newaxis])
    escapes = np.zeros((count, count + 1))  # by goal and word; that of the root is certain
    for word in range(count - 1, -1, -1):
        onward = walks[:, word, word + 1 :] + escapes[:, word + 1 :]
        escapes[:, word] = _log_sum(onward) - leaving[:, word]
        escapes[word, word] = -np.inf
    shares = steps + escapes
    shares -= _log_sum(shares)[:, np.newaxis]
    return np.exp(np.roll(shares, 1, axis=1))


def _log_sum(values: FloatArray) -> FloatArray:
    totals: FloatArray = np.logaddexp.reduce(values, axis=-1)
    return totals
