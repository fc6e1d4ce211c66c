"""Constraints on trees, handed to the sentences that they are for."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from spanlin.decoding.constituents import Constituent, Constraints
from spanlin.errors import ConstraintError
from spanlin.text import Sentence
from spanlin.trees.tree import LabelledSpan, Span


@dataclass(frozen=True, init=False)
class CharacterConstraints:
    """Constituents that the trees of a text must have, and constituents that they must not have.

    Each is a pair of character offsets, with or without a label: `(4, 11)` or `(4, 11, "NP")`. `text[start:end]` begins
    with a token and ends with a token of the same sentence.
    """

    required: tuple[LabelledSpan, ...]
    forbidden: tuple[LabelledSpan, ...]

    def __init__(self, required: Iterable[Constituent] = (), forbidden: Iterable[Constituent] = ()) -> None:
        checked = Constraints(required, forbidden)  # the same form, of words
        object.__setattr__(self, "required", checked.required)
        object.__setattr__(self, "forbidden", checked.forbidden)


def constrain_sentences(
    sentences: Iterable[Sentence], constraints: CharacterConstraints | None
) -> Iterator[tuple[Sentence, Constraints | None]]:
    """Yield each sentence of a text with its part of the constraints, None where it has none.

    A ConstraintError names a span that does not lie between tokens of one sentence; one that no sentence reaches, after
    the last.
    """
    if constraints is None:
        constraints = CharacterConstraints()
    if isinstance(constraints, Constraints):
        raise ConstraintError("these constraints are spans of tokens: give CharacterConstraints for a text")
    if not isinstance(constraints, CharacterConstraints):
        raise ConstraintError(f"constraints on a text are {constraints!r:.40}: give CharacterConstraints")
    left = sorted(
        [(*found, "required") for found in constraints.required]
        + [(*found, "forbidden") for found in constraints.forbidden],
        reverse=True,
    )
    for sentence in sentences:
        found: dict[str, list[LabelledSpan]] = {"required": [], "forbidden": []}
        while left and left[-1][0] < sentence.end:
            start, end, label, kind = left.pop()
            found[kind].append(LabelledSpan(*_token_span(sentence, start, end, kind), label))
        yield sentence, Constraints(**found) if any(found.values()) else None
    for start, end, _, kind in reversed(left):
        raise ConstraintError(_no_start(start, end, kind))


def pair_constraints(
    sentences: Iterable[Sequence[str]], constraints: Iterable[Constraints | None] | None
) -> Iterator[tuple[Sequence[str], Constraints | None]]:
    """Yield each tokenized sentence with its constraints, or raise a ConstraintError if they are not as many."""
    if constraints is None:
        yield from zip(sentences, itertools.repeat(None))
        return
    if isinstance(constraints, Constraints):
        raise ConstraintError("one set of constraints for all sentences: give a list with one, or None, for each")
    if isinstance(constraints, CharacterConstraints) or not isinstance(constraints, Iterable):
        raise ConstraintError(
            f"constraints are {constraints!r:.40}: give a list with Constraints, or None, per sentence"
        )
    left = iter(constraints)
    count = 0
    for count, words in enumerate(sentences, start=1):
        try:
            wanted = next(left)
        except StopIteration:
            raise ConstraintError(f"only {count - 1} constraints: give one, or None, for each sentence") from None
        if wanted is not None and not isinstance(wanted, Constraints):
            raise ConstraintError(f"constraints of sentence {count} are {wanted!r:.40}: give Constraints, or None")
        if not words and wanted:
            raise ConstraintError(f"sentence {count} has constraints but no words: give None")
        yield words, wanted
    for _ in left:
        raise ConstraintError(f"more constraints than the {count} sentences: give one, or None, for each")


def _token_span(sentence: Sentence, start: int, end: int, kind: str) -> Span:
    if start not in sentence.starts:
        raise ConstraintError(_no_start(start, end, kind))
    if end not in sentence.ends or end <= start:
        place = f"in the sentence {sentence.start}..{sentence.end}"
        raise ConstraintError(
            f"{kind} characters {start}..{end}: no token ends at {end} {place}; give offsets of tokens of one sentence"
        )
    return Span(sentence.starts.index(start), sentence.ends.index(end) + 1)


def _no_start(start: int, end: int, kind: str) -> str:
    return f"{kind} characters {start}..{end}: no token starts at {start}; give offsets of tokens of one sentence"
