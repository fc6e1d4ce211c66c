"""The dependency trees of a batch under constraints, with errors that name the sentence and its words."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from spanlin.decoding import ArcConstraints, Constraints
from spanlin.errors import DecodingError
from spanlin.runtime.backend import Backend
from spanlin.runtime.dependency_decoding import BatchDependencies, find_dependencies
from spanlin.runtime.sentences import RunBatch

_NAMED_WORDS = 6  # in an error message
_LONGEST_WORD = 30


def find_constrained_dependencies(
    backend: Backend,
    batch: RunBatch[Any],
    constraints: Sequence[Constraints | None],
) -> BatchDependencies:
    """Return the dependencies of a batch, whose sentences have one item of `constraints` each.

    The outputs are those that `find_dependencies` needs. A ConstraintError names what cannot be obeyed.
    """
    wanted = [one.arcs if one else None for one in constraints]
    try:
        return find_dependencies(backend, batch.counts, batch.found, wanted if any(wanted) else ())
    except DecodingError as error:
        if error.sentence is None:
            raise
        arcs, words = wanted[error.sentence], batch.words[error.sentence]
        raise type(error)(f"{batch.place(error.sentence)}: {error.problem}{_named(arcs, words)}") from None


def _named(arcs: ArcConstraints | None, words: Sequence[str]) -> str:
    """Return the words that constraints are about, with their numbers."""
    given = (arcs.required + arcs.forbidden) if arcs else ()
    numbers = list(dict.fromkeys(number for arc in given for number in arc if 1 <= number <= len(words)))
    if not numbers:
        return ""
    named = [f"{number} {words[number - 1][:_LONGEST_WORD]!r}" for number in numbers[:_NAMED_WORDS]]
    return f" (words: {', '.join(named)}{' ...' if len(numbers) > _NAMED_WORDS else ''})"
