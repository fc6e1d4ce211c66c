"""A request's sentences on their way through the queue, and what a parser is asked to do with them."""

from __future__ import annotations

import contextlib
import threading
from asyncio import AbstractEventLoop, Future
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from spanlin.compact_json import compact_json
from spanlin.decoding import Constraints
from spanlin.parsed import Parsed
from spanlin.parser import Parser
from spanlin.runtime.options import ParseOptions
from spanlin.text import Sentence


class Work(NamedTuple):
    """What is asked for; sentences of one kind of work run together."""

    trees_only: bool = False
    options: ParseOptions = ParseOptions()
    constrained: bool = False

    @property
    def plain(self) -> bool:
        """Whether the tree that the network gives is all that is needed."""
        return self._replace(trees_only=False) == Work()


class PendingRequest:
    """Sentences of one request. `done` is its future, in the event loop; other threads only put and fail."""

    def __init__(
        self,
        work: Work,
        sentences: Sequence[Sequence[str]],
        *,
        found: Sequence[Sentence] = (),
        constraints: Sequence[Constraints | None] = (),
        loop: AbstractEventLoop,
    ) -> None:
        self.work = work
        self.sentences = sentences
        self.found = found
        self.constraints = constraints
        self.word_count = sum(map(len, sentences))
        self.done: Future[list[bytes]] = loop.create_future()
        self._results: list[bytes] = [b""] * len(sentences)
        self._left = len(sentences)
        self._lock = threading.Lock()
        self._loop = loop

    def put(self, results: Sequence[tuple[int, bytes]]) -> None:
        """Keep what came out for some sentences; with the last of them, the request is."""
        with self._lock:  # two workers may have sentences of one request
            for number, result in results:
                self._results[number] = result
            self._left -= len(results)
            is_last = not self._left
        if is_last:
            self._call(lambda: self.done.set_result(self._results))

    def fail(self, error: Exception) -> None:
        """Give the request up because of an error."""
        self._call(lambda: self.done.set_exception(error))

    def _call(self, settle: Callable[[], None]) -> None:
        # The request may have been given up in the meantime, and the whole service too.
        with contextlib.suppress(RuntimeError):
            self._loop.call_soon_threadsafe(lambda: None if self.done.done() else settle())


def run_together(parser: Parser, taken: Sequence[tuple[PendingRequest, int]]) -> None:
    """Parse sentences of some requests, all of one kind of work, and put the results there."""
    work = taken[0][0].work
    sentences = [job.sentences[number] for job, number in taken]
    # All of it before the first result is put anywhere: after an error they are run again.
    if work.trees_only and work.plain:
        lines = list(parser.bracket_lines(sentences))
    else:
        found = list(_parses(parser, work, sentences, taken))
        lines = [parsed.brackets() for parsed in found] if work.trees_only else []
    results: dict[PendingRequest, list[tuple[int, bytes]]] = {}
    for place, (job, number) in enumerate(taken):
        result = compact_json(lines[place]) if lines else _written(found[place], job, number)
        results.setdefault(job, []).append((number, result))
    for job, numbered in results.items():
        job.put(numbered)


def _parses(
    parser: Parser, work: Work, sentences: Sequence[Sequence[str]], taken: Sequence[tuple[PendingRequest, int]]
) -> Iterator[Parsed]:
    constraints = [job.constraints[number] for job, number in taken] if work.constrained else None
    return parser.stream_tokens(sentences, work.options, constraints=constraints)


def _written(parsed: Parsed, job: PendingRequest, number: int) -> bytes:
    """Return a sentence as JSON; only the request knows where its words stand in a text, if it is from one."""
    if job.found:
        parsed.sentence = job.found[number]
    return compact_json(parsed.to_json())
