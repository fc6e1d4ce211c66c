"""A parser that gives dependencies with its trees, made up by a rule: for tests of what is done with them."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from spanlin.decoding import Constraints, decode_heads
from spanlin.model_folder.folder import ModelFolder
from spanlin.parsed import Parsed
from spanlin.parsed_dependencies import ParsedDependencies
from spanlin.parser import Parser
from spanlin.runtime.backend import Backend
from spanlin.runtime.options import ParseOptions

LIKE_UD = {
    "She loves writing code .": (
        (2, 0, 2, 3, 2),
        ("nsubj", "root", "xcomp", "obj", "punct"),
        ("PRON", "VERB", "VERB", "NOUN", "PUNCT"),
    ),
    "I saw the man with the telescope in the park near the old bank yesterday .": (
        (2, 0, 4, 2, 7, 7, 2, 10, 10, 2, 14, 14, 14, 10, 2, 2),
        (
            *("nsubj", "root", "det", "obj", "case", "det", "obl", "case"),
            *("det", "obl", "case", "det", "amod", "nmod", "advmod", "punct"),
        ),
        (
            *("PRON", "VERB", "DET", "NOUN", "ADP", "DET", "NOUN", "ADP"),
            *("DET", "NOUN", "ADP", "DET", "ADJ", "NOUN", "ADV", "PUNCT"),
        ),
    ),
}
"""Sentences whose dependencies are as a treebank would have them."""


def dependencies_of(words: Sequence[str]) -> ParsedDependencies:
    """Return those of a sentence above, each arc somewhat less probable than the one before, or made-up ones."""
    if " ".join(words) not in LIKE_UD:
        return first_word_governs(words)
    heads, relations, tags = LIKE_UD[" ".join(words)]
    return ParsedDependencies(heads, relations, tags, tuple(1 - 0.06 * place for place in range(len(words))), True)


def first_word_governs(words: Sequence[str]) -> ParsedDependencies:
    """Return dependencies in which the first word governs all others."""
    others = len(words) - 1
    if others < 0:
        return ParsedDependencies((), (), (), (), True)
    return ParsedDependencies(
        heads=(0,) + (1,) * others,
        relations=("root",) + ("obj",) * others,
        universal_tags=("VERB",) + ("NOUN",) * others,
        arc_probabilities=(1.0,) + (0.75,) * others,
        certified=True,
    )


class ParserWithHeads(Parser):
    """A parser of any model; its trees are the model's, its dependencies are not."""

    def __init__(self, folder: ModelFolder, backend: Backend, **options: Any) -> None:
        super().__init__(folder, backend, **options)
        self._plain = Parser(folder, backend, **options)
        self.folder = replace(folder, relations=("root", "dep"), universal_tags=("NOUN", "VERB"))

    def _parsed(
        self,
        items: Iterable[Any],
        words: Callable[[Any], Sequence[str]],
        wanted: Callable[[Any], Constraints | None],
        options: ParseOptions,
        *,
        constrained: bool,
        before: int = 0,
    ) -> Generator[tuple[Any, Parsed]]:
        def of_constituents(item: Any) -> Constraints | None:
            found = wanted(item)
            return found and Constraints(found.required, found.forbidden)

        found = self._plain._parsed(items, words, of_constituents, options, constrained=constrained, before=before)
        for item, parsed in found:
            parsed.dependencies = _obeying(dependencies_of(parsed.words), wanted(item))
            yield item, parsed


def _obeying(found: ParsedDependencies, constraints: Constraints | None) -> ParsedDependencies:
    """Return dependencies with as few other heads as the constraints allow, those of near words rather than of far."""
    if not constraints or not constraints.arcs:
        return found
    count = len(found.heads)
    words, places = np.arange(1, count + 1)[:, np.newaxis], np.arange(count + 1)
    scores = -10.0 - np.abs(words - places)
    scores[np.arange(count), list(found.heads)] = 0.0
    heads = decode_heads(scores, constraints=constraints.arcs).heads
    is_same = [one == other for one, other in zip(heads, found.heads, strict=True)]
    relations = (
        relation if same else ("root" if head == 0 else "dep")
        for relation, same, head in zip(found.relations, is_same, heads, strict=True)
    )
    return replace(found, heads=heads, relations=tuple(relations))
