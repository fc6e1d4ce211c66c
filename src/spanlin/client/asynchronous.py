"""The client to be awaited, which has several requests under way at a time."""

from __future__ import annotations

import asyncio
import itertools
from collections import deque
from collections.abc import AsyncIterator, Iterable, Iterator, Sequence
from types import TracebackType
from typing import Any, overload

import httpx

from spanlin.client.batches import Batch, text_batches, token_batches
from spanlin.client.protocol import ServiceModel, ServiceProtocol, evaluation_body, read_model
from spanlin.decoding.constituents import Constraints
from spanlin.errors import ConfigError, RequestTooLargeError
from spanlin.parsed import Parsed
from spanlin.runtime.argument_checks import check_sentences, check_text
from spanlin.runtime.options import ParseOptions
from spanlin.sentence_constraints import pair_constraints
from spanlin.trees.tree import Tree

_PLAIN = ParseOptions()


class AsyncClient:
    """A `Client` whose methods are awaited, and whose streams are for `async for`.

    Up to `concurrency` requests of a stream, or of a long list, are under way at a time; results come in order.
    """

    def __init__(
        self,
        address: str = "http://127.0.0.1:8000",
        *,
        token: str | None = "",
        timeout: float = 60.0,
        retries: int = 3,
        concurrency: int = 4,
    ) -> None:
        if concurrency < 1:
            raise ConfigError(f"concurrency must be at least 1, got {concurrency}")
        self._protocol = ServiceProtocol(address, token=token, timeout=timeout, retries=retries)
        self._http = httpx.AsyncClient(**self._protocol.connection())
        self._concurrency = concurrency

    @overload
    async def parse(self, text: str, options: ParseOptions = ...) -> list[Parsed]: ...

    @overload
    async def parse(self, text: list[str] | tuple[str, ...], options: ParseOptions = ...) -> list[list[Parsed]]: ...

    async def parse(
        self, text: str | list[str] | tuple[str, ...], options: ParseOptions = _PLAIN
    ) -> list[Parsed] | list[list[Parsed]]:
        """Return the parses of a text's sentences, in order, or for a list of texts a list of parses for each."""
        check_text(text)
        if isinstance(text, str):
            return [parsed async for parses in self.stream_texts([text], options) for parsed in parses]
        return [parses async for parses in self.stream_texts(text, options)]

    async def stream_texts(self, texts: Iterable[str], options: ParseOptions = _PLAIN) -> AsyncIterator[list[Parsed]]:
        """Yield the parses of each of any number of texts, some of which go into one request."""
        async for parses in self._in_order(text_batches(texts, options)):
            yield parses

    async def parse_tokens(
        self,
        sentences: Iterable[Sequence[str]],
        options: ParseOptions = _PLAIN,
        *,
        constraints: Iterable[Constraints | None] | None = None,
    ) -> list[Parsed]:
        """Return the parse of each tokenized sentence; `constraints` are one or None for each."""
        return [parsed async for parsed in self.stream_tokens(sentences, options, constraints=constraints)]

    async def stream_tokens(
        self,
        sentences: Iterable[Sequence[str]],
        options: ParseOptions = _PLAIN,
        *,
        constraints: Iterable[Constraints | None] | None = None,
    ) -> AsyncIterator[Parsed]:
        """Yield the parse of each of any number of tokenized sentences, some of which go into one request."""
        check_sentences(sentences)
        async for parses in self._in_order(token_batches(pair_constraints(sentences, constraints), options)):
            for parsed in parses:
                yield parsed

    async def evaluate(self, gold: Iterable[Tree | str], predicted: Iterable[Tree | str]) -> dict[str, Any]:
        """Return the score of predicted trees, as EVALB counts: the JSON of `POST /v1/evaluate`."""
        body = evaluation_body(gold, predicted)
        found: dict[str, Any] = await self._ask("POST", "/v1/evaluate", body)
        return found

    async def model(self) -> ServiceModel:
        """Return what the service says of its model and its limits."""
        return read_model(await self._ask("GET", "/v1/model"))

    async def close(self) -> None:
        """Close the connections; an `async with` does so too."""
        await self._http.aclose()

    async def __aenter__(self) -> AsyncClient:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        await self.close()

    async def _in_order(self, batches: Iterator[Batch]) -> AsyncIterator[list[Parsed]]:
        """Yield the parses of each item of the batches; while one is handed out, the next ones are under way."""
        running: deque[asyncio.Task[list[list[Parsed]]]] = deque()
        try:
            while True:
                for batch in itertools.islice(batches, self._concurrency - len(running)):
                    running.append(asyncio.create_task(self._parsed(batch)))
                if not running:
                    return
                for parses in await running[0]:
                    yield parses
                running.popleft()
        finally:
            for task in running:
                task.cancel()
            await asyncio.gather(*running, return_exceptions=True)

    async def _parsed(self, batch: Batch) -> list[list[Parsed]]:
        try:
            return batch.read(await self._ask("POST", "/v1/parse", batch.body()))
        except RequestTooLargeError:
            halves = batch.halves()
            if halves is None:
                raise
        return [parses for half in halves for parses in await self._parsed(half)]

    async def _ask(self, method: str, path: str, body: Any = None) -> Any:
        request = self._protocol.request(method, path, body)
        for tries in itertools.count(1):
            try:
                response = await self._http.request(**request)
            except httpx.HTTPError as error:
                raise self._protocol.failed(error) from error
            seconds = self._protocol.wait(response, tries)
            if seconds is None:
                return self._protocol.read(response)
            await asyncio.sleep(seconds)
        raise AssertionError  # the protocol says at some time that it is enough
