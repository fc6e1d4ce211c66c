"""Required and forbidden constituents of one sentence, checked and turned into the labels that each span may have.

A binary tree has a span exactly if none of its own spans crosses it. So a constituent is required by ruling out every
span that crosses it and the empty label on its own, and forbidden by ruling out every label but the empty one: the
binary tree may still have the span, as a helper that is not a constituent.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np

from spanlin.decoding.arcs import ArcConstraints, check_arcs
from spanlin.decoding.constraints import first_crossing
from spanlin.decoding.greedy import BoolArray, IntArray
from spanlin.decoding.tree_roles import Role
from spanlin.errors import ConstraintError, DecodingError
from spanlin.trees.transforms import ROOT_LABELS, constituent_labels, label_parts
from spanlin.trees.tree import LabelledSpan

_NAMED_LABELS = 12  # in an error message


Constituent: TypeAlias = tuple[int, int] | tuple[int, int, str]


@dataclass(frozen=True, init=False)
class Constraints:
    """Constituents that a sentence's tree must have, and constituents that it must not have; the same for arcs.

    Each constituent is a span of words, half-open, with or without a label: `(2, 5)` for a constituent with any label,
    `(2, 5, "NP")` for an NP. A required one may be one of a chain over the same words. Forbidding `(2, 5, "NP")` leaves
    every other label possible.

    Each arc is the number of a word, counted from 1, and that of its head, 0 to make the word the root.

    >>> Constraints(required=[(0, 2), (3, 5, "NP")]).required
    (LabelledSpan(left=0, right=2, label=''), LabelledSpan(left=3, right=5, label='NP'))
    >>> Constraints(required_arcs=[(1, 2), (2, 0)]).arcs
    ArcConstraints(required=((1, 2), (2, 0)), forbidden=())
    """

    required: tuple[LabelledSpan, ...]
    forbidden: tuple[LabelledSpan, ...]
    required_arcs: tuple[tuple[int, int], ...]
    forbidden_arcs: tuple[tuple[int, int], ...]

    def __init__(
        self,
        required: Iterable[Constituent] = (),
        forbidden: Iterable[Constituent] = (),
        *,
        required_arcs: Iterable[Sequence[int]] = (),
        forbidden_arcs: Iterable[Sequence[int]] = (),
    ) -> None:
        for kind, given in (("required", required), ("forbidden", forbidden)):
            object.__setattr__(self, kind, tuple(_constituent(kind, *one) for one in enumerate(_items(kind, given))))
        for kind, arcs in (("required_arcs", required_arcs), ("forbidden_arcs", forbidden_arcs)):
            object.__setattr__(self, kind, check_arcs(kind, arcs))

    def __bool__(self) -> bool:
        return self.has_constituents or bool(self.required_arcs or self.forbidden_arcs)

    @property
    def has_constituents(self) -> bool:
        """Whether there are constraints on constituents."""
        return bool(self.required or self.forbidden)

    @property
    def arcs(self) -> ArcConstraints:
        """The constraints on arcs."""
        return ArcConstraints(self.required_arcs, self.forbidden_arcs)


class LabelSet:
    """The labels of a model, the empty one first, and where each may stand.

    `labels` are collapsed chains, as trees have them once their unary chains are collapsed. The arrays are [labels]:
    `is_constituent` where a label is more than empty or a root label, `is_inner` where it may stand below the root, and
    `is_root` where it may stand at the root.
    """

    def __init__(self, labels: Sequence[str]) -> None:
        self.chains = [tuple(constituent_labels(label)) for label in labels]
        marks_root = np.array([any(part in ROOT_LABELS for part in label_parts(label)) for label in labels])
        self.is_constituent: BoolArray = np.array([bool(chain) for chain in self.chains])
        self.is_inner: BoolArray = ~marks_root
        self.is_root: BoolArray = np.arange(len(labels)) > 0

    def __len__(self) -> int:
        return len(self.chains)

    def having(self, label: str) -> BoolArray:
        """Return [labels], which of them are this constituent or a chain with it, or raise a ConstraintError."""
        found: BoolArray = np.array([label in chain for chain in self.chains])
        if not found.any():
            known = sorted({part for chain in self.chains for part in chain})
            raise ConstraintError(f"no label {label!r}: the model knows {_listed(known)}")
        return found

    def under_root(self, label: str) -> BoolArray:
        """Return [labels], which of them put this constituent right below the root, or raise a DecodingError."""
        tops = [chain[0] if chain else "" for chain in self.chains]
        found: BoolArray = np.array([top == label for top in tops])
        if not found.any():
            raise DecodingError(f"no root label {label!r}: the model knows {_listed(sorted(set(tops) - {''}))}")
        return found


class SpanRules:
    """Which labels the spans of one sentence may have under its constraints, if it has any.

    Raises a ConstraintError that names what cannot be obeyed. `root_label` is the one right below the root.
    """

    def __init__(
        self, labels: LabelSet, word_count: int, constraints: Constraints | None = None, *, root_label: str = ""
    ) -> None:
        self._labels = labels
        self._word_count = word_count
        self._is_crossed: BoolArray | None = None
        self._special: dict[tuple[int, int], BoolArray] = {}
        if root_label:
            self._special[0, word_count] = labels.under_root(root_label)
        if constraints:
            self._constrain(constraints)

    def allowed(self, lefts: IntArray, rights: IntArray, role: Role) -> BoolArray:
        """Return [spans, labels], the labels that the spans may have in this role.

        Of the binary tree's spans only right children, and words, may be empty: the mark of right binarization.
        """
        labels = self._labels
        allowed = np.repeat((labels.is_root if role is Role.ROOT else labels.is_inner)[np.newaxis], len(lefts), axis=0)
        if role is Role.LEFT:
            allowed[rights - lefts > 1] &= labels.is_constituent
        for (left, right), mask in self._special.items():
            allowed[(lefts == left) & (rights == right)] &= mask
        if self._is_crossed is not None:
            allowed[self._is_crossed[lefts, rights]] = False
        return allowed

    def _constrain(self, constraints: Constraints) -> None:
        count, labels = self._word_count, self._labels
        required = constraints.required
        for kind, items in (("required", required), ("forbidden", constraints.forbidden)):
            for left, right, label in items:
                if not 0 <= left < right <= count:
                    raise ConstraintError(
                        f"{kind} constituent {_shown(left, right, label)} does not lie within the words 0..{count}"
                    )
                if kind == "required":
                    mask = labels.having(label) if label else labels.is_constituent
                else:
                    mask = ~(labels.having(label) if label else labels.is_constituent)
                self._special[left, right] = self._special.get((left, right), True) & mask
        if crossing := first_crossing((left, right) for left, right, _ in required):
            raise ConstraintError("required constituents {} and {} cross: no tree has both".format(*crossing))
        for (left, right), mask in self._special.items():
            possible = mask & (labels.is_root if (left, right) == (0, count) else labels.is_inner)
            if not possible.any():
                raise ConstraintError(
                    f"no label of the model is left for the words {left}..{right}: require or forbid less there"
                )
        if required:
            crossed = np.zeros((count + 1, count + 1), dtype=np.bool_)
            for left, right, _ in required:
                crossed[:left, left + 1 : right] = True
                crossed[left + 1 : right, right + 1 :] = True
            self._is_crossed = crossed


def _items(kind: str, given: Any) -> Iterable[Any]:
    if isinstance(given, str | bytes) or not isinstance(given, Iterable):
        raise ConstraintError(f"{kind} is {given!r:.40}: give a list of constituents, such as [(0, 2), (3, 5, 'NP')]")
    return given


def _constituent(kind: str, number: int, item: Any) -> LabelledSpan:
    label: list[Any] = []
    try:
        if isinstance(item, str | bytes):
            raise TypeError
        left, right, *label = item
        whole = all(not isinstance(edge, bool) and int(edge) == edge for edge in (left, right))
    except (TypeError, ValueError, OverflowError):
        whole = False
    if not whole or len(label) > 1 or not all(isinstance(one, str) for one in label):
        raise ConstraintError(
            f"{kind}[{number}] is {item!r:.40}: a constituent is two whole numbers, or two and a label, as in "
            f"{kind}=[(0, 2), (3, 5, 'NP')]"
        )
    return LabelledSpan(int(left), int(right), label[0] if label else "")


def _shown(left: int, right: int, label: str) -> str:
    return f"({left}, {right}{f', {label!r}' if label else ''})"


def _listed(names: Sequence[str]) -> str:
    return ", ".join(names[:_NAMED_LABELS]) + (" ..." if len(names) > _NAMED_LABELS else "")
