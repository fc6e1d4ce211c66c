"""From arc log-probabilities to the heads of a sentence's words: the best for each, and the best dependency tree.

The best head for each word is the best there can be, so if these heads are a tree, no tree is better: it is certified
at once. Only the other sentences go to the exact algorithms.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
import numpy.typing as npt

from spanlin.decoding.arborescence import best_arborescence
from spanlin.decoding.arcs import ArcConstraints, ArcScores, check_arc_scores
from spanlin.decoding.greedy import BoolArray, IntArray
from spanlin.decoding.projective import best_projective_trees
from spanlin.decoding.scores import FloatArray
from spanlin.errors import DecodingError

HeadDecoder = Literal["greedy", "spanning", "projective"]


@dataclass(frozen=True)
class DecodedHeads:
    """The head of each word, counted from 1, 0 for the root; `certified` if no dependency tree is more probable."""

    heads: tuple[int, ...]
    log_prob: float
    certified: bool


@dataclass(frozen=True, eq=False)
class HeadBatch:
    """The heads of a padded batch, [batch, max_words], 0 in the padding; the others are [batch]."""

    heads: IntArray
    word_counts: IntArray
    certified: BoolArray
    log_probs: FloatArray

    def __len__(self) -> int:
        return len(self.word_counts)

    def sentence(self, place: int) -> DecodedHeads:
        """Return the heads of one sentence."""
        heads = self.heads[place, : self.word_counts[place]]
        return DecodedHeads(tuple(heads.tolist()), float(self.log_probs[place]), bool(self.certified[place]))


def decode_heads(
    arc_log_probs: npt.ArrayLike, *, decoder: HeadDecoder = "spanning", constraints: ArcConstraints | None = None
) -> DecodedHeads:
    """Return the heads of one sentence from [n, n + 1] log-probabilities, the head h of word d at [d - 1, h].

    >>> decode_heads([[-2.0, 0.0, -1.0], [-3.0, -1.0, 0.0]]).heads  # the best of each word would be a cycle
    (0, 1)
    """
    scores = np.asarray(arc_log_probs)
    if scores.ndim != 2:
        raise DecodingError(f"arc_log_probs: must be [n, n + 1], not of shape {scores.shape}")
    checked = check_arc_scores([len(scores)], scores[np.newaxis], [constraints], is_batch=False)
    return decode_checked(checked, decoder).sentence(0)


def decode_heads_batch(
    word_counts: npt.ArrayLike,
    arc_log_probs: npt.ArrayLike,
    *,
    decoder: HeadDecoder = "spanning",
    constraints: Sequence[ArcConstraints | None] | None = None,
) -> HeadBatch:
    """Return the heads of a padded batch from [batch, max_words, max_words + 1] log-probabilities.

    `spanning` gives the best tree with one root, `projective` the best one without crossing arcs, and `greedy` the best
    head for each word, which is a tree only where it is certified. The padding, and words as their own heads, are
    ignored. A certified tree obeys the constraints; if no tree does, a ConstraintError says so.
    """
    return decode_checked(check_arc_scores(word_counts, arc_log_probs, constraints), decoder)


def are_trees(heads: IntArray, word_counts: IntArray) -> BoolArray:
    """Return [batch], whose heads are a tree with one root; O(n log n) for each."""
    is_word = np.arange(heads.shape[1]) < word_counts[:, np.newaxis]
    width = heads.shape[1] + 1
    starts = np.arange(0, len(heads) * width, width)[:, np.newaxis]  # of the sentences, in one row for all
    upward = np.repeat(starts, width, axis=1)
    upward[:, 1:] += np.where(is_word, heads, 0)
    ancestors = upward.ravel()
    for _ in range(max(heads.shape[1], 1).bit_length()):  # each round doubles how far up every word looks
        ancestors = ancestors.take(ancestors)
    roots = ((heads == 0) & is_word).sum(axis=1)
    found: BoolArray = np.logical_and.reduce(ancestors.reshape(-1, width) == starts, axis=1) & (roots == 1)
    return found


def are_projective(heads: IntArray, word_counts: IntArray) -> BoolArray:
    """Return [batch], in which no two arcs cross, those from 0 included; O(n^2) for each."""
    words = np.arange(1, heads.shape[1] + 1)
    is_word = words <= word_counts[:, np.newaxis]
    starts = np.where(is_word, np.minimum(heads, words), 0)[:, :, np.newaxis]
    ends = np.where(is_word, np.maximum(heads, words), 0)[:, :, np.newaxis]
    inside = (starts < starts.transpose(0, 2, 1)) & (starts.transpose(0, 2, 1) < ends)
    crossing = inside & (ends < ends.transpose(0, 2, 1))
    found: BoolArray = np.logical_and.reduce(~crossing, axis=(1, 2))
    return found


def decode_checked(scores: ArcScores, decoder: HeadDecoder) -> HeadBatch:
    """Return what `decode_heads_batch` does, from checked scores."""
    if decoder not in ("greedy", "spanning", "projective"):
        raise DecodingError(f"unknown decoder {decoder!r}: choose greedy, spanning or projective")
    counts = scores.word_counts
    heads: IntArray = scores.log_probs.argmax(axis=2)
    certified = are_trees(heads, counts)
    if decoder == "projective":
        certified &= are_projective(heads, counts)
    if decoder != "greedy":
        (others,) = (~certified).nonzero()
        if decoder == "projective":
            heads[others], possible = best_projective_trees(scores, others)
            if not possible.all():
                raise scores.impossible(int(others[np.argmin(possible)]))
        else:
            for sentence in others.tolist():
                count = counts[sentence]
                best = best_arborescence(scores.log_probs[sentence, :count, : count + 1])
                if best is None:
                    raise scores.impossible(sentence)
                heads[sentence, :count] = best
        certified = np.ones_like(certified)
    is_word = np.arange(heads.shape[1]) < counts[:, np.newaxis]
    arcs = np.take_along_axis(scores.log_probs, heads[:, :, np.newaxis], axis=2)[:, :, 0]
    # From left to right, so that the padding does not change how the sum is rounded.
    log_probs = np.cumsum(np.where(is_word, arcs, 0.0), axis=1)
    last = log_probs[:, -1] if len(counts) else np.zeros(0)
    return HeadBatch(np.where(is_word, heads, 0), counts, certified, last)
