"""How sure a score is: a bootstrap interval for one parser, a randomization test for the difference of two."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import numpy.typing as npt

from spanlin.errors import EvaluationError
from spanlin.evaluation.counts import Counts, SentenceScore, Status

if TYPE_CHECKING:
    from spanlin.evaluation.score import Score

_Table = npt.NDArray[np.int64]  # sentences x (gold, predicted, matched)


class Interval(NamedTuple):
    """The bounds between which `level` percent of the resampled scores lie."""

    low: float
    high: float
    level: int
    samples: int
    seed: int


class Comparison(NamedTuple):
    """A second score against a first, over the sentences that are valid in both.

    `p_value` is the chance of a difference in F1 at least this large if both predictions were equally good.
    """

    first_f1: float
    second_f1: float
    p_value: float
    compared: int
    left_out: int
    samples: int
    seed: int

    @property
    def difference(self) -> float:
        """How much higher the second F1 is than the first."""
        return self.second_f1 - self.first_f1


def bootstrap_interval(sentences: Sequence[SentenceScore], *, samples: int, seed: int) -> Interval | None:
    """Return the 95% percentile interval of F1 when sentences are drawn with replacement.

    None if no valid sentence has a bracket. A draw without any bracket is drawn again.
    """
    return count_interval([_counts(one) for one in sentences if one.status is Status.VALID], samples=samples, seed=seed)


def count_interval(sentences: Sequence[Counts], *, samples: int, seed: int) -> Interval | None:
    """Return the same from the counts of each sentence."""
    table = _table_of(sentences)
    if not table[:, :2].any():
        return None
    generator = np.random.default_rng(seed)
    scores: list[float] = []
    while len(scores) < samples:
        drawn = generator.integers(0, len(table), size=len(table))
        gold, predicted, matched = (int(total) for total in np.bincount(drawn, minlength=len(table)) @ table)
        f1 = Counts(gold, predicted, matched).f1
        if f1 is not None:
            scores.append(f1)
    low, high = np.percentile(scores, [2.5, 97.5])
    return Interval(float(low), float(high), 95, samples, seed)


def compare_scores(first: Score, second: Score, *, samples: int = 10_000, seed: int = 12345) -> Comparison:
    """Return the difference of two scores and its p-value by approximate randomization.

    Under the null hypothesis each sentence's two predictions may be exchanged: the p-value is the share of random
    exchanges whose difference in F1 is at least the one seen, the one seen included. Both scores must be of the
    same gold trees.
    """
    if len(first.sentences) != len(second.sentences):
        raise EvaluationError(
            f"scores of {len(first.sentences)} and {len(second.sentences)} sentences cannot be compared: "
            "score both against the same gold trees"
        )
    if first.parameters.signature() != second.parameters.signature():
        raise EvaluationError("scores with different parameters cannot be compared: score both with the same ones")
    pairs = [
        (one, two)
        for one, two in zip(first.sentences, second.sentences, strict=True)
        if one.status is Status.VALID and two.status is Status.VALID
    ]
    first_counts, second_counts = ([_counts(pair[place]) for pair in pairs] for place in (0, 1))
    compared = compare_counts(first_counts, second_counts, samples=samples, seed=seed)
    return compared._replace(left_out=len(first.sentences) - len(pairs))


def compare_counts(
    first: Sequence[Counts], second: Sequence[Counts], *, samples: int = 10_000, seed: int = 12345
) -> Comparison:
    """Return the same from the counts that two predictions have for each sentence."""
    if len(first) != len(second):
        raise EvaluationError(
            f"scores of {len(first)} and {len(second)} sentences cannot be compared: score both against the same gold "
            "file"
        )
    first_table, second_table = _table_of(first), _table_of(second)
    first_sums = first_table.sum(axis=0)
    second_sums = second_table.sum(axis=0)
    first_f1, second_f1 = (Counts(*map(int, sums)).f1 for sums in (first_sums, second_sums))
    if first_f1 is None or second_f1 is None:
        raise EvaluationError("nothing is scored in both predictions: nothing can be compared")
    # Sentences with the same counts in both exchange nothing.
    gains = (second_table - first_table)[(second_table != first_table).any(axis=1)]
    generator = np.random.default_rng(seed)
    seen = abs(_f1_of(second_sums) - _f1_of(first_sums))
    at_least = 0
    rows = max(1, 2_000_000 // max(1, len(gains)))  # exchanges drawn at once
    for start in range(0, samples, rows):
        exchanged = generator.integers(0, 2, size=(min(rows, samples - start), len(gains)), dtype=np.int8)
        moved = exchanged.astype(np.float64) @ gains.astype(np.float64)
        differences = np.abs(_f1_of(second_sums - moved) - _f1_of(first_sums + moved))
        # The tolerance keeps a rounding error from turning an equal difference into a smaller one.
        at_least += int((differences >= seen - 1e-9).sum())
    return Comparison(
        first_f1=first_f1,
        second_f1=second_f1,
        p_value=(at_least + 1) / (samples + 1),
        compared=len(first),
        left_out=0,
        samples=samples,
        seed=seed,
    )


def _counts(sentence: SentenceScore) -> Counts:
    return Counts(sentence.gold, sentence.predicted, sentence.matched)


def _table_of(sentences: Sequence[Counts]) -> _Table:
    return np.array(sentences, dtype=np.int64).reshape(-1, 3)


def _f1_of(sums: npt.NDArray[np.float64] | _Table) -> npt.NDArray[np.float64]:
    """Return F1 for each row of (gold, predicted, matched); 0 where a row has no bracket."""
    brackets = sums[..., 0] + sums[..., 1]
    scores: npt.NDArray[np.float64] = 200.0 * sums[..., 2] / np.maximum(brackets, 1)
    return scores
