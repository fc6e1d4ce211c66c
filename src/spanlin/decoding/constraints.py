"""Required and forbidden spans, checked and turned into masks over spans and over boundaries.

A binary tree has a span exactly if none of its own spans crosses it, so both kinds of constraint come down to one
matrix of allowed spans, which is what the chart needs. For the greedy decoders boundaries are masked as well. To
require (a, b), left boundaries must obey

    d_j >= a            for a < j < b,        d_j <= a or d_j >= b        for j >= b,

and both the argmin and the largest rule then give a tree that has (a, b): in a span (i, j) around it, no split point
inside (a, b) is eligible if i < a, and if i = a the split point b, with d_b <= a, goes before all of them. A
forbidden span can be kept from being a left child the same way, but it may come back as a right child, so a greedy
tree has to be looked at afterwards.
"""

from __future__ import annotations

import operator
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import SupportsIndex

import numpy as np

from spanlin.decoding.chart import fill_chart, highest
from spanlin.decoding.greedy import BoolArray, IntArray
from spanlin.decoding.scores import BoundaryScores, FloatArray
from spanlin.errors import ConstraintError
from spanlin.trees.tree import Span


@dataclass(frozen=True, init=False)
class SpanConstraints:
    """Spans that a sentence's tree must have, and spans that it must not have, as pairs such as `(2, 5)`.

    One-word spans and the whole sentence are in every tree: requiring them changes nothing, forbidding them is an
    error.
    """

    required: tuple[Span, ...]
    forbidden: tuple[Span, ...]

    def __init__(
        self, required: Iterable[Sequence[SupportsIndex]] = (), forbidden: Iterable[Sequence[SupportsIndex]] = ()
    ) -> None:
        # Lists and plain pairs are what people write, and what JSON gives.
        object.__setattr__(self, "required", as_spans("required", required))
        object.__setattr__(self, "forbidden", as_spans("forbidden", forbidden))


def as_spans(kind: str, spans: Iterable[Sequence[SupportsIndex]]) -> tuple[Span, ...]:
    """Return pairs of whole numbers as spans, or raise a ConstraintError that names what is not one."""
    if isinstance(spans, str) or not isinstance(spans, Iterable):
        raise ConstraintError(f"{kind} is {spans!r:.40}: give a list of spans, such as [(0, 2)]")
    found = []
    for place, span in enumerate(spans):
        try:
            left, right = span
            if isinstance(left, bool) or isinstance(right, bool):
                raise TypeError
            found.append(Span(operator.index(left), operator.index(right)))
        except (TypeError, ValueError):
            raise ConstraintError(
                f"{kind}[{place}] is {span!r:.40}: a span is two whole numbers, as in {kind}=[(0, 2)]"
            ) from None
    return tuple(found)


@dataclass(frozen=True, eq=False)
class SpanMasks:
    """Where spans may stand in a padded batch, each [batch, max_words + 1, max_words + 1] with (i, j) at [b, i, j].

    `left_children` and `right_children` are the tighter masks of what may be the longest span that ends at j, or
    that starts at i. Everything is allowed in the padding.
    """

    spans: BoolArray
    left_children: BoolArray
    right_children: BoolArray

    def select(self, sentences: IntArray, max_words: int) -> SpanMasks:
        """Return the masks of some sentences, cut down to the longest of them."""
        size = max_words + 1
        return SpanMasks(
            self.spans[sentences, :size, :size],
            self.left_children[sentences, :size, :size],
            self.right_children[sentences, :size, :size],
        )

    def span_scores(self) -> FloatArray:
        """Return 0 for every allowed span and -inf for every other."""
        return np.where(self.spans, 0.0, -np.inf)

    def apply(self, scores: BoundaryScores) -> BoundaryScores:
        """Return the scores with -inf for every boundary that no tree under the constraints has."""
        left, right = scores.left, scores.right
        if left is not None:
            left = np.where(self.left_children[:, :-1, 1:].transpose(0, 2, 1), left, -np.inf)
        if right is not None:
            right = np.where(self.right_children[:, :-1, 1:], right, -np.inf)
        return BoundaryScores(scores.word_counts, left, right, scores.numbers)

    def satisfied(self, lefts: IntArray, rights: IntArray) -> BoolArray:
        """Return [batch], which trees obey the constraints; the padding's empty spans always do."""
        sentences = np.arange(len(lefts))[:, np.newaxis]
        obeyed: BoolArray = np.logical_and.reduce(self.spans[sentences, lefts, rights], axis=1)
        return obeyed


def span_masks(constraints: Sequence[SpanConstraints | None], scores: BoundaryScores) -> SpanMasks:
    """Return the masks of a batch, or raise a ConstraintError that names the spans that cannot be obeyed.

    Forbidden spans that are impossible only together are left to `raise_if_impossible`.
    """
    batch_size = len(scores.word_counts)
    if len(constraints) != batch_size:
        raise ConstraintError(f"{len(constraints)} constraints for {batch_size} sentences: give one, or None, for each")
    shape = (batch_size, scores.max_words + 1, scores.max_words + 1)
    masks = SpanMasks(*(np.ones(shape, dtype=np.bool_) for _ in range(3)))
    for sentence, wanted in enumerate(constraints):
        if wanted is None:
            continue
        if not isinstance(wanted, SpanConstraints):
            raise ConstraintError(
                f"constraints are {wanted!r:.40}: give SpanConstraints, or None", sentence=scores.sentence(sentence)
            )
        problem = _problem(wanted, int(scores.word_counts[sentence]))
        if problem:
            raise ConstraintError(problem, sentence=scores.sentence(sentence))
        spans = masks.spans[sentence]
        for a, b in wanted.required:
            spans[:a, a + 1 : b] = False
            spans[a + 1 : b, b + 1 :] = False
        for a, b in wanted.forbidden:
            spans[a, b] = False
        masks.left_children[sentence] = spans
        masks.right_children[sentence] = spans
        for a, b in wanted.required:
            masks.left_children[sentence, a + 1 : b, b] = False
            masks.right_children[sentence, a, a + 1 : b] = False
    return masks


def raise_if_impossible(
    masks: SpanMasks, scores: BoundaryScores, constraints: Sequence[SpanConstraints | None]
) -> None:
    """Raise a ConstraintError for the first sentence none of whose trees obeys its constraints."""
    possible = fill_chart(None, None, masks.span_scores(), highest).root_scores(scores.word_counts) > -np.inf
    if not possible.all():
        sentence = int(np.argmin(possible))
        wanted = constraints[sentence]
        assert wanted is not None
        required = f" if it has {_listed(wanted.required)}" if wanted.required else ""
        raise ConstraintError(
            f"no tree over {scores.word_counts[sentence]} words can do without the forbidden "
            f"{_listed(wanted.forbidden)}{required}; forbid less",
            sentence=scores.sentence(sentence),
        )


def _problem(constraints: SpanConstraints, word_count: int) -> str:
    """Return what is wrong with the constraints by themselves, or nothing."""
    for kind, spans in (("required", constraints.required), ("forbidden", constraints.forbidden)):
        for span in spans:
            if not 0 <= span[0] < span[1] <= word_count:
                return f"{kind} span {tuple(span)} does not lie within 0..{word_count}"
    required = sorted(set(constraints.required))
    for span in constraints.forbidden:
        if span in required:
            return f"span {tuple(span)} is both required and forbidden"
        if span[1] - span[0] == 1:
            return f"forbidden span {tuple(span)} is one word, which every tree has"
        if span[1] - span[0] == word_count:
            return f"forbidden span {tuple(span)} is the whole sentence, which every tree has"
    if crossing := first_crossing(required):
        return "required spans {} and {} cross: no tree has both".format(*crossing)
    return ""


def first_crossing(spans: Iterable[tuple[int, int]]) -> tuple[tuple[int, int], tuple[int, int]] | None:
    """Return the first two spans, in their order, that no tree can have both; None if there are none."""
    ordered = sorted({(left, right) for left, right in spans})
    for index, (left, right) in enumerate(ordered):
        for other_left, other_right in ordered[index + 1 :]:
            if left < other_left < right < other_right:
                return (left, right), (other_left, other_right)
    return None


def _listed(spans: Sequence[Span]) -> str:
    return ", ".join(str(tuple(span)) for span in spans[:5]) + (" ..." if len(spans) > 5 else "")
