"""Every limit, and the answer to whoever passes it."""

from __future__ import annotations

import json
import socket
import threading
import time
from collections.abc import Callable, Generator, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import AbstractContextManager, contextmanager
from typing import Any

import httpx
import pytest
from fastapi import FastAPI

from spanlin.errors import SpanlinError
from spanlin.parser import Parser
from spanlin.server.app import create_app
from spanlin.server.settings import ServerSettings

Running = Callable[[FastAPI], AbstractContextManager[httpx.Client]]
SMALL = ServerSettings(
    max_body_bytes=3_000,
    max_items=3,
    max_sentences=4,
    max_sentence_words=6,
    max_word_characters=20,
    max_trees=2,
    queue_sentences=6,
)
UNFINISHED = b"POST /v1/parse HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 10\r\n\r\n{"
HASTY = ServerSettings(time_limit=3)


class HeldParser(Parser):
    """A parser that waits until it is let go; "!" is an error at once."""

    def __init__(self, parser: Parser) -> None:
        self.folder = parser.folder
        self._runner = parser._runner
        self.free = threading.Event()
        self.seen: list[Sequence[str]] = []

    def bracket_lines(self, sentences: Any, *, batch_tokens: int = 0) -> Generator[str]:
        self.seen += sentences
        if ["!"] in sentences:
            raise SpanlinError("cannot parse !")
        assert self.free.wait(20)
        yield from (" ".join(words) for words in sentences)


@pytest.fixture(scope="module")
def small(parser: Parser, running: Running) -> Iterator[httpx.Client]:
    with running(create_app(parser, SMALL)) as client:
        yield client


@contextmanager
def held(
    parser: Parser, running: Running, settings: ServerSettings
) -> Iterator[tuple[httpx.Client, HeldParser, ThreadPoolExecutor]]:
    """A service whose worker is busy with one request."""
    slow = HeldParser(parser)
    with running(create_app(slow, settings)) as client, ThreadPoolExecutor(8) as pool:
        try:
            yield client, slow, pool
        finally:
            slow.free.set()


def send(client: httpx.Client, tokens: Sequence[Sequence[str]]) -> httpx.Response:
    return client.post("/v1/parse", json={"tokens": tokens, "format": "brackets"})


def _connect(client: httpx.Client) -> socket.socket:
    return socket.create_connection((client.base_url.host, client.base_url.port or 0), timeout=20)


def until(condition: Callable[[], bool]) -> None:
    end = time.monotonic() + 20
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.002)


def message(answer: httpx.Response, status: int) -> str:
    assert answer.status_code == status, answer.text
    found = str(answer.json()["error"]["message"])
    assert "\n" not in found
    return found


def test_too_much_to_parse_is_told_how_much_is_taken(small: httpx.Client) -> None:
    answer = small.post("/v1/parse", json={"texts": ["a"] * 4})
    assert message(answer, 413) == "texts: 4 items, but at most 3 per request: send several"
    answer = small.post("/v1/parse", json={"tokens": [["a"] * 7]})
    assert message(answer, 422) == "tokens[0]: 7 words, but a sentence may have 6"
    assert small.post("/v1/parse", json={"tokens": [["a"] * 6, ["a" * 20], []]}).status_code == 200


def test_too_many_trees_are_not_scored(small: httpx.Client) -> None:
    trees = ["(S (A a))"] * 3
    assert "at most 2 trees" in message(small.post("/v1/evaluate", json={"gold": trees, "predicted": trees}), 413)


def test_too_long_a_body_is_refused_by_its_announced_length_and_by_its_real_one(small: httpx.Client) -> None:
    headers = {"Content-Type": "application/json"}
    body = json.dumps({"text": "a" * 3_000}).encode()
    assert "more than 3000 bytes" in message(small.post("/v1/parse", content=body, headers=headers), 413)

    def parts() -> Iterator[bytes]:
        yield from (body[start : start + 500] for start in range(0, len(body), 500))

    assert "more than 3000 bytes" in message(small.post("/v1/parse", content=parts(), headers=headers), 413)
    assert small.get("/health").status_code == 200


def test_a_body_that_does_not_come_is_not_waited_for(parser: Parser, running: Running) -> None:
    with running(create_app(parser, HASTY)) as client, _connect(client) as connection:
        connection.sendall(UNFINISHED)
        assert connection.recv(1000).startswith(b"HTTP/1.1 408 ")


def test_a_client_that_hangs_up_hurts_nobody(small: httpx.Client) -> None:
    with _connect(small) as connection:
        connection.sendall(UNFINISHED)
    assert small.post("/v1/parse", json={"text": "Yes."}).status_code == 200
    assert 'status="500"' not in small.get("/metrics").text


def test_the_work_of_a_client_that_hangs_up_is_dropped(parser: Parser, running: Running) -> None:
    with held(parser, running, ServerSettings()) as (client, slow, pool):
        first = pool.submit(send, client, [["running"]])
        until(lambda: len(slow.seen) == 1)
        with pytest.raises(httpx.TimeoutException):
            client.post("/v1/parse", json={"tokens": [["never"]], "format": "brackets"}, timeout=0.1)
        until(lambda: "spanlin_queue_sentences 0.0" in client.get("/metrics").text)
        slow.free.set()
        assert first.result().status_code == 200
        assert slow.seen == [["running"]]


def test_a_full_queue_is_a_503_that_says_when_to_come_again(parser: Parser, running: Running) -> None:
    settings = ServerSettings(max_sentences=4, queue_sentences=4)
    with held(parser, running, settings) as (client, slow, pool):
        first = pool.submit(send, client, [["running"]])
        until(lambda: len(slow.seen) == 1)
        second = pool.submit(send, client, [["waiting"]] * 3)
        until(lambda: "spanlin_queue_sentences 3.0" in client.get("/metrics").text)
        answer = send(client, [["too"], ["many"]])
        assert "3 sentences are waiting already; try again later" in message(answer, 503)
        assert int(answer.headers["retry-after"]) >= 1
        third = pool.submit(send, client, [["fits"]])
        until(lambda: "spanlin_queue_sentences 4.0" in client.get("/metrics").text)
        slow.free.set()
        assert [future.result().status_code for future in (first, second, third)] == [200, 200, 200]


def test_a_late_answer_is_a_504_and_what_has_not_begun_is_dropped(parser: Parser, running: Running) -> None:
    with held(parser, running, HASTY) as (client, slow, pool):
        first = pool.submit(send, client, [["running"]])
        until(lambda: len(slow.seen) == 1)
        second = send(client, [["never"]])
        assert "not done within 3 s" in message(second, 504)
        assert "not done within 3 s" in message(first.result(), 504)
        assert "spanlin_queue_sentences 0.0" in client.get("/metrics").text
        slow.free.set()
        assert send(client, [["after"]]).json()["results"] == [{"brackets": ["after"]}]
        assert slow.seen == [["running"], ["after"]]


def test_after_an_error_the_rest_of_its_request_is_dropped(parser: Parser, running: Running) -> None:
    with held(parser, running, ServerSettings(batch_words=1)) as (client, slow, _):
        assert message(send(client, [["!"], *[["held"]] * 2, ["never"]]), 422) == "cannot parse !"
        until(lambda: "spanlin_queue_sentences 0.0" in client.get("/metrics").text)
        slow.free.set()
        assert send(client, [["after"]]).json()["results"] == [{"brackets": ["after"]}]
        assert ["never"] not in slow.seen


def test_too_many_requests_at_a_time_are_sent_away_but_health_is_told(parser: Parser, running: Running) -> None:
    settings = ServerSettings(max_requests=4)
    with held(parser, running, settings) as (client, slow, pool):
        sent: list[Future[httpx.Response]] = [pool.submit(send, client, [["a"]]) for _ in range(8)]
        until(lambda: sum(future.done() for future in sent) == 4)
        away = [future.result() for future in sent if future.done()]
        assert {message(answer, 503) for answer in away} == {"too many requests at a time; try again"}
        assert all(answer.headers["retry-after"] == "1" for answer in away)
        assert client.get("/health").json() == {"status": "ok"}
        slow.free.set()
        assert sorted(future.result().status_code for future in sent) == [200] * 4 + [503] * 4
