"""Means over seeds with their spread."""

from __future__ import annotations

import statistics
from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

from experiments.results import Result
from spanlin.evaluation.counts import Counts


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


def f1_of(results: Sequence[Result]) -> Mean | None:
    """Return the mean F1 of results."""
    return mean_of(results, lambda counts: counts.f1)
