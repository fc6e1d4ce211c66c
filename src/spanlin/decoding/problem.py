"""What exact inference works on: checked scores and constraints, solved in groups of similar length."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from spanlin.decoding.chart import Chart, best_split, descend, fill_chart, highest
from spanlin.decoding.constraints import SpanConstraints, SpanMasks, raise_if_impossible, span_masks
from spanlin.decoding.greedy import IntArray
from spanlin.decoding.scores import (
    BoundaryScores,
    FloatArray,
    check_batch_scores,
    check_sentence_scores,
    length_groups,
)
from spanlin.errors import DecodingError


@dataclass(frozen=True, eq=False)
class TreeProblem:
    """Checked scores and the constraints on each sentence, if there are any, with their masks."""

    scores: BoundaryScores
    constraints: Sequence[SpanConstraints | None] | None = None
    masks: SpanMasks | None = None

    @classmethod
    def of_batch(
        cls,
        word_counts: npt.ArrayLike,
        left: npt.ArrayLike | None,
        right: npt.ArrayLike | None,
        constraints: Sequence[SpanConstraints | None] | None,
    ) -> TreeProblem:
        """Return the problem of a padded batch, or raise an error that says what is wrong with it."""
        return cls.of_scores(check_batch_scores(word_counts, left, right), constraints)

    @classmethod
    def of_sentence(
        cls, left: npt.ArrayLike | None, right: npt.ArrayLike | None, constraints: SpanConstraints | None
    ) -> TreeProblem:
        """Return the problem of one sentence as a batch of one, or raise an error that says what is wrong with it."""
        return cls.of_scores(check_sentence_scores(left, right), None if constraints is None else [constraints])

    @classmethod
    def of_scores(cls, scores: BoundaryScores, constraints: Sequence[SpanConstraints | None] | None) -> TreeProblem:
        """Return the problem of checked scores, or raise a ConstraintError that says what is wrong with the rest."""
        if constraints is None or all(wanted is None for wanted in constraints):
            return cls(scores)
        return cls(scores, constraints, span_masks(constraints, scores))

    def select(self, sentences: IntArray) -> TreeProblem:
        """Return the problem of some sentences, cut down to the longest of them."""
        scores = self.scores.select(sentences)
        if self.constraints is None or self.masks is None:
            return TreeProblem(scores)
        wanted = [self.constraints[sentence] for sentence in sentences]
        return TreeProblem(scores, wanted, self.masks.select(sentences, scores.max_words))

    def groups(self) -> Iterator[tuple[IntArray, TreeProblem]]:
        """Yield the problem in parts of similar length, each with the places of its sentences."""
        for sentences in length_groups(self.scores.word_counts):
            yield sentences, self.select(sentences)

    def chart(self, combine: Callable[[FloatArray], FloatArray]) -> Chart:
        """Return the filled chart, or raise an error that names a sentence without a possible tree."""
        span_scores = None if self.masks is None else self.masks.span_scores()
        chart = fill_chart(self.scores.left, self.scores.right, span_scores, combine)
        possible = chart.root_scores(self.scores.word_counts) > -np.inf
        if not possible.all():
            if self.masks is not None and self.constraints is not None:
                raise_if_impossible(self.masks, self.scores, self.constraints)
            under = "" if self.masks is None else " under the constraints"
            sentence = self.scores.sentence(int(np.argmin(possible)))
            raise DecodingError(f"every tree{under} has log-probability -inf", sentence=sentence)
        return chart

    def best_trees(self) -> tuple[IntArray, IntArray]:
        """Return the spans by split point of the trees with the highest scores.

        Of equal trees, the one that splits at the largest k, from the root down.
        """
        return self.solve_in_groups(lambda part: best_trees_in(part.chart(highest), part.scores.word_counts))

    def solve_in_groups(self, solve: Callable[[TreeProblem], tuple[IntArray, IntArray]]) -> tuple[IntArray, IntArray]:
        """Return the spans by split point that `solve` finds for each part, put back into the batch's order."""
        lefts = np.zeros((len(self.scores.word_counts), max(self.scores.max_words - 1, 0)), dtype=np.int64)
        rights = np.zeros_like(lefts)
        for sentences, part in self.groups():
            width = part.scores.max_words - 1
            lefts[sentences, :width], rights[sentences, :width] = solve(part)
        return lefts, rights


def best_trees_in(chart: Chart, word_counts: IntArray) -> tuple[IntArray, IntArray]:
    """Return the spans by split point of the best tree of each sentence of a chart of maxima."""
    return descend(chart, np.arange(len(word_counts)), word_counts, best_split)
