"""A browser, and visits of the page in it."""

from __future__ import annotations

import re
import threading
from collections.abc import Iterator
from functools import cache, partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urlencode

import pytest

from page_visits import CHROMIUM
from spanlin.parser import Parser

if TYPE_CHECKING:
    import httpx
    from playwright.sync_api import Browser, ConsoleMessage, Page

    from page_visits import Visit


@cache
def _parser(model: str) -> Parser:
    return Parser.load(model, threads=1)


@pytest.fixture
def reference(mode: str) -> Parser:
    """The parser whose answers the page must show; not the service's own, which its worker uses."""
    return _parser(_model_in_tab() if mode == "tab" else "en")


def _model_in_tab() -> str:
    """Return the name of the model that the page without a server opens with."""
    found = re.search('<meta name="spanlin-model" content="models/([^"]+)"', (PAGE / "index.html").read_text("utf-8"))
    assert found is not None
    return found[1]


# Not for the whole session: while it runs, so does an event loop in this thread, and others' tests start their own.
@pytest.fixture(scope="module")
def chromium() -> Iterator[Browser]:
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox", "--disable-gpu"])
        yield browser
        browser.close()


PAGE = Path(__file__).resolve().parents[3] / "web" / "page"


class _Quiet(SimpleHTTPRequestHandler):
    """Plain files, as a static host serves them."""

    def log_message(self, format: str, *args: object) -> None:
        """Say nothing."""


@pytest.fixture(scope="module")
def static_host() -> Iterator[str]:
    """The address of the page without a server, which `npm run page` builds."""
    if not (PAGE / "index.html").is_file():
        pytest.skip("needs the page without a server: run `npm ci && npm run page` in web/")
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(_Quiet, directory=str(PAGE)))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    server.server_close()


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Visit the page in both modes in the tests of modules that say so."""
    if "where" in metafunc.fixturenames and getattr(metafunc.module, "IN_BOTH_MODES", False):
        metafunc.parametrize("mode", ["service", "tab"], indirect=True)


@pytest.fixture
def mode(request: pytest.FixtureRequest) -> str:
    """Who parses for the page: a "service" or, for tests with the parameter "tab", the page itself."""
    return str(getattr(request, "param", "service"))


@pytest.fixture
def where(request: pytest.FixtureRequest, mode: str) -> str:
    """The page's address."""
    if mode == "tab":
        return str(request.getfixturevalue("static_host"))
    client: httpx.Client = request.getfixturevalue("client")
    return str(client.base_url)


@pytest.fixture
def visit(chromium: Browser, where: str) -> Iterator[Visit]:
    """Opens the page in a state; afterwards, nothing may have gone wrong in it, nor have left its origin."""
    problems: list[str] = []
    contexts = []

    def open_page(base: str = "", *, width: int = 1280, height: int = 900, scheme: str = "light", **state: str) -> Page:
        base = (base or where).rstrip("/")
        context = chromium.new_context(
            viewport={"width": width, "height": height},
            color_scheme="dark" if scheme == "dark" else "light",
            has_touch=width < 500,
            is_mobile=width < 500,
            reduced_motion="reduce",
            permissions=["clipboard-read", "clipboard-write"],
        )
        contexts.append(context)
        context.set_default_timeout(15_000)
        page = context.new_page()
        page.on("pageerror", lambda error: problems.append(f"error in the page: {error}"))
        page.on("console", lambda message: problems.append(message.text) if _is_problem(message) else None)
        page.on("request", lambda request: None if _is_ours(request.url, base) else problems.append(request.url))
        page.goto(f"{base}/#{urlencode(state)}" if state else f"{base}/")
        if "text" in state:
            page.wait_for_selector("[role=treeitem]", state="attached")
        return page

    yield open_page
    for context in contexts:
        context.close()
    assert problems == []


def _is_problem(message: ConsoleMessage) -> bool:
    # An answer with an error status is told to the console by the browser itself.
    return message.type in {"error", "warning"} and not message.text.startswith("Failed to load resource")


def _is_ours(url: str, base: str) -> bool:
    return url.startswith((f"{base}/", "blob:", "data:"))
