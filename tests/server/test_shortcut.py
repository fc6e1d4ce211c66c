"""Parses go past the router, and are the same as if they had not."""

from __future__ import annotations

from typing import Any

import httpx
import pytest
from fastapi import FastAPI
from starlette.requests import Request
from starlette.responses import Response

from spanlin.parser import Parser
from spanlin.server.app import create_app
from spanlin.server.shortcut import Shortcut

BODIES: list[Any] = [{"text": "She loves writing code."}, {"tokens": [["a", "b"]], "format": "brackets"}, {}, [], None]


@pytest.mark.anyio
@pytest.mark.parametrize("body", BODIES)
async def test_an_answer_is_the_one_by_the_router(body: Any, parser: Parser) -> None:
    app = create_app(parser)
    batcher = app.state.batcher
    batcher.start()
    answers = []
    for prefix in ("", "/behind"):  # a proxy's prefix is the router's to take off
        transport = httpx.ASGITransport(app=app, root_path=prefix)
        async with httpx.AsyncClient(transport=transport, base_url="http://test") as client:
            headers = {"X-Request-ID": "same"}
            answers.append(await client.post(f"{prefix}/v1/parse", json=body, headers=headers))
    batcher.close(seconds=10)
    assert answers[0].status_code == answers[1].status_code
    assert answers[0].content == answers[1].content
    assert dict(answers[0].headers) == dict(answers[1].headers)


@pytest.mark.anyio
async def test_only_posts_to_its_path_take_it() -> None:
    app = FastAPI()

    async def short(_: Request) -> Response:
        return Response("short")

    @app.api_route("/{path:path}", methods=["GET", "POST"])
    async def long() -> Response:
        return Response("long")

    transport = httpx.ASGITransport(app=Shortcut(app, path="/fast", route=short))
    async with httpx.AsyncClient(transport=transport, base_url="http://test") as client:
        assert (await client.post("/fast?x=1")).text == "short"
        assert (await client.get("/fast")).text == "long"
        assert (await client.post("/fast/")).text == "long"
        assert (await client.post("/fas")).text == "long"
