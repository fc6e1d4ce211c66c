"""What the service reports to Prometheus."""

from __future__ import annotations

from collections.abc import Callable

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, ProcessCollector, generate_latest
from prometheus_client.exposition import CONTENT_TYPE_LATEST

CONTENT_TYPE = CONTENT_TYPE_LATEST
_SECONDS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30)
_SENTENCES = (1, 2, 4, 8, 16, 32, 64, 128, 256, 512)


class Metrics:
    """The figures of one service, in their own registry."""

    def __init__(self, waiting: Callable[[], int]) -> None:
        self._registry = CollectorRegistry()
        ProcessCollector(registry=self._registry)
        self._requests = Counter(
            "spanlin_requests", "Requests that were answered.", ["route", "status"], registry=self._registry
        )
        self._seconds = Histogram(
            "spanlin_request_seconds",
            "Seconds from a request's start to the end of its answer.",
            ["route"],
            buckets=_SECONDS,
            registry=self._registry,
        )
        self._batches = Histogram(
            "spanlin_batch_sentences", "Sentences that ran together.", buckets=_SENTENCES, registry=self._registry
        )
        self._sentences = Counter("spanlin_sentences", "Sentences that were parsed.", registry=self._registry)
        queue = Gauge("spanlin_queue_sentences", "Sentences that wait for a worker.", registry=self._registry)
        queue.set_function(waiting)

    def answered(self, route: str, status: int, seconds: float) -> None:
        """Count an answered request."""
        self._requests.labels(route, str(status)).inc()
        self._seconds.labels(route).observe(seconds)

    def parsed(self, sentences: int) -> None:
        """Count a batch."""
        self._batches.observe(sentences)
        self._sentences.inc(sentences)

    def text(self) -> bytes:
        """Return all figures in Prometheus' text format."""
        return generate_latest(self._registry)
