"""Texts or tokenized sentences in batches, each the body of one request, and the parses in its answer."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any, Literal, TypeVar

from spanlin.decoding.constituents import Constraints
from spanlin.errors import ServiceError, SpanlinError
from spanlin.parsed import Parsed
from spanlin.runtime.argument_checks import check_texts, raise_if_not_words
from spanlin.runtime.options import ParseOptions
from spanlin.trees.tree import LabelledSpan

# Well within the service's usual limits; where it has lower ones, batches are halved.
_MOST_ITEMS = 200
_MOST_CHARACTERS = 100_000

_Item = TypeVar("_Item")


@dataclass(frozen=True)
class Batch:
    """What one request asks for. `constraints` are one or None per sentence, or empty."""

    kind: Literal["texts", "tokens"]
    items: Sequence[str] | Sequence[Sequence[str]]
    options: ParseOptions
    constraints: Sequence[Constraints | None] = ()

    def body(self) -> dict[str, Any]:
        """Return the request as JSON has it; what is as usual is left out."""
        usual = asdict(ParseOptions())
        found = {key: value for key, value in asdict(self.options).items() if value != usual[key]}
        constraints = [{"item": item, **_wishes(wanted)} for item, wanted in enumerate(self.constraints) if wanted]
        return {self.kind: list(self.items), **found, **({"constraints": constraints} if constraints else {})}

    def halves(self) -> tuple[Batch, Batch] | None:
        """Return both halves, to be sent if the service says that this is too large; None for a single item."""
        middle = len(self.items) // 2
        if not middle:
            return None
        return (
            replace(self, items=self.items[:middle], constraints=self.constraints[:middle]),
            replace(self, items=self.items[middle:], constraints=self.constraints[middle:]),
        )

    def read(self, answer: Any) -> list[list[Parsed]]:
        """Return the parses of each item's sentences."""
        try:
            found = [[Parsed.from_json(one) for one in result["sentences"]] for result in answer["results"]]
        except (KeyError, TypeError, SpanlinError) as error:
            raise ServiceError(f"not an answer of a spanlin service: {error!r:.120}") from error
        if len(found) != len(self.items):
            raise ServiceError(f"not an answer of a spanlin service: {len(found)} results for {len(self.items)} items")
        return found


def text_batches(texts: Iterable[str], options: ParseOptions) -> Iterator[Batch]:
    """Yield any number of texts in batches."""
    ParseOptions.check(options)
    check_texts(texts)
    for group in _groups((text, len(text)) for text in texts):
        yield Batch("texts", group, options)


def token_batches(
    sentences: Iterable[tuple[Sequence[str], Constraints | None]], options: ParseOptions
) -> Iterator[Batch]:
    """Yield any number of tokenized sentences, each with its constraints or None, in batches."""
    ParseOptions.check(options)
    sized = (((words, wanted), sum(map(len, words)) + 4 * len(words)) for words, wanted in _checked(sentences))
    for group in _groups(sized):
        words, constraints = zip(*group, strict=True)
        yield Batch("tokens", words, options, constraints if any(constraints) else ())


def _checked(
    sentences: Iterable[tuple[Sequence[str], Constraints | None]],
) -> Iterator[tuple[Sequence[str], Constraints | None]]:
    for number, (words, wanted) in enumerate(sentences):
        raise_if_not_words([words], before=number)
        yield list(words), wanted


def _groups(sized: Iterable[tuple[_Item, int]]) -> Iterator[list[_Item]]:
    """Yield items in groups of a size that one request may have."""
    group: list[_Item] = []
    total = 0
    for item, size in sized:
        if group and (len(group) == _MOST_ITEMS or total + size > _MOST_CHARACTERS):
            yield group
            group, total = [], 0
        group.append(item)
        total += size
    if group:
        yield group


def _wishes(wanted: Constraints) -> dict[str, list[list[Any]]]:
    found = {"required": _spans(wanted.required), "forbidden": _spans(wanted.forbidden)}
    arcs = {"required_arcs": wanted.required_arcs, "forbidden_arcs": wanted.forbidden_arcs}
    return found | {key: [list(arc) for arc in given] for key, given in arcs.items() if given}


def _spans(found: Iterable[LabelledSpan]) -> list[list[Any]]:
    return [[left, right, label] if label else [left, right] for left, right, label in found]
