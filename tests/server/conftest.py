"""A service that runs in this process, reached over a real connection."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from importlib.util import find_spec
from typing import TypeAlias

import pytest

if all(map(find_spec, ("fastapi", "httpx", "prometheus_client", "uvicorn"))):
    import httpx
    import uvicorn
    from fastapi import FastAPI

    from spanlin.parser import Parser
    from spanlin.server.app import create_app
    from spanlin.server.running import open_socket, server_config
else:  # installed without the extras `serve` and `test`
    collect_ignore_glob = ["*"]

Running: TypeAlias = "Callable[[FastAPI], AbstractContextManager[httpx.Client]]"


@contextmanager
def run_app(app: FastAPI) -> Iterator[httpx.Client]:
    listener = open_socket("127.0.0.1", 0)
    server = uvicorn.Server(server_config(app, shutdown_seconds=10))
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]})
    thread.start()
    try:
        while not server.started and thread.is_alive():
            time.sleep(0.01)
        with httpx.Client(base_url=f"http://127.0.0.1:{listener.getsockname()[1]}", timeout=30) as client:
            yield client
    finally:
        server.should_exit = True
        thread.join(30)
        listener.close()


@pytest.fixture(scope="session")
def running() -> Running:
    return run_app


@pytest.fixture(scope="package")
def parser() -> Parser:
    return Parser.load(threads=1)


@pytest.fixture(scope="package")
def client(parser: Parser) -> Iterator[httpx.Client]:
    """A client of a service with default settings, which all tests share."""
    with run_app(create_app(parser)) as client:
        yield client
