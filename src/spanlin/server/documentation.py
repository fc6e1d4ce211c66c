"""The service's documentation: OpenAPI for programs, and a page made from it with what this very service answers."""

from __future__ import annotations

import asyncio
import json
import logging
from collections.abc import Awaitable, Callable, Mapping
from time import monotonic
from typing import Any, TypeAlias

from fastapi import FastAPI, Request, Response
from fastapi.openapi.utils import get_openapi
from pydantic import BaseModel
from pydantic.json_schema import models_json_schema

from spanlin.server.documentation_page import documentation_page, example_body
from spanlin.server.schema import EvaluateRequest, ParseRequest

Handle: TypeAlias = Callable[[bytes, Request], Awaitable[bytes]]

_LOG = logging.getLogger(__name__)
_REFERENCE = "#/components/schemas/{model}"
_PATIENCE = 5.0  # seconds for the examples; a busy service shows its documentation without
_PAUSE = 30.0  # seconds until they are tried again


def request_body(kind: type[BaseModel]) -> dict[str, Any]:
    """Return the part of OpenAPI for a route that takes such a body."""
    reference = {"$ref": _REFERENCE.format(model=kind.__name__)}
    return {"requestBody": {"required": True, "content": {"application/json": {"schema": reference}}}}


def add_documentation(app: FastAPI, handles: Mapping[str, Handle], *, secured: bool) -> None:
    """Add the description at /openapi.json, and the page /docs with what `handles` answer to the examples, by path."""
    answers: dict[str, str] = {}
    asking = asyncio.Lock()
    next_try = 0.0

    def openapi() -> dict[str, Any]:
        if app.openapi_schema is None:
            app.openapi_schema = _describe(app, secured=secured)
        return app.openapi_schema

    app.openapi = openapi  # type: ignore[method-assign]  # FastAPI's documented way

    @app.get("/docs", include_in_schema=False)
    async def docs(request: Request) -> Response:
        nonlocal next_try
        found = openapi()
        async with asking:  # once, whoever asks: anyone may read this page
            if not answers and monotonic() >= next_try:
                try:
                    answers.update(await _answers(found, handles, request))
                except Exception as error:
                    _LOG.warning("/docs has no examples for %g s: %r", _PAUSE, error)
                    next_try = monotonic() + _PAUSE
        return Response(documentation_page(found, answers), media_type="text/html")


async def _answers(found: dict[str, Any], handles: Mapping[str, Handle], request: Request) -> dict[str, str]:
    """Return what the service answers to the example of each route."""
    answers = {}
    async with asyncio.timeout(_PATIENCE):
        for path, handle in handles.items():
            operation = next(iter(found["paths"][path].values()))
            if "security" in operation:  # this page needs no token
                continue
            body = json.dumps(example_body(operation, found["components"]["schemas"])).encode()
            answers[path] = (await handle(body, request)).decode()
    return answers


def _describe(app: FastAPI, *, secured: bool) -> dict[str, Any]:
    found = get_openapi(title=app.title, version=app.version, description=app.description, routes=app.routes)
    _, bodies = models_json_schema(
        [(ParseRequest, "validation"), (EvaluateRequest, "validation")], ref_template=_REFERENCE
    )
    schemas = found["components"]["schemas"]
    schemas.update(bodies["$defs"])
    # Routes read their bodies themselves, so FastAPI's own form of errors is never sent.
    for name in ("HTTPValidationError", "ValidationError"):
        schemas.pop(name, None)
    if secured:
        found["components"]["securitySchemes"] = {"token": {"type": "http", "scheme": "bearer"}}
        for path, methods in found["paths"].items():
            if path != "/health":
                for operation in methods.values():
                    operation["security"] = [{"token": []}]
    return found
