"""Who may call, from where, and what a browser is told."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager

import httpx
import pytest
from fastapi import FastAPI

from spanlin.parser import Parser
from spanlin.server import app as app_module
from spanlin.server.app import PAGE_FOLDER, create_app
from spanlin.server.settings import ServerSettings

Running = Callable[[FastAPI], AbstractContextManager[httpx.Client]]
TOKEN = "s3cret-token"
CLOSED = [
    *(("GET", path) for path in ("/v1/model", "/metrics", "/docs/", "/nothing")),
    *(("POST", path) for path in ("/v1/parse", "/v1/evaluate")),
]


@pytest.fixture(scope="module")
def closed(parser: Parser, running: Running) -> Iterator[httpx.Client]:
    with running(create_app(parser, ServerSettings(token=TOKEN))) as client:
        yield client


@pytest.mark.parametrize(("method", "path"), CLOSED)
@pytest.mark.parametrize("header", [None, "", "Bearer", f"Bearer {TOKEN}x", f"bearer{TOKEN}", f"Basic {TOKEN}", TOKEN])
def test_without_the_token_there_is_nothing(closed: httpx.Client, method: str, path: str, header: str | None) -> None:
    headers = {} if header is None else {"Authorization": header}
    answer = closed.request(method, path, headers=headers)
    assert answer.status_code == 401
    assert answer.headers["www-authenticate"] == "Bearer"
    assert answer.json()["error"]["code"] == "unauthorized"
    assert TOKEN not in answer.text


def test_with_the_token_everything_is_there(closed: httpx.Client) -> None:
    headers = {"Authorization": f"Bearer {TOKEN}"}
    assert closed.get("/v1/model", headers=headers).status_code == 200
    assert closed.get("/metrics", headers=headers).status_code == 200
    assert closed.post("/v1/parse", headers=headers, json={"text": "Yes."}).status_code == 200
    found = closed.get("/openapi.json").json()
    assert found["paths"]["/v1/parse"]["post"]["security"] == [{"token": []}]


def test_health_the_page_and_the_documentation_need_no_token(closed: httpx.Client) -> None:
    assert closed.get("/health").json() == {"status": "ok"}
    assert "Authorization: Bearer" in closed.get("/docs").text
    assert closed.get("/static/docs.css").status_code == 200
    assert closed.get("/openapi.json").json()["components"]["securitySchemes"]
    assert closed.get("/").status_code == (200 if (PAGE_FOLDER / "index.html").exists() else 404)
    assert closed.get("/static/none").status_code == 404


def test_health_can_be_asked_for_its_head(closed: httpx.Client) -> None:
    answer = closed.head("/health")
    assert (answer.status_code, answer.content) == (200, b"")
    assert answer.headers["content-type"] == "application/json"


@pytest.mark.parametrize("path", ["/", "/docs", "/v1/model", "/nothing", "/static/none"])
def test_every_answer_tells_a_browser_to_load_nothing_from_elsewhere(client: httpx.Client, path: str) -> None:
    headers = client.get(path).headers
    policy = dict(part.strip().split(" ", 1) for part in headers["content-security-policy"].split(";"))
    assert policy["default-src"] == "'none'"
    assert policy["script-src"] == policy["style-src"] == policy["connect-src"] == "'self'"
    assert policy["frame-ancestors"] == "'none'"
    assert "unsafe" not in headers["content-security-policy"]
    assert headers["x-content-type-options"] == "nosniff"
    assert headers["x-frame-options"] == "DENY"
    assert headers["referrer-policy"] == "no-referrer"
    assert "server" not in headers


def test_the_page_and_its_files_are_served(
    parser: Parser, running: Running, tmp_path: object, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = PAGE_FOLDER.__class__(str(tmp_path))
    monkeypatch.setattr(app_module, "PAGE_FOLDER", folder)
    with running(create_app(parser)) as client:
        missing = client.get("/")
        assert missing.status_code == 404
        assert "has no page" in missing.json()["error"]["message"]
        (folder / "index.html").write_text("<!doctype html><p>ä", encoding="utf-8")
        (folder / "app.js").write_text("'use strict'", encoding="utf-8")
        page, script = client.get("/"), client.get("/static/app.js")
        assert (page.text, page.headers["content-type"]) == ("<!doctype html><p>ä", "text/html; charset=utf-8")
        assert script.headers["content-type"].startswith("text/javascript")


def test_other_pages_may_not_call_unless_told(client: httpx.Client) -> None:
    answer = client.post("/v1/parse", json={"text": "Yes."}, headers={"Origin": "https://example.org"})
    assert not [name for name in answer.headers if name.startswith("access-control")]
    assert client.options("/v1/parse", headers={"Origin": "https://example.org"}).status_code == 405


def test_told_origins_may_call_with_a_token_and_others_may_not(parser: Parser, running: Running) -> None:
    settings = ServerSettings(cors_origins=("https://example.org",), token=TOKEN)
    with running(create_app(parser, settings)) as client:
        asked = {"Access-Control-Request-Method": "POST", "Access-Control-Request-Headers": "authorization"}
        allowed = client.options("/v1/parse", headers={"Origin": "https://example.org", **asked})
        assert allowed.status_code == 200
        assert allowed.headers["access-control-allow-origin"] == "https://example.org"
        assert "authorization" in allowed.headers["access-control-allow-headers"].lower()
        other = client.options("/v1/parse", headers={"Origin": "https://example.com", **asked})
        assert "access-control-allow-origin" not in other.headers
        # An error is readable too, so that a page can tell its user.
        refused = client.post("/v1/parse", json={}, headers={"Origin": "https://example.org"})
        assert refused.status_code == 401
        assert refused.headers["access-control-allow-origin"] == "https://example.org"


def test_an_error_of_our_own_is_a_500_that_tells_nothing_but_is_logged_and_counted(
    parser: Parser, running: Running, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def broken(*_: object) -> None:
        raise ZeroDivisionError("a secret")

    monkeypatch.setattr(app_module, "read_sentences", broken)
    with running(create_app(parser)) as client:
        answer = client.post("/v1/parse", json={"text": "Yes."})
        assert answer.status_code == 500
        assert "secret" not in answer.text
        assert answer.json()["error"]["code"] == "internal"
        assert 'spanlin_requests_total{route="/v1/parse",status="500"} 1.0' in client.get("/metrics").text
    assert "a secret" in caplog.text
