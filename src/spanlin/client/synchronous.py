"""The client that waits."""

from __future__ import annotations

import itertools
import time
from collections.abc import Iterable, Iterator, Sequence
from types import TracebackType
from typing import Any, overload

import httpx

from spanlin.client.batches import Batch, text_batches, token_batches
from spanlin.client.protocol import ServiceModel, ServiceProtocol, evaluation_body, read_model
from spanlin.decoding.constituents import Constraints
from spanlin.errors import RequestTooLargeError
from spanlin.parsed import Parsed
from spanlin.runtime.argument_checks import check_sentences, check_text
from spanlin.runtime.options import ParseOptions
from spanlin.sentence_constraints import pair_constraints
from spanlin.trees.tree import Tree

_PLAIN = ParseOptions()


class Client:
    """A client of the service at an address, with the methods of `Parser` that a service has.

    `timeout` is how many seconds to wait for an answer. A service that is busy is asked again, up to `retries` times
    and after as many seconds as it says, at most 30. Threads may share a client. Every error is a `ServiceError`, or
    another `SpanlinError` if what was given can be no request.
    """

    def __init__(
        self, address: str = "http://127.0.0.1:8000", *, token: str | None = "", timeout: float = 60.0, retries: int = 3
    ) -> None:
        self._protocol = ServiceProtocol(address, token=token, timeout=timeout, retries=retries)
        self._http = httpx.Client(**self._protocol.connection())

    @overload
    def parse(self, text: str, options: ParseOptions = ...) -> list[Parsed]: ...

    @overload
    def parse(self, text: list[str] | tuple[str, ...], options: ParseOptions = ...) -> list[list[Parsed]]: ...

    def parse(
        self, text: str | list[str] | tuple[str, ...], options: ParseOptions = _PLAIN
    ) -> list[Parsed] | list[list[Parsed]]:
        """Return the parses of a text's sentences, in order, or for a list of texts a list of parses for each."""
        check_text(text)
        if isinstance(text, str):
            return next(self.stream_texts([text], options))
        return list(self.stream_texts(text, options))

    def stream_texts(self, texts: Iterable[str], options: ParseOptions = _PLAIN) -> Iterator[list[Parsed]]:
        """Yield the parses of each of any number of texts, some of which go into one request."""
        return (parses for batch in text_batches(texts, options) for parses in self._parsed(batch))

    def parse_tokens(
        self,
        sentences: Iterable[Sequence[str]],
        options: ParseOptions = _PLAIN,
        *,
        constraints: Iterable[Constraints | None] | None = None,
    ) -> list[Parsed]:
        """Return the parse of each tokenized sentence; `constraints` are one or None for each."""
        return list(self.stream_tokens(sentences, options, constraints=constraints))

    def stream_tokens(
        self,
        sentences: Iterable[Sequence[str]],
        options: ParseOptions = _PLAIN,
        *,
        constraints: Iterable[Constraints | None] | None = None,
    ) -> Iterator[Parsed]:
        """Yield the parse of each of any number of tokenized sentences, some of which go into one request."""
        check_sentences(sentences)
        batches = token_batches(pair_constraints(sentences, constraints), options)
        return (parsed for batch in batches for parses in self._parsed(batch) for parsed in parses)

    def evaluate(self, gold: Iterable[Tree | str], predicted: Iterable[Tree | str]) -> dict[str, Any]:
        """Return the score of predicted trees, as EVALB counts: the JSON of `POST /v1/evaluate`."""
        body = evaluation_body(gold, predicted)
        found: dict[str, Any] = self._ask("POST", "/v1/evaluate", body)
        return found

    def model(self) -> ServiceModel:
        """Return what the service says of its model and its limits."""
        return read_model(self._ask("GET", "/v1/model"))

    def close(self) -> None:
        """Close the connections; a `with` does so too."""
        self._http.close()

    def __enter__(self) -> Client:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.close()

    def _parsed(self, batch: Batch) -> list[list[Parsed]]:
        try:
            return batch.read(self._ask("POST", "/v1/parse", batch.body()))
        except RequestTooLargeError:
            halves = batch.halves()
            if halves is None:
                raise
        return [parses for half in halves for parses in self._parsed(half)]

    def _ask(self, method: str, path: str, body: Any = None) -> Any:
        request = self._protocol.request(method, path, body)
        for tries in itertools.count(1):
            try:
                response = self._http.request(**request)
            except httpx.HTTPError as error:
                raise self._protocol.failed(error) from error
            seconds = self._protocol.wait(response, tries)
            if seconds is None:
                return self._protocol.read(response)
            time.sleep(seconds)
        raise AssertionError  # the protocol says at some time that it is enough
