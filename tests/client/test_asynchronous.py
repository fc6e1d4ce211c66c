from __future__ import annotations

import asyncio
import itertools
import json
from collections.abc import Awaitable, Callable
from typing import Any, TypeVar

import pytest

from client.conftest import TOKEN, Scripted
from spanlin.client import AsyncClient
from spanlin.client.batches import Batch
from spanlin.decoding import Constraints
from spanlin.errors import (
    ConfigError,
    RequestTooLargeError,
    ServiceBusyError,
    ServiceDownError,
    ServiceTokenError,
    SpanlinError,
)
from spanlin.parsed import Parsed
from spanlin.parser import Parser
from spanlin.runtime.options import ParseOptions

TEXTS = ["The dog didn't\nbark. Why (not)?", "", "She saw the man with the telescope."]
BUSY = json.dumps({"error": {"code": "overloaded", "message": "many are waiting"}}).encode()

Found = TypeVar("Found")


def run(address: str, ask: Callable[[AsyncClient], Awaitable[Found]], **settings: Any) -> Found:
    """Return what a client gets, asked in a new event loop."""

    async def main() -> Found:
        async with AsyncClient(address, **settings) as client:
            return await ask(client)

    return asyncio.run(main())


def test_the_client_gives_what_the_parser_gives(address: str, parser: Parser) -> None:
    options = ParseOptions(k_best=2)
    words = [["She", "saw", "it"], []]
    wanted = [Constraints(required=[(1, 3, "VP")]), None]

    async def ask(client: AsyncClient) -> list[Any]:
        return [
            await client.parse(TEXTS[0]),
            await client.parse(TEXTS),
            await client.parse([]),
            await client.parse(TEXTS[2], options),
            await client.parse_tokens(words, constraints=wanted),
        ]

    assert run(address, ask, token=TOKEN) == [
        parser.parse(TEXTS[0]),
        parser.parse(TEXTS),
        [],
        parser.parse(TEXTS[2], options),
        parser.parse_tokens(words, constraints=wanted),
    ]


def test_trees_are_scored_and_the_model_is_described(address: str) -> None:
    async def ask(client: AsyncClient) -> tuple[float, str]:
        tree = "(S (A a) (B b))"
        return (await client.evaluate([tree], [tree]))["f1"], (await client.model()).name

    assert run(address, ask, token=TOKEN) == (100, "en")


def test_several_requests_are_under_way_and_their_results_come_in_order(
    address: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    under_way, most = 0, 0
    ask_once = AsyncClient._ask

    async def counted(client: AsyncClient, *request: Any) -> Any:
        nonlocal under_way, most
        under_way += 1
        most = max(most, under_way)
        try:
            return await ask_once(client, *request)
        finally:
            under_way -= 1

    monkeypatch.setattr(AsyncClient, "_ask", counted)
    taken = itertools.count()

    async def ask(client: AsyncClient) -> list[Parsed]:
        found: list[Parsed] = []
        async for parsed in client.stream_tokens(["word", str(number)] for number in taken):
            found.append(parsed)
            if len(found) == 700:
                break
        return found

    found = run(address, ask, token=TOKEN, concurrency=3)
    assert [parsed.words[1] for parsed in found] == list(map(str, range(700)))
    assert most == 3
    assert next(taken) <= 200 * 7 + 1  # what is under way, and one more to see that a batch is full


def test_batches_are_halved_until_the_service_takes_them(small_address: str) -> None:
    found = run(small_address, lambda client: client.parse_tokens([["a", str(number)] for number in range(20)]))
    assert [parsed.words[1] for parsed in found] == list(map(str, range(20)))
    with pytest.raises(RequestTooLargeError, match="more than 3 sentences"):
        run(small_address, lambda client: client.parse("One. Two. Three. Four."))


def test_errors_are_those_of_the_other_client(address: str) -> None:
    with pytest.raises(ServiceTokenError, match="the token is missing or wrong"):
        run(address, lambda client: client.parse("Yes."))
    with pytest.raises(ServiceDownError, match="no service can be reached"):
        run("http://127.0.0.1:1", lambda client: client.model())
    with pytest.raises(SpanlinError, match=r"sentences\[0\] is a string"):
        run(address, lambda client: client.parse_tokens(["Dogs"]), token=TOKEN)
    with pytest.raises(ConfigError, match="concurrency must be at least 1, got 0"):
        AsyncClient(concurrency=0)


def test_a_busy_service_is_asked_again_when_it_says(monkeypatch: pytest.MonkeyPatch) -> None:
    slept: list[float] = []
    sleep = asyncio.sleep

    async def note(seconds: float) -> None:
        slept.append(seconds)
        await sleep(0)

    monkeypatch.setattr("spanlin.client.asynchronous.asyncio.sleep", note)
    good: tuple[int, dict[str, str], bytes] = (200, {}, b'{"results": [{"sentences": []}]}')
    with Scripted([(503, {"Retry-After": "5"}, BUSY), good]).run() as service:
        assert run(service.address, lambda client: client.parse("Yes.")) == []
    assert 5 in slept
    with (
        Scripted([(503, {}, BUSY)]).run() as service,
        pytest.raises(ServiceBusyError, match=r"many are waiting \(after 2 tries\)$"),
    ):
        run(service.address, lambda client: client.parse("Yes."), retries=1)


def test_a_stream_that_fails_leaves_nothing_under_way(monkeypatch: pytest.MonkeyPatch, address: str) -> None:
    def fail(batch: Batch, answer: Any) -> Any:
        raise ZeroDivisionError

    monkeypatch.setattr(Batch, "read", fail)

    async def ask(client: AsyncClient) -> int:
        with pytest.raises(ZeroDivisionError):
            await client.parse_tokens([["a"]] * 1000)
        return len(asyncio.all_tasks())

    assert run(address, ask, token=TOKEN) == 1
