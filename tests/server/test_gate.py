"""What every request passes, without a service behind it."""

from __future__ import annotations

import asyncio
import json
import logging
from typing import Any

import pytest
from starlette.types import Message, Receive, Scope, Send

from spanlin.server.gate import Gate
from spanlin.server.metrics import Metrics
from spanlin.server.settings import ServerSettings


class App:
    """Answers 200, or does what it is told."""

    def __init__(self, error: Exception | None = None, *, after_start: bool = False) -> None:
        self.error = error
        self.after_start = after_start
        self.calls = 0
        self.free = asyncio.Event()
        self.free.set()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        self.calls += 1
        await self.free.wait()
        if self.error and not self.after_start:
            raise self.error
        await send({"type": "http.response.start", "status": 200, "headers": [(b"x-own", b"1")]})
        if self.error:
            raise self.error
        await send({"type": "http.response.body", "body": b"{}"})


def gate(app: App, **settings: Any) -> tuple[Gate, Metrics]:
    metrics = Metrics(lambda: 0)
    return Gate(app, settings=ServerSettings(**settings), metrics=metrics, routes=["/v1/parse", "/"]), metrics


async def ask(
    gate: Gate, path: str = "/v1/parse", *, method: str = "POST", token: str = ""
) -> tuple[int, dict[str, str], dict[str, Any]]:
    sent: list[Message] = []

    async def receive() -> Message:
        return {"type": "http.request", "body": b""}

    async def send(message: Message) -> None:
        sent.append(message)

    headers = [(b"x-request-id", b"mine")] + ([(b"authorization", token.encode())] if token else [])
    await gate({"type": "http", "method": method, "path": path, "headers": headers}, receive, send)
    found = {name.decode(): value.decode() for name, value in sent[0]["headers"]}
    return sent[0]["status"], found, json.loads(b"".join(message.get("body", b"") for message in sent[1:]))


def test_an_answer_gets_the_id_and_the_headers_and_keeps_its_own() -> None:
    status, headers, _ = asyncio.run(ask(gate(App())[0]))
    assert (status, headers["x-own"], headers["x-request-id"]) == (200, "1", "mine")
    assert headers["x-content-type-options"] == "nosniff"
    assert headers["content-security-policy"].startswith("default-src 'none'; ")


@pytest.mark.parametrize("path", ["/", "/docs", "/static/docs.css", "/openapi.json", "/health", "/static/a.js"])
def test_the_page_and_the_documentation_need_no_token(path: str) -> None:
    assert asyncio.run(ask(gate(App(), token="secret")[0], path, method="GET"))[0] == 200


@pytest.mark.parametrize("path", ["/v1/parse", "/metrics", "/docs/", "/static", "/nothing", "//"])
@pytest.mark.parametrize("token", ["", "secret", "Bearer secre", "Bearer secrets", "bearer secret"])
def test_everything_else_is_not_even_asked_for_without_it(path: str, token: str) -> None:
    app = App()
    status, headers, body = asyncio.run(ask(gate(app, token="secret")[0], path, token=token))
    assert (status, headers["www-authenticate"], app.calls) == (401, "Bearer", 0)
    assert "secret" not in json.dumps(body)
    assert asyncio.run(ask(gate(app, token="secret")[0], path, token="Bearer secret"))[0] == 200


def test_a_path_with_a_zero_byte_is_nothing() -> None:
    app = App()
    status, _, body = asyncio.run(ask(gate(app)[0], "/static/a\0b", method="GET"))
    assert (status, body["error"]["request_id"], app.calls) == (404, "mine", 0)


def test_more_requests_at_a_time_than_allowed_are_sent_away_and_room_comes_back() -> None:
    async def load() -> None:
        app = App()
        app.free.clear()
        found, _ = gate(app, max_requests=2)
        waiting = [asyncio.create_task(ask(found)) for _ in range(2)]
        await asyncio.sleep(0)
        status, headers, _ = await ask(found)
        assert (status, headers["retry-after"]) == (503, "1")
        app.free.set()
        assert (await ask(found, "/", method="GET"))[0] == 200  # a request without a body is not counted
        assert [(await one)[0] for one in waiting] == [200, 200]
        assert (await ask(found))[0] == 200

    asyncio.run(load())


def test_room_comes_back_after_errors_too() -> None:
    found, _ = gate(App(ZeroDivisionError("a secret")), max_requests=1)
    assert [asyncio.run(ask(found))[0] for _ in range(3)] == [500] * 3


def test_an_error_of_our_own_tells_nothing_but_is_logged_under_its_id(caplog: pytest.LogCaptureFixture) -> None:
    status, _, body = asyncio.run(ask(gate(App(ZeroDivisionError("a secret")))[0]))
    assert (status, body["error"]["code"]) == (500, "internal")
    assert "secret" not in json.dumps(body)
    (record,) = caplog.records
    assert (record.levelno, record.getMessage()) == (logging.ERROR, "request mine failed")
    assert "a secret" in caplog.text


def test_half_an_answer_is_broken_off() -> None:
    with pytest.raises(ZeroDivisionError):
        asyncio.run(ask(gate(App(ZeroDivisionError(), after_start=True))[0]))


def test_only_known_routes_have_figures_of_their_own() -> None:
    found, metrics = gate(App())
    for path in ("/v1/parse", "/", "/static/a", "/static/b", "/a", "/b"):
        asyncio.run(ask(found, path))
    lines = [line for line in metrics.text().decode().splitlines() if line.startswith("spanlin_requests_total")]
    assert sorted(lines) == [
        'spanlin_requests_total{route="/",status="200"} 1.0',
        'spanlin_requests_total{route="/static/",status="200"} 2.0',
        'spanlin_requests_total{route="/v1/parse",status="200"} 1.0',
        'spanlin_requests_total{route="other",status="200"} 2.0',
    ]
