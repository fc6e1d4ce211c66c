"""The service's description of itself, and whether it keeps to it."""

from __future__ import annotations

import html
import json
import re
import shlex
import warnings
from collections.abc import Iterator
from html.parser import HTMLParser
from time import monotonic
from typing import Any

import httpx
import pytest
from fastapi import FastAPI, Request
from hypothesis import HealthCheck, Phase, given, settings

from running_service import run_app
from spanlin.parser import Parser
from spanlin.server import documentation
from spanlin.server.app import create_app
from spanlin.server.batching import QueueFullError
from spanlin.server.documentation import add_documentation
from spanlin.server.schema import EvaluateRequest, HealthAnswer, ParseRequest
from spanlin.server.settings import ServerSettings


def test_the_page_lists_every_route_and_loads_nothing_from_elsewhere(client: httpx.Client) -> None:
    page = client.get("/docs")
    assert page.headers["content-type"] == "text/html; charset=utf-8"
    loaded: list[str] = []

    class Reader(HTMLParser):
        def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
            assert tag not in {"script", "style", "iframe"}
            loaded.extend(value or "" for name, value in attributes if name in {"src", "href"})
            assert not [name for name, _ in attributes if name.startswith("on") or name == "style"]

    Reader().feed(page.text)
    inside = [address for address in loaded if not address.startswith("#")]
    assert set(inside) == {"static/favicon.svg", "static/style.css", "static/docs.css", "./", "openapi.json"}
    assert all(client.get(f"/{address.removeprefix('./')}").status_code == 200 for address in inside)
    assert all(f'id="{address[1:]}"' in page.text for address in loaded if address.startswith("#"))
    assert client.get("/static/docs.css").headers["content-type"].startswith("text/css")
    for path in client.get("/openapi.json").json()["paths"]:
        assert path in page.text
    for name in (*ParseRequest.model_fields, *EvaluateRequest.model_fields):
        assert f"<code>{name}</code>" in page.text


def blocks(page: str) -> list[str]:
    return [html.unescape(block) for block in re.findall(r"<pre[^>]*><code>(.*?)</code></pre>", page, re.DOTALL)]


def test_the_page_shows_what_this_service_answers_to_its_commands(client: httpx.Client) -> None:
    shown = blocks(client.get("/docs").text)
    commands = [shlex.split(block) for block in shown if block.startswith("curl ")]
    paths = [command[2].removeprefix("http://localhost:8000") for command in commands]
    assert paths == list(client.get("/openapi.json").json()["paths"])
    for path, command in zip(paths, commands, strict=True):
        answer = shown[shown.index(next(block for block in shown if shlex.split(block) == command)) + 1]
        if "-d" in command:
            body = command[command.index("-d") + 1]
            found = client.post(path, content=body, headers={"Content-Type": "application/json"}).json()
        elif path == "/metrics":
            assert answer.splitlines()[0] in client.get(path).text
            continue
        else:
            found = client.get(path).json()
        for key, value in leaves(found):
            if not isinstance(value, list):
                assert json.dumps(key) + ": " in answer
        # Without what was cut short, it is the answer.
        if "…" not in answer:
            assert json.loads(answer) == found
    assert '"brackets": "(TOP (S (NP (PRP She))' in "".join(shown)


def leaves(value: dict[str, Any]) -> Iterator[tuple[str, Any]]:
    for key, item in value.items():
        yield key, item
        first = item[0] if isinstance(item, list) and item else item
        if isinstance(first, dict):
            yield from leaves(first)


def test_a_service_with_a_token_tells_nothing_of_its_model_without_it(parser: Parser) -> None:
    with run_app(create_app(parser, ServerSettings(token="secret"))) as closed:
        shown = blocks(closed.get("/docs").text)
    curls = [block for block in shown if block.startswith("curl ")]
    assert [block for block in curls if "$SPANLIN_TOKEN" not in block] == ["curl -s http://localhost:8000/health"]
    assert [block for block in shown if not block.startswith("curl ")][:-1] == ['{"status": "ok"}']


@pytest.mark.parametrize("error", [QueueFullError(waiting=3, seconds=1), RuntimeError("unforeseen")])
def test_a_service_that_cannot_answer_shows_its_documentation_without_answers_and_soon_tries_again(
    error: Exception, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    app = FastAPI(docs_url=None, description="Trees.")
    asked = []

    async def busy(_: bytes, __: Request) -> bytes:
        asked.append(1)
        raise error

    @app.get("/health", summary="Say that the service is up", responses={200: {"model": HealthAnswer}})
    async def health() -> None:
        """Nothing calls it."""

    add_documentation(app, {"/health": busy}, secured=False)
    with run_app(app) as client:
        for _ in range(3):
            page = client.get("/docs")
            assert page.status_code == 200
            assert "The answer" not in page.text
            assert "curl -s http://localhost:8000/health" in page.text
        assert len(asked) == 1  # nobody else waits for it
        assert caplog.messages == [f"/docs has no examples for 30 s: {error!r}"]
        monkeypatch.setattr(documentation, "monotonic", lambda: monotonic() + 31)
        client.get("/docs")
    assert len(asked) == 2


def test_every_reference_leads_somewhere(client: httpx.Client) -> None:
    found = client.get("/openapi.json").json()

    def references(part: Any) -> list[str]:
        if isinstance(part, dict):
            own = [part["$ref"]] if isinstance(part.get("$ref"), str) else []
            return own + [reference for value in part.values() for reference in references(value)]
        return [reference for value in part for reference in references(value)] if isinstance(part, list) else []

    schemas = found["components"]["schemas"]
    assert references(found)
    assert all(reference.removeprefix("#/components/schemas/") in schemas for reference in references(found))
    assert set(found["paths"]) == {"/v1/parse", "/v1/evaluate", "/v1/model", "/health", "/metrics"}


def test_the_examples_work(client: httpx.Client) -> None:
    schemas = client.get("/openapi.json").json()["components"]["schemas"]
    for name in ("text", "tokens"):
        example = schemas["ParseRequest"]["properties"][name]["examples"][0]
        assert client.post("/v1/parse", json={name: example}).status_code == 200
    body = {name: item["examples"][0] for name, item in schemas["EvaluateRequest"]["properties"].items()}
    assert client.post("/v1/evaluate", json=body).status_code == 200


@pytest.mark.filterwarnings("default")  # whatever the tool itself warns of
@pytest.mark.slow
def test_schemathesis_finds_no_server_error_and_no_undescribed_answer(client: httpx.Client) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        schemathesis = pytest.importorskip("schemathesis")
    from schemathesis.checks import not_a_server_error
    from schemathesis.specs.openapi.checks import response_schema_conformance, status_code_conformance

    schema = schemathesis.openapi.from_url(f"{client.base_url}/openapi.json")
    schema.config.base_url = str(client.base_url)
    statuses: dict[str, set[int]] = {}
    few = settings(
        max_examples=60,
        deadline=None,
        database=None,
        derandomize=True,
        phases=[Phase.explicit, Phase.generate],
        suppress_health_check=list(HealthCheck),
    )

    def check(operation: Any) -> None:
        seen = statuses.setdefault(operation.label, set())

        @few
        @given(case=operation.as_strategy())
        def good(case: Any) -> None:
            response = case.call_and_validate(
                checks=[not_a_server_error, status_code_conformance, response_schema_conformance]
            )
            seen.add(response.status_code)

        @few
        @given(case=operation.as_strategy(generation_mode=schemathesis.GenerationMode.NEGATIVE))
        def bad(case: Any) -> None:
            response = case.call_and_validate(checks=[not_a_server_error])
            seen.add(response.status_code)

        good()
        if operation.body:
            bad()

    for result in schema.get_all_operations():
        check(result.ok())
    assert {200, 422} <= statuses["POST /v1/parse"]
    assert 422 in statuses["POST /v1/evaluate"]
    assert statuses["GET /health"] == {200}
