"""A service that runs in this process, reached over a real connection."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from importlib.util import find_spec
from typing import TypeAlias

import pytest

if all(map(find_spec, ("fastapi", "httpx", "prometheus_client", "uvicorn"))):
    import httpx
    from fastapi import FastAPI

    from running_service import run_app
    from spanlin.parser import Parser
    from spanlin.server.app import create_app
else:  # installed without the extras `serve` and `test`
    collect_ignore_glob = ["*"]

Running: TypeAlias = "Callable[[FastAPI], AbstractContextManager[httpx.Client]]"


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
