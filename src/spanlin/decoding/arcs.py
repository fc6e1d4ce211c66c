"""Arc log-probabilities of a batch, checked once, with required and forbidden arcs: what decoders of heads start from.

Words count from 1 and the root of the sentence is 0, as in CoNLL-U. The scores are [batch, max_words, max_words + 1],
with the log-probability that word d has the head h at [b, d - 1, h]. A dependency tree has one head for each word, no
cycle and one word whose head is 0; its score is the sum of those of its arcs. The rows need not be normalised.
"""

from __future__ import annotations

import operator
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from spanlin.decoding.greedy import IntArray, check_word_counts
from spanlin.decoding.scores import FloatArray
from spanlin.errors import ConstraintError, DecodingError


@dataclass(frozen=True)
class ArcConstraints:
    """Arcs that a sentence's dependency tree must have, and arcs that it must not have.

    Each is the number of a word and that of its head, which is 0 to make the word the root.

    >>> ArcConstraints(required=[(1, 2), (2, 0)]).required
    ((1, 2), (2, 0))
    """

    required: tuple[tuple[int, int], ...] = ()
    forbidden: tuple[tuple[int, int], ...] = ()

    def __post_init__(self) -> None:
        # Lists are what people write, and what JSON gives.
        object.__setattr__(self, "required", check_arcs("required", self.required))
        object.__setattr__(self, "forbidden", check_arcs("forbidden", self.forbidden))

    def __bool__(self) -> bool:
        return bool(self.required or self.forbidden)


@dataclass(frozen=True, eq=False)
class ArcScores:
    """Checked scores, -inf for every arc that cannot be. `is_batch` if errors are to name the sentence."""

    word_counts: IntArray
    log_probs: FloatArray
    constraints: Sequence[ArcConstraints | None] | None
    is_batch: bool

    def impossible(self, sentence: int) -> DecodingError:
        """Return the error for a sentence none of whose dependency trees is possible."""
        place = sentence if self.is_batch else None
        wanted = self.constraints[sentence] if self.constraints else None
        if not wanted:
            return DecodingError("every dependency tree has log-probability -inf", sentence=place)
        parts = [
            f"{kind} {_listed(arcs)}"
            for kind, arcs in (("requires", wanted.required), ("forbids", wanted.forbidden))
            if arcs
        ]
        return ConstraintError(
            f"no dependency tree of {self.word_counts[sentence]} words is left by what {' and '.join(parts)}: "
            "require or forbid less",
            sentence=place,
        )


def check_arc_scores(
    word_counts: npt.ArrayLike,
    arc_log_probs: npt.ArrayLike,
    constraints: Sequence[ArcConstraints | None] | None = None,
    *,
    is_batch: bool = True,
) -> ArcScores:
    """Return the scores of a padded batch with the constraints applied, or raise an error that says what is wrong."""
    counts = check_word_counts(word_counts)
    try:
        given = np.asarray(arc_log_probs, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise DecodingError(f"arc_log_probs: not an array of numbers ({error})") from error
    longest = int(counts.max(initial=0))
    if given.ndim != 3 or given.shape[2] != given.shape[1] + 1 or len(given) != len(counts) or given.shape[1] < longest:
        wanted = f"[{len(counts)}, words, words + 1] with at least {longest} words" if is_batch else "[n, n + 1]"
        shape = given.shape if is_batch else given.shape[1:]
        raise DecodingError(f"arc_log_probs: must be {wanted}, not of shape {shape}")
    places = np.arange(given.shape[2])
    is_word = places[1:] <= counts[:, np.newaxis]
    is_head = (places <= counts[:, np.newaxis])[:, np.newaxis]
    itself = np.eye(given.shape[1], given.shape[2], k=1, dtype=np.bool_)
    possible = is_word[:, :, np.newaxis] & is_head & ~itself
    log_probs: FloatArray = np.where(possible, given, -np.inf)
    if not (log_probs < np.inf).all():
        sentence, row, column = np.argwhere(~(log_probs < np.inf))[0]
        raise DecodingError(
            f"arc_log_probs[{row}, {column}] is {log_probs[sentence, row, column]}, not a log-probability",
            sentence=int(sentence) if is_batch else None,
        )
    scores = ArcScores(counts, log_probs, constraints, is_batch)
    _constrain(scores)
    without = (log_probs.max(axis=2, initial=-np.inf) == -np.inf) & is_word
    if without.any():
        raise scores.impossible(int(np.argwhere(without)[0, 0]))
    return scores


def _constrain(scores: ArcScores) -> None:
    """Rule out the arcs that the constraints do, in place."""
    constraints = scores.constraints
    if constraints is None:
        return
    if len(constraints) != len(scores.word_counts):
        raise ConstraintError(
            f"{len(constraints)} constraints for {len(scores.word_counts)} sentences: give one, or None, for each"
        )
    for sentence, wanted in enumerate(constraints):
        place = sentence if scores.is_batch else None
        if wanted is None:
            continue
        if not isinstance(wanted, ArcConstraints):
            raise ConstraintError(f"constraints are {wanted!r:.40}: give ArcConstraints, or None", sentence=place)
        if problem := _problem(wanted, int(scores.word_counts[sentence])):
            raise ConstraintError(problem, sentence=place)
        log_probs = scores.log_probs[sentence]
        for word, head in wanted.forbidden:
            log_probs[word - 1, head] = -np.inf
        for word, head in wanted.required:
            kept = log_probs[word - 1, head]
            log_probs[word - 1] = -np.inf
            if head == 0:
                log_probs[:, 0] = -np.inf
            log_probs[word - 1, head] = kept


def _problem(constraints: ArcConstraints, word_count: int) -> str:
    """Return what is wrong with the constraints by themselves, or nothing."""
    heads: dict[int, int] = {}
    for kind, arcs in (("required", constraints.required), ("forbidden", constraints.forbidden)):
        for word, head in arcs:
            if not 1 <= word <= word_count or not 0 <= head <= word_count or word == head:
                return f"{kind} arc {(word, head)}: the word must be from 1 to {word_count}, and its head another, or 0"
    for word, head in constraints.required:
        if heads.setdefault(word, head) != head:
            return f"required arcs {(word, heads[word])} and {(word, head)}: a word has one head"
        if (word, head) in constraints.forbidden:
            return f"arc {(word, head)} is both required and forbidden"
    roots = [word for word, head in heads.items() if head == 0]
    if len(roots) > 1:
        return f"required arcs {(roots[0], 0)} and {(roots[1], 0)}: a dependency tree has one root"
    return ""


def check_arcs(kind: str, arcs: Iterable[Sequence[int]]) -> tuple[tuple[int, int], ...]:
    """Return arcs as pairs of a word and its head, or raise a ConstraintError; `kind` is what they are called."""
    if isinstance(arcs, str) or not isinstance(arcs, Iterable):
        raise ConstraintError(f"{kind} is {arcs!r:.40}: give a list of arcs, such as [(1, 2)]")
    found = []
    for place, arc in enumerate(arcs):
        try:
            word, head = arc
            if isinstance(word, bool) or isinstance(head, bool):
                raise TypeError
            found.append((operator.index(word), operator.index(head)))
        except (TypeError, ValueError):
            raise ConstraintError(
                f"{kind}[{place}] is {arc!r:.40}: an arc is the number of a word and that of its head, as in "
                f"{kind}=[(1, 2)]"
            ) from None
    return tuple(found)


def _listed(arcs: Sequence[tuple[int, int]]) -> str:
    return ", ".join(map(str, arcs[:5])) + (" ..." if len(arcs) > 5 else "")
