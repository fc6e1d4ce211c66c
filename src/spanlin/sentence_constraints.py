"""Constraints on trees and heads, handed to the sentences that they are for."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Sequence, Sized
from dataclasses import dataclass
from typing import Any, TypeAlias

from spanlin.decoding.constituents import Constituent, Constraints
from spanlin.errors import ConstraintError
from spanlin.text import Sentence
from spanlin.trees.tree import LabelledSpan, Span

CharacterArc: TypeAlias = tuple[tuple[int, int], tuple[int, int] | None]


@dataclass(frozen=True, init=False)
class CharacterConstraints:
    """Constituents that the trees of a text must have, and constituents that they must not have; the same for arcs.

    Each constituent is a pair of character offsets, with or without a label: `(4, 11)` or `(4, 11, "NP")`.
    `text[start:end]` begins with a token and ends with a token of the same sentence.

    Each arc is the offsets of a token and those of its head, a token of the same sentence, or None to make the token
    the root: `((0, 3), (4, 9))` or `((4, 9), None)`.
    """

    required: tuple[LabelledSpan, ...]
    forbidden: tuple[LabelledSpan, ...]
    required_arcs: tuple[CharacterArc, ...]
    forbidden_arcs: tuple[CharacterArc, ...]

    def __init__(
        self,
        required: Iterable[Constituent] = (),
        forbidden: Iterable[Constituent] = (),
        *,
        required_arcs: Iterable[CharacterArc] = (),
        forbidden_arcs: Iterable[CharacterArc] = (),
    ) -> None:
        checked = Constraints(required, forbidden)  # the same form, of words
        object.__setattr__(self, "required", checked.required)
        object.__setattr__(self, "forbidden", checked.forbidden)
        for kind, arcs in (("required_arcs", required_arcs), ("forbidden_arcs", forbidden_arcs)):
            object.__setattr__(self, kind, _arcs(kind, arcs))


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
    left_arcs = sorted(
        [(arc, "required") for arc in constraints.required_arcs]
        + [(arc, "forbidden") for arc in constraints.forbidden_arcs],
        key=lambda item: item[0][0],
        reverse=True,
    )
    for sentence in sentences:
        found: dict[str, list[LabelledSpan]] = {"required": [], "forbidden": []}
        while left and left[-1][0] < sentence.end:
            start, end, label, kind = left.pop()
            found[kind].append(LabelledSpan(*_token_span(sentence, start, end, kind), label))
        arcs: dict[str, list[tuple[int, int]]] = {"required": [], "forbidden": []}
        while left_arcs and left_arcs[-1][0][0][0] < sentence.end:
            (word, head), kind = left_arcs.pop()
            arcs[kind].append((_token(sentence, word, kind), 0 if head is None else _token(sentence, head, kind)))
        if any((*found.values(), *arcs.values())):
            yield sentence, Constraints(**found, required_arcs=arcs["required"], forbidden_arcs=arcs["forbidden"])
        else:
            yield sentence, None
    for start, end, _, kind in reversed(left):
        raise ConstraintError(_no_start(start, end, kind))
    for (word, _), kind in reversed(left_arcs):
        raise ConstraintError(_no_token(word, f"{kind} arc"))


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
        if wanted and isinstance(words, Sized) and len(words) == 0:  # arrays of words have no truth value
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


def _token(sentence: Sentence, place: tuple[int, int], kind: str) -> int:
    """Return the number of the token at these offsets, counted from 1."""
    if place not in sentence.offsets:
        raise ConstraintError(f"{_no_token(place, f'{kind} arc')} of the sentence {sentence.start}..{sentence.end}")
    return sentence.offsets.index(place) + 1


def _no_token(place: tuple[int, int], kind: str) -> str:
    return f"{kind}: characters {place[0]}..{place[1]} are not one token; give offsets of tokens"


def _arcs(kind: str, arcs: Any) -> tuple[CharacterArc, ...]:
    if isinstance(arcs, str | bytes) or not isinstance(arcs, Iterable):
        raise ConstraintError(f"{kind} is {arcs!r:.40}: give a list of arcs, such as [((0, 3), (4, 9))]")
    found: list[CharacterArc] = []
    for number, arc in enumerate(arcs):
        try:
            word, head = arc
            ends = (word,) if head is None else (word, head)
            if not all(len(end) == 2 and all(type(edge) is int for edge in end) for end in ends):
                raise TypeError
            found.append((tuple(word), None if head is None else tuple(head)))
        except (TypeError, ValueError):
            raise ConstraintError(
                f"{kind}[{number}] is {arc!r:.40}: an arc is the offsets of a token and those of its head, or None, as "
                f"in {kind}=[((0, 3), (4, 9)), ((4, 9), None)]"
            ) from None
    return tuple(found)


def _no_start(start: int, end: int, kind: str) -> str:
    return f"{kind} characters {start}..{end}: no token starts at {start}; give offsets of tokens of one sentence"
