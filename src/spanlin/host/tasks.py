"""What processes do with a block of sentences: a task is sent there with the block, and its result comes back."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any, Generic, NamedTuple, Protocol, TypeVar

from spanlin.host.packed_parses import PackedParses, pack_parses
from spanlin.parsed import Parsed
from spanlin.runtime.options import ParseOptions
from spanlin.text import Sentence

BLOCK_SENTENCES = 2048
_BLOCK_WORDS = 50_000

Item = TypeVar("Item")
Result = TypeVar("Result")


class BlockParser(Protocol):
    """What tasks need of a `Parser`."""

    def parse_items_here(
        self,
        items: Iterable[Item],
        words: Callable[[Item], Sequence[str]],
        options: ParseOptions = ...,
        *,
        before: int = ...,
    ) -> Iterator[tuple[Item, Parsed]]:
        """Yield each item with the parse of its words, made in this process."""
        ...

    def bracket_items_here(
        self,
        items: Iterable[Item],
        words: Callable[[Item], Sequence[str]],
        *,
        batch_tokens: int = ...,
        before: int = ...,
    ) -> Iterator[tuple[Item, str]]:
        """Yield each item with the tree of its words as a line of brackets, made in this process."""
        ...


class Block(Protocol):
    """Sentences of a text."""

    def sentences(self) -> Iterator[Sentence]:
        """Yield the sentences."""
        ...


class TokenBlock(NamedTuple):
    """Tokenized sentences."""

    given: list[Sequence[str]]


class Answer(NamedTuple, Generic[Result]):
    """What a task made of a block, and how many sentences that has."""

    sentences: int
    result: Result


class TaskError(Exception):
    """What a task raised in another process: the message, and whether what was given is at fault, not the process."""

    def __init__(self, message: str, is_mistake: bool) -> None:
        super().__init__(message, is_mistake)  # all of it, as it is pickled
        self.message = message
        self.is_mistake = is_mistake

    def __str__(self) -> str:
        return self.message


class Task(Protocol[Result]):
    """Work on a block with a parser; `before` sentences came before it, which only error messages tell."""

    def __call__(self, parser: BlockParser, block: Any, before: int) -> Answer[Result]:
        """Return what comes of it."""
        ...


@dataclass(frozen=True)
class Brackets:
    """Makes a line of brackets of each sentence."""

    batch_tokens: int = 0

    def __call__(self, parser: BlockParser, block: Block | TokenBlock, before: int) -> Answer[list[str]]:
        """Return the lines."""
        words = _words(block)
        pairs = parser.bracket_items_here(words, lambda one: one, batch_tokens=self.batch_tokens, before=before)
        return Answer(len(words), [line for _, line in pairs])


@dataclass(frozen=True)
class Parses:
    """Parses each sentence."""

    options: ParseOptions

    def __call__(self, parser: BlockParser, block: Block | TokenBlock, before: int) -> Answer[PackedParses]:
        """Return the parses."""
        parses = list(_parses(parser, block, self.options, before))
        return Answer(len(parses), pack_parses(parses))


@dataclass(frozen=True)
class Made(Generic[Result]):
    """Parses each sentence and makes something of the parse."""

    make: Callable[[Parsed], Result]
    options: ParseOptions

    def __call__(self, parser: BlockParser, block: Block | TokenBlock, before: int) -> Answer[list[Result]]:
        """Return what is made."""
        made = [self.make(parsed) for parsed in _parses(parser, block, self.options, before)]
        return Answer(len(made), made)


def _words(block: Block | TokenBlock) -> list[Sequence[str]]:
    return block.given if isinstance(block, TokenBlock) else [sentence.words for sentence in block.sentences()]


def _parses(parser: BlockParser, block: Block | TokenBlock, options: ParseOptions, before: int) -> Iterator[Parsed]:
    if isinstance(block, TokenBlock):
        for _, parsed in parser.parse_items_here(block.given, lambda words: words, options, before=before):
            yield parsed
        return
    found = parser.parse_items_here(block.sentences(), lambda sentence: sentence.words, options, before=before)
    for sentence, parsed in found:
        parsed.sentence = sentence
        yield parsed


def token_blocks(
    items: Iterable[Item], words: Callable[[Item], Sequence[str]]
) -> Iterator[tuple[list[Item], TokenBlock]]:
    """Yield items with their words, many at a time: fewer of them where sentences are long."""
    source = iter(items)
    while first := list(islice(source, 1)):
        own, given, size = first, [words(first[0])], 0
        error = None
        try:
            for item in source:
                given.append(words(item))
                own.append(item)
                try:
                    size += len(given[-1])
                except TypeError:  # no sentence, as will be said of it
                    break
                if len(own) >= BLOCK_SENTENCES or size >= _BLOCK_WORDS:
                    break
        except Exception as caught:  # raised after all that came before
            error = caught
        yield own, TokenBlock(given)
        if error is not None:
            raise error
