"""Means over seeds with their spread, and the scorer's paired test between two rows."""

from __future__ import annotations

import statistics
from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

from experiments.results import Brackets, Result
from spanlin.errors import EvaluationError
from spanlin.evaluation.counts import Counts, SentenceScore, Status
from spanlin.evaluation.parameters import COLLINS
from spanlin.evaluation.score import Score
from spanlin.evaluation.significance import compare_scores


class Mean(NamedTuple):
    """A mean over seeds and the standard deviation of the sample; no spread for one seed."""

    value: float
    spread: float | None
    seeds: int

    def __str__(self) -> str:
        return f"{self.value:.2f}" if self.spread is None else f"{self.value:.2f} ± {self.spread:.2f}"


def mean(values: Iterable[float | None]) -> Mean | None:
    """Return the mean of what there is; None if there is nothing."""
    found = [value for value in values if value is not None]
    if not found:
        return None
    return Mean(statistics.fmean(found), statistics.stdev(found) if len(found) > 1 else None, len(found))


def mean_of(results: Sequence[Result], figure: Callable[[Counts], float | None]) -> Mean | None:
    """Return the mean over results of a figure of all their brackets."""
    return mean(figure(result.brackets.total) for result in results)


def p_value(first: Sequence[Brackets], second: Sequence[Brackets]) -> float | None:
    """Return the chance that the two differ so much if they were equally good; None if they cannot be compared.

    The counts of a sentence are added up over the seeds first, so that the test exchanges sentences, which are
    independent, and not seeds of one sentence, which are not.
    """
    if not first or not second or len(first) != len(second):
        return None
    try:
        return compare_scores(_added(first), _added(second)).p_value
    except EvaluationError:
        return None


def paired(first: Sequence[Result], second: Sequence[Result]) -> tuple[list[Result], list[Result]]:
    """Return the results of the seeds that both have."""
    seeds = {result.seed for result in first} & {result.seed for result in second}
    one, two = ([result for result in results if result.seed in seeds] for results in (first, second))
    return one, two


def _added(parts: Sequence[Brackets]) -> Score:
    sentences = []
    for rows in zip(*(part.sentences for part in parts), strict=True):
        if any(row.status is not Status.VALID for row in rows):
            sentences.append(SentenceScore(Status.ERROR, rows[0].length))
            continue
        sums = (sum(column) for column in zip(*((row.gold, row.predicted, row.matched) for row in rows), strict=True))
        sentences.append(SentenceScore(Status.VALID, rows[0].length, *sums))
    return Score(parameters=COLLINS, sentences=tuple(sentences), by_label={}, by_length={})
