"""The dependencies that a parser finds in a sentence, with how sure it is of each."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from spanlin.dependencies.heads import Dependencies
from spanlin.errors import DependencyError

KEYS = (
    *("heads", "relations", "universal_tags", "arc_probabilities"),
    *("dependencies_certified", "dependencies_calibrated"),
)
"""What JSON has of them, all or none."""


@dataclass(frozen=True, slots=True)
class ParsedDependencies:
    """A dependency tree with one root: an item of each tuple for every word."""

    heads: tuple[int, ...]
    """The word that governs each word, counted from 1; 0 for the root."""
    relations: tuple[str, ...]
    """The relation of each word to its head, such as nsubj."""
    universal_tags: tuple[str, ...]
    """The part of speech of each word as Universal Dependencies has it, such as NOUN."""
    arc_probabilities: tuple[float, ...]
    """The chance that each word's head is right."""
    certified: bool
    """True if provably no dependency tree is more probable; with the decoder `joint`, no pair of tree and heads."""
    calibrated: bool = False
    """Whether the probabilities of arcs were fitted on gold dependencies.

    If not, they are the network's own and not to be taken literally; see `spanlin calibrate`.
    """

    @property
    def tree(self) -> Dependencies:
        """The heads and relations alone."""
        return Dependencies(self.heads, self.relations)

    def to_json(self) -> dict[str, Any]:
        """Return the keys that dependencies add to the JSON of a sentence; probabilities have six decimals."""
        values = (
            list(self.heads),
            list(self.relations),
            list(self.universal_tags),
            [round(probability, 6) for probability in self.arc_probabilities],
            self.certified,
            self.calibrated,
        )
        return dict(zip(KEYS, values, strict=True))

    @classmethod
    def from_json(cls, found: Mapping[str, Any], word_count: int) -> ParsedDependencies | None:
        """Return the dependencies in the JSON of a sentence; None if it has none.

        A DependencyError says why they are not a tree over so many words.
        """
        if "heads" not in found:
            return None
        heads, relations, tags, probabilities = (tuple(found[key]) for key in KEYS[:4])
        if not len(heads) == len(relations) == len(tags) == len(probabilities) == word_count:
            raise DependencyError(
                f"not as many heads, relations, universal tags and probabilities as words: {word_count}"
            )
        if heads and (problem := Dependencies(heads, relations).problem):
            raise DependencyError(problem)
        return cls(heads, relations, tags, probabilities, *(found[key] for key in KEYS[4:]))
