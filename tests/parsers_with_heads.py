"""A parser that gives dependencies with its trees, made up by a rule: for tests of what is done with them."""

from __future__ import annotations

from collections.abc import Generator, Sequence
from typing import Any

from spanlin.model_folder.folder import ModelFolder
from spanlin.parsed import Parsed
from spanlin.parsed_dependencies import ParsedDependencies
from spanlin.parser import Parser
from spanlin.runtime.backend import Backend


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

    @property
    def has_dependencies(self) -> bool:
        """Return True, whatever the model."""
        return True

    def _parsed(self, *arguments: Any, **options: Any) -> Generator[tuple[Any, Parsed]]:
        for item, parsed in self._plain._parsed(*arguments, **options):
            parsed.dependencies = first_word_governs(parsed.words)
            yield item, parsed
