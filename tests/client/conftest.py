"""The real service for the client's tests, and one that answers whatever it is told to."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from importlib.util import find_spec
from typing import Any

import pytest

if all(map(find_spec, ("fastapi", "httpx", "prometheus_client", "uvicorn"))):
    from running_service import run_app
    from spanlin.parser import Parser
    from spanlin.server.app import create_app
    from spanlin.server.settings import ServerSettings
else:  # installed without the extras `client` and `serve`
    collect_ignore_glob = ["*"]

TOKEN = "s3cret"


@pytest.fixture(scope="package")
def parser() -> Parser:
    return Parser.load(threads=1)


@pytest.fixture(scope="package")
def address(parser: Parser) -> Iterator[str]:
    """The address of a service with a token, which all tests share."""
    with run_app(create_app(parser, ServerSettings(token=TOKEN))) as client:
        yield str(client.base_url)


@pytest.fixture(scope="package")
def small_address(parser: Parser) -> Iterator[str]:
    """The address of a service that takes three sentences at a time, of at most seven words."""
    with run_app(create_app(parser, ServerSettings(max_sentences=3, max_sentence_words=7))) as client:
        yield str(client.base_url)


class Scripted:
    """A service that gives answers of a list, the last of them for ever, and keeps the headers of what it was asked."""

    def __init__(self, answers: list[tuple[int, dict[str, str], bytes]]) -> None:
        self.answers = answers
        self.asked: list[dict[str, str]] = []
        self.address = ""

    @contextmanager
    def run(self) -> Iterator[Scripted]:
        scripted = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                self.rfile.read(int(self.headers["Content-Length"]))
                scripted.asked.append({name.lower(): value for name, value in self.headers.items()})
                status, headers, body = scripted.answers[min(len(scripted.asked), len(scripted.answers)) - 1]
                if not status:
                    self.close_connection = True
                    return
                self.send_response(status)
                for name, value in {**headers, "Content-Length": str(len(body))}.items():
                    self.send_header(name, value)
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *_: Any) -> None: ...

        server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.address = f"http://127.0.0.1:{server.server_port}"
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        try:
            yield self
        finally:
            server.shutdown()
            thread.join()
            server.server_close()
