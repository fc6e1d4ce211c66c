"""Linear-time decoders over left boundaries: the paper's strict rule and its two repairs (Wei et al. 2020, sec. 3.4).

All three share one loop. It walks the split points from left to right and keeps a stack of those whose span is
still open to the right; each stack entry rests on the left end of its own span, so `lefts` is also the stack's
links. Split point k closes the entries that must end there, and the entry that survives is its left end:

- `argmin` (the smallest d, ties to the largest k) builds the Cartesian tree of d_1..d_{n-1}: an entry closes when
  its own d is at least d_k.
- `largest` (the largest k' in (i, j) with d_k' <= i): an entry closes when its left end is at least d_k, which
  leaves k the smallest open left end that is not before d_k.
- `strict` (Algorithm 2) is either of them on a legal sequence, and an error on any other.

d_n is the root's and no tree depends on it, so `argmin` and `largest` never look at it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Literal, TypeAlias, get_args

import numpy as np
import numpy.typing as npt

from spanlin.errors import DecodingError, LinearizationError
from spanlin.linearization import delinearize
from spanlin.trees.tree import Span

GreedyRule: TypeAlias = Literal["strict", "largest", "argmin"]
IntArray: TypeAlias = npt.NDArray[np.int64]
BoolArray: TypeAlias = npt.NDArray[np.bool_]

# How many sentences go through the batched loop together, at least, at most, and for each word of the longest: the
# longer the sentences the rarer and longer the runs of closing spans, whose small steps only a large block pays for.
_MIN_BLOCK, _MAX_BLOCK, _BLOCK_PER_WORD = 4000, 16000, 160


def greedy_tree(left_boundaries: Sequence[int], *, rule: GreedyRule = "argmin") -> tuple[Span, ...]:
    """Return the spans of the tree that the rule reads off one sequence; item k-1 is the span split at k.

    One word has no split point, hence no span; no word at all is an error. O(n) time and memory. `strict` raises a
    LinearizationError that names the first crossing pair.

    >>> greedy_tree((0, 1, 2, 1, 0))
    (Span(left=0, right=5), Span(left=1, right=4), Span(left=2, right=4), Span(left=1, right=5))
    """
    _check_rule(rule)
    check_sequence(left_boundaries)
    word_count = len(left_boundaries)
    if rule == "strict":
        delinearize(left_boundaries)  # for its error
    lefts = [-1] + [0] * (word_count - 1)
    rights = [word_count] * word_count
    keys: Sequence[int] = lefts if rule == "largest" else (-1, *left_boundaries)
    for split_point in range(1, word_count):
        left_boundary = left_boundaries[split_point - 1]
        entry = split_point - 1
        while keys[entry] >= left_boundary:
            rights[entry] = split_point
            entry = lefts[entry]
        lefts[split_point] = entry
    return tuple(map(Span, lefts[1:], rights[1:]))


def greedy_trees(
    left_boundaries: npt.ArrayLike, word_counts: npt.ArrayLike, *, rule: GreedyRule = "argmin"
) -> tuple[IntArray, IntArray]:
    """Return the left and right ends of the spans that the rule reads off each sequence of a padded batch.

    `left_boundaries` is [batch, max_words], `word_counts` [batch]; what stands after a sentence's words is ignored.
    Both results are [batch, max_words - 1], cell [b, k-1] for the span of sentence b that is split at k, and 0 in
    the padding. O(batch * max_words) time and memory, with no Python loop over sentences.
    """
    _check_rule(rule)
    boundaries, counts = check_boundaries(left_boundaries, word_counts)
    batch_size, max_words = boundaries.shape
    if rule == "strict":
        raise_if_illegal(boundaries, counts, legal_rows(boundaries, counts))
    lefts = np.zeros((batch_size, max(max_words - 1, 0)), dtype=np.int64)
    rights = np.zeros_like(lefts)
    if batch_size == 1:  # the plain loop beats NumPy's calls on arrays of one item
        word_count = int(counts[0])
        tree = greedy_tree(boundaries[0, :word_count].tolist(), rule="largest" if rule == "largest" else "argmin")
        if tree:
            lefts[0, : word_count - 1], rights[0, : word_count - 1] = np.array(tree).T
        return lefts, rights
    block_size = min(max(_MIN_BLOCK, _BLOCK_PER_WORD * max_words), _MAX_BLOCK)
    for start in range(0, batch_size, block_size):
        block = slice(start, start + block_size)
        _decode_block(boundaries[block], counts[block], rule, lefts[block], rights[block])
    return lefts, rights


def _decode_block(
    boundaries: IntArray, counts: IntArray, rule: GreedyRule, lefts_out: IntArray, rights_out: IntArray
) -> None:
    """Decode some sentences at once, position by position; a step keeps only the sentences that still close spans."""
    batch_size = len(counts)
    max_words = int(counts.max())
    # Positions come first so that a step reads whole rows; small integers keep the rows in cache.
    dtype: type[np.signedinteger[Any]] = np.int16 if max_words < np.iinfo(np.int16).max else np.int32
    positions = np.arange(1, max_words + 1, dtype=dtype)[:, np.newaxis]
    values = np.full((max_words + 1, batch_size), -1, dtype=dtype)
    values[1:] = boundaries[:, :max_words].astype(dtype).T
    values[counts, np.arange(batch_size)] = 0  # the root ends every open span
    np.copyto(values[1:], positions, where=positions > counts)  # the padding, ever larger, ends none
    lefts = np.empty_like(values)
    lefts[0] = -1
    rights = np.zeros_like(values)
    keys = lefts if rule == "largest" else values
    flat_lefts, flat_rights, flat_keys = lefts.ravel(), rights.ravel(), keys.ravel()
    for split_point in range(1, max_words + 1):
        left_row = lefts[split_point]
        left_row[:] = split_point - 1
        sentences = (keys[split_point - 1] >= values[split_point]).nonzero()[0]
        limits = values[split_point].take(sentences)
        entries = sentences + (split_point - 1) * batch_size
        while sentences.size:
            flat_rights[entries] = split_point
            below = flat_lefts.take(entries)
            left_row[sentences] = below
            entries = below.astype(np.int64)
            entries *= batch_size
            entries += sentences
            closes = (flat_keys.take(entries) >= limits).nonzero()[0]
            entries, sentences, limits = entries.take(closes), sentences.take(closes), limits.take(closes)
    inner = positions[:-1] < counts
    lefts_out[:, : max_words - 1] = (lefts[1:-1] * inner).T
    rights_out[:, : max_words - 1] = (rights[1:-1] * inner).T


def legal_rows(left_boundaries: npt.ArrayLike, word_counts: npt.ArrayLike) -> BoolArray:
    """Return [batch], which sequences of a padded batch some tree has; O(batch * max_words).

    A sequence is legal exactly if the tree read off it has it again.
    """
    boundaries, counts = check_boundaries(left_boundaries, word_counts)
    lefts, _ = greedy_trees(boundaries, counts)
    rooted: BoolArray = boundaries[np.arange(len(counts)), counts - 1] == 0
    return same_boundaries(boundaries, lefts, counts) & rooted


def same_boundaries(left_boundaries: IntArray, lefts: IntArray, word_counts: IntArray) -> BoolArray:
    """Return [batch], where the trees with these `lefts` have these left boundaries, the root's aside."""
    padding = np.arange(1, left_boundaries.shape[1]) >= word_counts[:, np.newaxis]
    agreement: BoolArray = ((left_boundaries[:, :-1] == lefts) | padding).all(axis=1)
    return agreement


def raise_if_illegal(
    boundaries: IntArray,
    word_counts: IntArray,
    legal: BoolArray,
    invert: Callable[[Sequence[int]], object] = delinearize,
    sentence_of: Callable[[int], int | None] = int,
) -> None:
    """Raise the LinearizationError of the first sentence that is not `legal`; it names the spans that cross.

    `invert` is the linearization's inverse, which refuses the sequence; `sentence_of` gives the place of a row in the
    caller's batch.
    """
    if not legal.all():
        sentence = int(np.argmin(legal))
        try:
            invert(boundaries[sentence, : word_counts[sentence]].tolist())
        except LinearizationError as error:
            raise LinearizationError(error.problem, sentence=sentence_of(sentence)) from None


def check_sequence(left_boundaries: Sequence[int]) -> None:
    """Raise an error that names the first item that cannot be a left boundary."""
    if not len(left_boundaries):
        raise DecodingError("no words to decode: give at least one left boundary")
    for split_point, left_boundary in enumerate(left_boundaries, start=1):
        if not 0 <= left_boundary < split_point:
            raise LinearizationError(_out_of_range(left_boundary, split_point))


def check_boundaries(left_boundaries: npt.ArrayLike, word_counts: npt.ArrayLike) -> tuple[IntArray, IntArray]:
    """Return both as integer arrays, or raise an error that names the first cell that cannot be a left boundary."""
    boundaries = np.asarray(left_boundaries)
    counts = check_word_counts(word_counts)
    if boundaries.ndim != 2 or len(boundaries) != len(counts):
        raise DecodingError(
            f"left boundaries must be [batch, max_words] for {len(counts)} sentences, not {boundaries.shape}"
        )
    if boundaries.size and boundaries.dtype.kind not in "iu":
        raise DecodingError(f"left boundaries must be integers, not {boundaries.dtype}")
    if len(counts) and counts.max() > boundaries.shape[1]:
        raise DecodingError(f"{counts.max()} words counted in left boundaries of {boundaries.shape[1]} columns")
    boundaries = boundaries.astype(np.int64, copy=False)
    split_points = np.arange(1, boundaries.shape[1] + 1)
    wrong = ((boundaries < 0) | (boundaries >= split_points)) & (split_points <= counts[:, np.newaxis])
    if wrong.any():
        sentence, column = np.argwhere(wrong)[0]
        raise LinearizationError(_out_of_range(boundaries[sentence, column], column + 1), sentence=int(sentence))
    return boundaries, counts


def check_word_counts(word_counts: npt.ArrayLike) -> IntArray:
    """Return the counts as an integer array, or raise an error that names the first sentence without words."""
    counts = np.asarray(word_counts)
    if counts.ndim != 1 or (counts.size and counts.dtype.kind not in "iu"):
        raise DecodingError(f"word counts must be [batch] integers, not {counts.dtype} of shape {counts.shape}")
    if (counts < 1).any():
        raise DecodingError("no words to decode; leave empty sentences out", sentence=int(np.argmax(counts < 1)))
    return counts.astype(np.int64, copy=False)


def _check_rule(rule: str) -> None:
    if rule not in get_args(GreedyRule):
        raise DecodingError(f"unknown rule {rule!r}: choose one of {', '.join(get_args(GreedyRule))}")


def _out_of_range(left_boundary: int, split_point: int) -> str:
    return f"left boundary {left_boundary} at split point {split_point} is not within 0..{split_point - 1}"
