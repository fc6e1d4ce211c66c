"""Whether two rows differ: a test that counts seeds as well as sentences, and Holm's correction for many tests.

A row's F1 varies with the seed it was trained with and with the sentences it is scored on. Neither may be left out:
with other seeds the networks differ, with other sentences the gold trees. This is the design of studies in which
several readers judge the same cases (Hillis 2014, "A marginal-mean ANOVA approach for analyzing multireader multicase
radiological imaging data", Statistics in Medicine 33; here with readers nested in treatments). Seeds are the readers,
sentences are the cases, rows are the treatments. With n seeds for each row:

- A sentence's part in a seed's F1 = 200 M / B (M brackets matched, B gold and predicted ones) is, to first order,
  u = 100 (2 m - F1 / 100 b) / B, the sum of which is 0 over the sentences.
- *Seeds*: the sample variance of a row's F1 over its seeds, divided by n. It holds what differs from seed to seed for
  all sentences, and the luck of each seed with each sentence.
- *Sentences*: the sum of squares of the differences of the rows' mean u. It holds that luck too, which is taken off,
  since it is counted already: the sum of squares of u around its mean over the seeds, divided by n (n - 1).
- The difference of the means, divided by the root of the sum of both variances, is compared with Student's t. Its
  degrees of freedom are Satterthwaite's, in which the variance of a few seeds has n - 1 and that of sentences is known.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from experiments.results import Brackets

LEVEL = 0.05
"""Largest chance, over all claims of the page together, of calling any difference real that is none."""
_MANY = 1e6  # degrees of freedom at which t is as good as normal
_Doubles = NDArray[np.float64]


class Difference(NamedTuple):
    """How much higher the second F1 is, its standard error and the degrees of freedom of that."""

    value: float
    error: float
    freedom: float

    @property
    def p_value(self) -> float:
        """The chance of a difference at least this large, either way, if the rows were equally good."""
        return two_sided_p(abs(self.value) / self.error, self.freedom) if self.error else float(self.value == 0)

    @property
    def interval(self) -> tuple[float, float]:
        """The 95% interval."""
        half = t_quantile(0.05, self.freedom) * self.error
        return self.value - half, self.value + half

    def p_no_worse(self, margin: float) -> float:
        """The chance of a difference at least this high if the second were worse by `margin` (one-sided)."""
        away = self.value + margin
        if self.error == 0:
            return 0.0 if away > 0 else 1.0
        half = two_sided_p(abs(away) / self.error, self.freedom) / 2
        return half if away > 0 else 1 - half


def compare(first: Sequence[Brackets], second: Sequence[Brackets], *, same_networks: bool = False) -> Difference | None:
    """Return how much higher the second row is than the first, each given by its seeds.

    With `same_networks`, the n-th of both are of the same network (two decoders on its scores), so that only what
    differs within a network counts. None where a test is not possible: fewer than two seeds, or different sentences.
    """
    if min(len(first), len(second)) < 2 or len({len(part.gold) for part in (*first, *second)}) != 1:
        return None
    if same_networks and len(first) != len(second):
        return None
    valid = np.all([np.array(part.status) == 0 for part in (*first, *second)], axis=0)
    one, two = (_f1_and_parts(row, valid) for row in (first, second))
    if one is None or two is None:
        return None
    groups = [(two[0] - one[0], two[1] - one[1])] if same_networks else [one, two]
    value = float(two[0].mean() - one[0].mean())
    total = groups[0][1].mean(axis=0) if same_networks else two[1].mean(axis=0) - one[1].mean(axis=0)
    sentences = float((total**2).sum())
    seeds = []
    for scores, parts in groups:
        count = len(scores)
        seeds.append((float(scores.var(ddof=1)) / count, count - 1))
        sentences -= float(((parts - parts.mean(axis=0)) ** 2).sum()) / (count * (count - 1))
    variance = max(sentences, 0.0) + sum(part for part, _ in seeds)
    uncertain = sum(part**2 / freedom for part, freedom in seeds)
    freedom = min(variance**2 / uncertain, _MANY) if uncertain > variance**2 / _MANY else _MANY
    return Difference(value, math.sqrt(variance), freedom)


def _f1_and_parts(row: Sequence[Brackets], valid: NDArray[np.bool_]) -> tuple[_Doubles, _Doubles] | None:
    """Return F1 of each seed, and the part of each sentence in it (seeds x sentences)."""
    matched = np.array([part.matched for part in row], dtype=np.float64)[:, valid]
    both = np.array([part.gold for part in row]) + np.array([part.predicted for part in row], dtype=np.float64)
    both = both[:, valid]
    sums = both.sum(axis=1)
    if not valid.any() or not sums.all():
        return None
    f1 = 200 * matched.sum(axis=1) / sums
    parts = (200 * matched - f1[:, np.newaxis] * both) / sums[:, np.newaxis]
    return f1, parts


def holm(p_values: Mapping[str, float]) -> dict[str, float]:
    """Return p-values corrected for their number (Holm 1979): all tests together err with the chance of one."""
    corrected: dict[str, float] = {}
    largest = 0.0
    for place, name in enumerate(sorted(p_values, key=lambda name: p_values[name])):
        largest = max(largest, min(1.0, (len(p_values) - place) * p_values[name]))
        corrected[name] = largest
    return corrected


def two_sided_p(t: float, freedom: float) -> float:
    """Return the chance that Student's t is at least `t` away from 0."""
    return _incomplete_beta(freedom / 2, 0.5, freedom / (freedom + t * t))


def t_quantile(chance: float, freedom: float) -> float:
    """Return what Student's t exceeds, either way, with this chance."""
    low, high = 0.0, 1.0
    while two_sided_p(high, freedom) > chance:
        high *= 2
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if two_sided_p(middle, freedom) > chance else (low, middle)
    return high


def _incomplete_beta(a: float, b: float, x: float) -> float:
    """Return the regularized incomplete beta function, by Lentz's method for its continued fraction."""
    if x <= 0 or x >= 1:
        return 0.0 if x <= 0 else 1.0
    if x > (a + 1) / (a + b + 2):
        return 1 - _incomplete_beta(b, a, 1 - x)
    front = math.exp(math.lgamma(a + b) - math.lgamma(a) - math.lgamma(b) + a * math.log(x) + b * math.log1p(-x))
    c, d = 1.0, 1 / (1 - (a + b) * x / (a + 1))
    fraction = d
    for m in range(1, 10_000):
        for numerator in (
            m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m)),
            -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1)),
        ):
            d = 1 / (1 + numerator * d)
            c = 1 + numerator / c
            fraction *= c * d
        if abs(c * d - 1) < 1e-14:
            break
    return front * fraction / a
