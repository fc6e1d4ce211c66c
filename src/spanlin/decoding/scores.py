"""Boundary log-probabilities of a batch, checked once: what every decoder over probabilities starts from.

A split of the span (i, j) at k makes (i, k) a left child and (k, j) a right child, so a tree's score is the sum of
log P(i|k) + log P_R(j|k) over its n-1 splits; either side may be absent. The root's log P(0|n) and log P_R(n|0)
are the same for every tree of a sentence, so decoders leave them out and only reported log-probabilities hold them.
The rows need not be normalised: any real scores will do.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from spanlin.decoding.greedy import IntArray, check_word_counts
from spanlin.errors import DecodingError

FloatArray: TypeAlias = npt.NDArray[np.float64]
_EMPTY = ((0,), (0, 0), (0, 0, 0))  # the shapes of a batch without sentences, the first that of an empty list


@dataclass(frozen=True, eq=False)
class BoundaryScores:
    """Log-probabilities of a padded batch, all ignored cells -inf.

    `left` is [batch, max_words, max_words] with log P(i|j) at [b, j-1, i], `right` the same with log P_R(j|i) at
    [b, i, j-1]. `numbers` are the sentences' places in the caller's batch, None if the caller gave one sentence.
    """

    word_counts: IntArray
    left: FloatArray | None
    right: FloatArray | None
    numbers: IntArray | None

    @property
    def max_words(self) -> int:
        """The number of words that the arrays have room for."""
        side = self.left if self.left is not None else self.right
        assert side is not None
        return int(side.shape[1])

    def sentence(self, row: int) -> int | None:
        """Return the place of a row's sentence in the caller's batch; None if the caller gave one sentence."""
        return None if self.numbers is None else int(self.numbers[row])

    def select(self, sentences: IntArray) -> BoundaryScores:
        """Return the scores of some sentences, cut down to the longest of them."""
        counts = self.word_counts[sentences]
        width = int(counts.max(initial=0))
        left = None if self.left is None else self.left[sentences, :width, :width]
        right = None if self.right is None else self.right[sentences, :width, :width]
        return BoundaryScores(counts, left, right, None if self.numbers is None else self.numbers[sentences])

    def predicted_left_boundaries(self) -> IntArray:
        """Return [batch, max_words], the most probable left boundaries (Eq. 4), but the root's always 0.

        Ties go to the smallest boundary, that is to the longest span.
        """
        assert self.left is not None
        boundaries: IntArray = self.left.argmax(axis=2)
        boundaries[np.arange(len(self.word_counts)), self.word_counts - 1] = 0
        return boundaries

    def predicted_right_boundaries(self) -> IntArray:
        """Return [batch, max_words], the most probable right boundaries, but the root's always n; ties as above."""
        assert self.right is not None
        boundaries = self.max_words - self.right[:, :, ::-1].argmax(axis=2)
        boundaries[:, :1] = self.word_counts[:, np.newaxis]
        # Only a row without a possible boundary goes past the end.
        inside: IntArray = np.minimum(boundaries, self.word_counts[:, np.newaxis])
        return inside

    def tree_log_probs(self, lefts: IntArray, rights: IntArray) -> FloatArray:
        """Return [batch], the log-probability of each sentence's tree, the root's terms included."""
        return self.tree_scores(lefts, rights) + self.root_terms()

    def tree_scores(self, lefts: IntArray, rights: IntArray) -> FloatArray:
        """Return [batch], the score of each sentence's tree without the root's terms.

        If the batch is one sentence, there may be any number of trees.
        """
        splits = np.arange(1, lefts.shape[1] + 1)
        sentences = np.arange(len(self.word_counts))[:, np.newaxis]
        inner = splits < self.word_counts[:, np.newaxis]
        terms = []
        if self.left is not None:
            terms.append(np.where(inner, self.left[sentences, splits - 1, lefts], 0.0))
        if self.right is not None:
            terms.append(np.where(inner, self.right[sentences, splits, rights - 1], 0.0))
        scores = np.zeros(len(lefts))
        with np.errstate(over="ignore"):  # huge negative scores may add up to -inf
            for term in np.concatenate(terms, axis=1).T:  # one by one: rounding is the same whatever the padding
                scores += term
        return scores

    def root_terms(self) -> FloatArray:
        """Return [batch], log P(0|n) + log P_R(n|0)."""
        sentences = np.arange(len(self.word_counts))
        terms = np.zeros(len(self.word_counts))
        if self.left is not None:
            terms += self.left[sentences, self.word_counts - 1, 0]
        if self.right is not None:
            terms += self.right[sentences, 0, self.word_counts - 1]
        return terms


def check_sentence_scores(left: npt.ArrayLike | None, right: npt.ArrayLike | None) -> BoundaryScores:
    """Return the scores of one sentence, each side [n, n] or None, as a batch of one.

    A DecodingError names a NaN or +inf, a split point none of whose boundaries is possible, or a root that is not.
    """
    sides = {name: _as_floats(name, side, dimensions=2) for name, side in _named(left, right)}
    word_count = len(next(iter(sides.values())))
    if word_count == 0:
        raise DecodingError("no words to decode: the log-probabilities are empty")
    counts = np.array([word_count])
    return _checked(counts, {name: side[np.newaxis] for name, side in sides.items()}, numbers=None)


def check_batch_scores(
    word_counts: npt.ArrayLike, left: npt.ArrayLike | None, right: npt.ArrayLike | None
) -> BoundaryScores:
    """Return the scores of a padded batch, each side [batch, max_words, max_words] or None; errors as for a sentence.

    What stands in the padding, and where a boundary would not lie before (left) or after (right) its split point, is
    ignored whatever it is.
    """
    try:
        counts = check_word_counts(word_counts)
    except ValueError as error:  # NumPy's, for lists of different lengths
        raise DecodingError("word counts must be [batch] integers, not lists of different lengths") from error
    sides = {
        name: _as_floats(name, side, dimensions=3, may_be_empty=not len(counts)) for name, side in _named(left, right)
    }
    return _checked(counts, sides, numbers=np.arange(len(counts)))


def length_groups(word_counts: IntArray, *, cells: int = 2**17) -> Iterator[IntArray]:
    """Yield the sentences in groups of similar length whose charts fit the cache together, long ones first."""
    order = np.argsort(-word_counts, kind="stable")
    lengths = word_counts[order]
    start = 0
    while start < len(order):
        longest = int(lengths[start])
        # Sentences much shorter than the longest would mostly compute padding.
        similar = int(np.searchsorted(-lengths, -(longest * 3 // 4), side="right"))
        stop = min(start + max(1, cells // longest**2), max(similar, start + 1))
        yield order[start:stop]
        start = stop


def _named(left: npt.ArrayLike | None, right: npt.ArrayLike | None) -> list[tuple[str, npt.ArrayLike]]:
    sides = [("left_boundary_log_probs", left), ("right_boundary_log_probs", right)]
    given = [(name, side) for name, side in sides if side is not None]
    if not given:
        raise DecodingError("nothing to decode: give left_boundary_log_probs, right_boundary_log_probs or both")
    return given


def _as_floats(name: str, side: npt.ArrayLike, *, dimensions: int, may_be_empty: bool = False) -> FloatArray:
    try:
        array = np.asarray(side, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise DecodingError(f"{name}: not an array of numbers ({error})") from error
    if may_be_empty and array.shape in _EMPTY:
        return np.zeros((0, 1, 1))  # room for one word, so that no array is without columns
    if array.ndim != dimensions or array.shape[-1] != array.shape[-2]:
        wanted = "[n, n]" if dimensions == 2 else "[batch, max_words, max_words]"
        raise DecodingError(f"{name}: must be {wanted}, not of shape {array.shape}")
    return array


def _checked(counts: IntArray, sides: dict[str, FloatArray], *, numbers: IntArray | None) -> BoundaryScores:
    for name, side in sides.items():
        if len(side) != len(counts) or (len(counts) and side.shape[1] < counts.max()):
            longest = f", longest {counts.max()}" if len(counts) else ""
            raise DecodingError(f"{name}: shape {side.shape} does not fit {len(counts)} sentences{longest}")
    shapes = {side.shape for side in sides.values()}
    if len(shapes) > 1:
        raise DecodingError(
            f"left and right log-probabilities differ in shape: {' and '.join(map(str, sorted(shapes)))}"
        )
    left, right = sides.get("left_boundary_log_probs"), sides.get("right_boundary_log_probs")
    scores = BoundaryScores(
        counts,
        None if left is None else _clean(left, counts, before=True),
        None if right is None else _clean(right, counts, before=False),
        numbers,
    )
    _raise_if_undecodable(scores)
    return scores


def _clean(side: FloatArray, counts: IntArray, *, before: bool) -> FloatArray:
    """Return a copy with -inf in every cell that is not a boundary of any split point of the sentence."""
    max_words = side.shape[1]
    boundary = np.tri(max_words, dtype=np.bool_)
    inside = np.arange(max_words) < counts[:, np.newaxis]
    legal = (boundary if before else boundary.T) & inside[:, :, np.newaxis] & inside[:, np.newaxis, :]
    cleaned: FloatArray = np.where(legal, side, -np.inf)
    return cleaned


def _raise_if_undecodable(scores: BoundaryScores) -> None:
    for name, side in (("left_boundary_log_probs", scores.left), ("right_boundary_log_probs", scores.right)):
        if side is None:
            continue
        highest = side.max(axis=2, initial=-np.inf)  # NaN and +inf come through
        if not (highest < np.inf).all():
            sentence, row, column = np.argwhere(~(side < np.inf))[0]
            cell = f"[{row}, {column}]"
            raise DecodingError(
                f"{name}{cell} is {side[sentence, row, column]}, not a log-probability",
                sentence=scores.sentence(sentence),
            )
        # The root's row decides nothing but its one term.
        impossible = (highest == -np.inf) & (np.arange(side.shape[1]) < scores.word_counts[:, np.newaxis])
        if impossible.any():
            sentence, row = np.argwhere(impossible)[0]
            raise DecodingError(
                f"{name}: row {row} is -inf throughout, so no tree is possible", sentence=scores.sentence(sentence)
            )
    rootless = scores.root_terms() == -np.inf
    if rootless.any():
        raise DecodingError(
            "the span of the whole sentence has log-probability -inf, so no tree is possible",
            sentence=scores.sentence(int(np.argmax(rootless))),
        )
