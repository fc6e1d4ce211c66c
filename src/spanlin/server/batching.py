"""Sentences of many requests joined into batches: a bounded queue, and workers that empty it.

Every worker has its own parser and its own core. When it is free it takes what is waiting, up to a budget, so batches
grow with the load, and no request waits for others to join it.
"""

from __future__ import annotations

import logging
import math
import threading
import time
from collections import deque
from collections.abc import Callable, Sequence

from spanlin.errors import SpanlinError
from spanlin.parser import Parser
from spanlin.server.jobs import PendingRequest, Work, run_together

_LOG = logging.getLogger(__name__)
_Piece = tuple[int, PendingRequest, int]  # ticket, request, and which of its sentences
_FIRST_RATE = 200.0  # sentences per second, until it is known


class QueueFullError(Exception):
    """The queue has no room for a request at the moment."""

    def __init__(self, waiting: int, seconds: int) -> None:
        super().__init__(f"{waiting} sentences are waiting already")
        self.seconds = seconds
        """When it is worth trying again."""


class Batcher:
    """Runs requests in worker threads, one for each parser; `on_batch` gets the number of sentences of each batch."""

    def __init__(
        self,
        parsers: Sequence[Parser],
        *,
        queue_sentences: int,
        queue_words: int,
        batch_words: int,
        on_batch: Callable[[int], None] = lambda _: None,
    ) -> None:
        self._queue_sentences = queue_sentences
        self._queue_words = queue_words
        self._batch_words = batch_words
        self._on_batch = on_batch
        self._work: dict[Work, deque[_Piece]] = {}
        self._tickets = 0
        self._waiting_words: dict[Work, int] = {}
        self._idle = 0
        self._closed = False
        self._changed = threading.Condition()
        self._rate = _FIRST_RATE
        self.waiting = 0
        """Sentences that no worker has taken yet."""
        self.accepted = 0
        """Requests that were let into the queue."""
        # Daemons, so that a batch that never ends cannot keep the process from exiting.
        self._threads = [
            threading.Thread(target=self._serve, args=(parser,), name=f"spanlin-worker-{number}", daemon=True)
            for number, parser in enumerate(parsers)
        ]

    def start(self) -> None:
        """Start the workers."""
        for thread in self._threads:
            thread.start()

    def add(self, request: PendingRequest) -> None:
        """Let a request into the queue or raise a QueueFullError."""
        count = len(request.sentences)
        with self._changed:
            words = sum(self._waiting_words.values()) + request.word_count
            if self.waiting + count > self._queue_sentences or words > self._queue_words:
                raise QueueFullError(self.waiting, max(1, math.ceil(self.waiting / self._rate)))
            self.accepted += 1
            if not count:
                request.put(())
                return
            pieces = self._work.setdefault(request.work, deque())
            for number in range(count):
                self._tickets += 1
                pieces.append((self._tickets, request, number))
            self._waiting_words[request.work] = self._waiting_words.get(request.work, 0) + request.word_count
            self.waiting += count
            self._changed.notify(min(count, len(self._threads)))

    def drop(self, request: PendingRequest) -> None:
        """Remove those sentences of a request that no worker has begun."""
        with self._changed:
            pieces = self._work.get(request.work, ())
            kept = deque(piece for piece in pieces if piece[1] is not request)
            self.waiting -= len(pieces) - len(kept)
            self._keep(request.work, kept)

    def close(self, *, seconds: float) -> None:
        """Let the workers finish what is in the queue, and wait for them at most so many seconds."""
        with self._changed:
            self._closed = True
            self._changed.notify_all()
        end = time.monotonic() + seconds
        for thread in self._threads:
            thread.join(max(0.0, end - time.monotonic()))

    def _keep(self, work: Work, pieces: deque[_Piece]) -> None:
        if pieces:
            self._work[work] = pieces
            self._waiting_words[work] = sum(len(request.sentences[number]) for _, request, number in pieces)
        else:
            self._work.pop(work, None)
            self._waiting_words.pop(work, None)

    def _take(self) -> list[tuple[PendingRequest, int]]:
        """Return what a worker runs next, oldest first, all of one kind; nothing after `close`, when all is done."""
        with self._changed:
            self._idle += 1
            while not self._work and not self._closed:
                self._changed.wait()
            idle, self._idle = self._idle, self._idle - 1
            if not self._work:
                return []
            work = min(self._work, key=lambda kind: self._work[kind][0][0])
            pieces = self._work[work]
            # A fair share of what is waiting, so that no core idles while another runs a long batch.
            budget = min(self._batch_words, math.ceil(self._waiting_words[work] / idle))
            taken = _alike(pieces, budget) if work.plain else _whole_requests(pieces, budget)
            left = set(map(id, taken))
            self.waiting -= len(taken)
            self._keep(work, deque(piece for piece in pieces if id(piece) not in left))
            return [(request, number) for _, request, number in taken]

    def _serve(self, parser: Parser) -> None:
        while taken := self._take():
            start = time.perf_counter()
            _run(parser, taken)
            elapsed = time.perf_counter() - start
            self._rate += 0.1 * (len(self._threads) * len(taken) / elapsed - self._rate)
            self._on_batch(len(taken))


def _run(parser: Parser, taken: list[tuple[PendingRequest, int]]) -> None:
    """Parse a batch; if a sentence is at fault, only its request fails. A worker survives whatever happens here."""
    requests = list(dict.fromkeys(request for request, _ in taken))
    try:
        run_together(parser, taken)
    except Exception as error:
        if len(requests) == 1:
            if not isinstance(error, SpanlinError):
                _LOG.exception("a batch failed")
            requests[0].fail(error)
            return
        for request in requests:
            _run(parser, [piece for piece in taken if piece[0] is request])


def _whole_requests(pieces: Sequence[_Piece], budget: int) -> list[_Piece]:
    """Return the oldest request and as many after it as the budget allows; whole, as errors count their sentences."""
    taken: list[_Piece] = []
    for piece in pieces:
        request = piece[1]
        if not taken or request is not taken[-1][1]:
            budget -= request.word_count
            if taken and budget < 0:
                break
        taken.append(piece)
    return taken


def _alike(pieces: Sequence[_Piece], budget: int) -> list[_Piece]:
    """Return the oldest sentence, and as many words of those closest to it in length as the budget allows.

    Sentences of one length run together without padding.
    """
    lengths = [len(request.sentences[number]) for _, request, number in pieces]
    order = sorted(range(len(pieces)), key=lambda place: abs(lengths[place] - lengths[0]))
    taken: list[_Piece] = []
    for place in order:
        budget -= lengths[place]
        if taken and budget < 0:
            break
        taken.append(pieces[place])
    return taken
