"""Sentences through a network, many at a time, each result beside what it is of and in the order of the input."""

from __future__ import annotations

import itertools
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import ExitStack
from typing import ParamSpec, TypeVar

import numpy as np
from numpy.typing import NDArray

from spanlin.runtime.argument_checks import raise_if_not_words
from spanlin.runtime.backend import Backend
from spanlin.runtime.garbage import no_collections
from spanlin.runtime.input_rows import WordFeatures
from spanlin.runtime.sentences import RunBatch, Sentences
from spanlin.runtime.thread_switches import quick_switches
from spanlin.runtime.words import WordTable

_SMALL_SHARE = 16  # of a full batch
_MOST_WORDS = 500_000  # distinct words that are kept split; a longer stream starts to forget
_MOST_CHARACTERS = 10_000_000  # of those words; untrusted ones may be long

Item = TypeVar("Item")
Result = TypeVar("Result")
Made = TypeVar("Made")
P = ParamSpec("P")
_Batch = tuple[NDArray[np.int64], "Future[list[Result]]"]


class BatchRunner:
    """Runs a network in batches of like length, several side by side."""

    def __init__(self, features: WordFeatures, backend: Backend, *, workers: int) -> None:
        """Run what `backend` has; `features` are those of no words, by which its network knows them."""
        self.backend = backend
        self._workers = workers
        self._features = features
        self._table = WordTable(features)

    def run(
        self,
        items: Iterable[Item],
        words: Callable[[Item], Sequence[str]],
        outputs: Sequence[str],
        make: Callable[[RunBatch[Item]], list[Result]],
        *,
        batch_tokens: int = 0,
        before: int = 0,
    ) -> Iterator[tuple[Item, Result | None]]:
        """Yield each item and what `make` makes of it, in order; None for an item without words.

        `words` gives the words of an item. `make` gets batches with these outputs of the network (see
        `spanlin.runtime.backend`), in several threads, and returns a result for each sentence. While one chunk of items
        is handed out, the next one runs, so that memory does not grow with their number. `batch_tokens` is how many
        word pieces or positions, padding included, run together; 0 leaves it to the backend. `before` sentences came
        before these, for error messages. If `items` ends with an error, it is raised after all that came before.
        """
        source = iter(items)
        with ExitStack() as stack:
            if self.backend.device != "cpu":
                stack.enter_context(quick_switches())
            pool = stack.enter_context(ThreadPoolExecutor(self._workers, thread_name_prefix="spanlin"))
            started: deque[tuple[list[Item], list[_Batch[Result]]]] = deque()
            try:
                error = None
                while error is None:
                    chunk, error = _next_items(source, self.backend.chunk)
                    if not chunk:
                        break
                    sentences = self._read([words(item) for item in chunk], before)
                    # The longest first: none is left to run alone at the end.
                    batches = sentences.batches(
                        tokens=batch_tokens or self.backend.batch_tokens,
                        multiple=self.backend.multiple,
                        most=self.backend.most_sentences,
                        overhead=self.backend.batch_overhead,
                    )
                    # A thread takes longer to start than it saves where there is nothing to run beside.
                    is_alone = self.backend.device == "cpu" and not started and len(chunk) < self.backend.chunk
                    submit = _run_now if is_alone and len(batches) == 1 else pool.submit
                    running = []
                    for members in batches:
                        own = [chunk[member] for member in members.tolist()]
                        task = submit(self._run, sentences, members, own, before, outputs, make)
                        running.append((members, task))
                    started.append((chunk, running))
                    before += len(chunk)
                    if len(started) > 1:
                        yield from _in_order(*started.popleft())
                while started:
                    yield from _in_order(*started.popleft())
                if error is not None:
                    raise error
            finally:
                pool.shutdown(cancel_futures=True)

    def _read(self, chunk: list[Sequence[str]], before: int) -> Sentences:
        """Return a chunk of sentences as arrays, or raise a SpanlinError at the first that is not a list of words."""
        if len(self._table) > _MOST_WORDS or self._table.characters > _MOST_CHARACTERS:
            self._table = WordTable(self._features)
        if any(isinstance(sentence, str) for sentence in chunk):  # its letters would be taken for words
            raise_if_not_words(chunk, before=before)
        try:
            return Sentences(chunk, self._table)
        except (AttributeError, TypeError, ValueError):
            raise_if_not_words(chunk, before=before)
            raise

    def _run(  # noqa: PLR0917 (what a thread is given)
        self,
        sentences: Sentences,
        members: NDArray[np.int64],
        items: list[Item],
        before: int,
        outputs: Sequence[str],
        make: Callable[[RunBatch[Item]], list[Result]],
    ) -> list[Result]:
        """Return the results of one batch."""
        backend = self.backend
        is_small = int(sentences.sizes[members].sum()) * _SMALL_SHARE <= backend.batch_tokens
        multiple = backend.small_multiple if is_small else backend.multiple
        rows, counts = sentences.rows(members, multiple=multiple)
        found = backend.run(rows, counts, outputs)
        with no_collections():
            return make(RunBatch(sentences=sentences, members=members, items=items, before=before, found=found))


def _run_now(work: Callable[P, Made], *args: P.args, **kwargs: P.kwargs) -> Future[Made]:
    """Run some work in this thread, and return what a pool would."""
    done: Future[Made] = Future()
    done.set_result(work(*args, **kwargs))
    return done


def _next_items(source: Iterator[Item], count: int) -> tuple[list[Item], Exception | None]:
    """Return at most so many items, and the error that came after them, if any."""
    items: list[Item] = []
    try:
        for item in itertools.islice(source, count):
            items.append(item)
    except Exception as error:
        return items, error
    return items, None


def _in_order(chunk: list[Item], batches: list[_Batch[Result]]) -> Iterator[tuple[Item, Result | None]]:
    """Yield a chunk's items in their order, each with its result; those without words have none."""
    results: list[Result | None] = [None] * len(chunk)
    for numbers, future in batches:
        for number, result in zip(numbers.tolist(), future.result(), strict=True):
            results[number] = result
    yield from zip(chunk, results, strict=True)
