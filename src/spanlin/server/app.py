"""The application: routes over a batcher. It knows HTTP, and nothing about how sentences are parsed."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from os import PathLike, stat_result
from pathlib import Path
from typing import Any

from fastapi import FastAPI, Request, Response
from fastapi.middleware.cors import CORSMiddleware
from fastapi.responses import FileResponse
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect
from starlette.staticfiles import StaticFiles
from starlette.types import Scope

from spanlin import __version__
from spanlin.compact_json import compact_json
from spanlin.errors import SpanlinError
from spanlin.parser import Parser
from spanlin.runtime.options import TREE_DECODERS
from spanlin.server import schema
from spanlin.server.answers import RequestError, error_response, json_response
from spanlin.server.batching import Batcher, QueueFullError
from spanlin.server.documentation import Handle, add_documentation, request_body
from spanlin.server.evaluating import evaluate
from spanlin.server.gate import STATIC, Gate
from spanlin.server.jobs import PendingRequest
from spanlin.server.metrics import CONTENT_TYPE, Metrics
from spanlin.server.reading import RequestSentences, read_sentences
from spanlin.server.request_ids import HEADER
from spanlin.server.settings import ServerSettings
from spanlin.server.shortcut import Shortcut
from spanlin.trees.transforms import constituent_labels

PAGE_FOLDER = Path(__file__).parent / "static"
_PARSE = "/v1/parse"
_ROUTES = (
    *("/", "/docs", "/openapi.json", "/health", "/metrics"),
    *(_PARSE, "/v1/evaluate", "/v1/model"),
)
_NO_CACHE = "no-cache"  # kept, and used only after asking whether it is still the same
_AT_ONCE_BYTES = 4_000  # bodies up to this size are read in the event loop; longer ones would hold it up
_LOOK_AGAIN = 0.5  # seconds between two looks whether the client is still there
_ERRORS: dict[int | str, dict[str, Any]] = {
    status: {"model": schema.ErrorAnswer} for status in (400, 401, 408, 413, 415, 422, 503, 504)
}
_DENIED: dict[int | str, dict[str, Any]] = {401: {"model": schema.ErrorAnswer}}


def create_app(parsers: Parser | Sequence[Parser], settings: ServerSettings | None = None) -> FastAPI:
    """Return the application over parsers of one model, each of which gets its own worker thread.

    A parser must not be used elsewhere while the application runs.
    """
    settings = settings or ServerSettings()
    parsers = [parsers] if isinstance(parsers, Parser) else parsers
    metrics = Metrics(lambda: batcher.waiting)
    batcher = Batcher(
        parsers,
        queue_sentences=settings.queue_sentences,
        queue_words=settings.queue_words,
        batch_words=settings.batch_words,
        on_batch=metrics.parsed,
    )

    @contextlib.asynccontextmanager
    async def lifespan(_: FastAPI) -> AsyncIterator[None]:
        batcher.start()
        yield
        await asyncio.to_thread(batcher.close, seconds=settings.shutdown_seconds)

    app = FastAPI(
        title="spanlin",
        version=__version__,
        description="Constituency trees of English text, with calibrated probabilities.",
        docs_url=None,
        redoc_url=None,
        redirect_slashes=False,  # the address would be built from the Host header, which anyone can set
        lifespan=lifespan,
    )
    app.state.batcher = batcher
    parse = _parse_handle(batcher, settings, parsers[0].folder.path.resolve().name)
    parse_route = _named("parse", _answered(parse, settings))
    app.add_middleware(Shortcut, path=_PARSE, route=parse_route)
    app.add_middleware(Gate, settings=settings, metrics=metrics, routes=_ROUTES)
    if settings.cors_origins:
        app.add_middleware(
            CORSMiddleware,
            allow_origins=settings.cors_origins,
            allow_methods=["GET", "POST"],
            allow_headers=["Authorization", "Content-Type", HEADER],
            expose_headers=["Retry-After", HEADER],
        )
    app.add_exception_handler(HTTPException, _http_error)
    _add_parse(app, parse_route)
    handles = {
        _PARSE: parse,
        "/v1/evaluate": _add_evaluate(app, settings),
        **_add_facts(app, parsers[0], settings, metrics),
    }
    add_documentation(app, handles, secured=bool(settings.token))
    _add_page(app)
    return app


async def _http_error(_: Request, error: Exception) -> Response:
    """Return the router's own errors in our form."""
    assert isinstance(error, HTTPException)
    messages = {404: "there is nothing at this path: see /docs", 405: "this path does not take this method: see /docs"}
    return error_response(error.status_code, messages.get(error.status_code, error.detail), error.headers)


def _answered(handle: Handle, settings: ServerSettings) -> Callable[[Request], Awaitable[Response]]:
    """Return a route that turns a body of JSON into an answer of JSON within the time limit."""

    async def route(request: Request) -> Response:
        try:
            body = await _read(request, settings)
            async with asyncio.timeout(settings.time_limit):
                return json_response(await handle(body, request))
        except RequestError as error:
            return error_response(error.status, str(error), error.headers)
        except QueueFullError as error:
            return error_response(503, f"{error}; try again later", {"Retry-After": str(error.seconds)})
        except SpanlinError as error:
            return error_response(422, str(error))
        except TimeoutError:
            return error_response(504, f"not done within {settings.time_limit:g} s; send less, or try again later")

    return route


async def _read(request: Request, settings: ServerSettings) -> bytes:
    """Return the body of a request, or raise a RequestError if it is too long, not JSON, or does not arrive."""
    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if kind != "application/json":
        raise RequestError(415, "the body must be JSON: send the header Content-Type: application/json")
    if request.headers.get("content-encoding", "identity").strip().lower() not in ("", "identity"):
        raise RequestError(415, "the body must not be compressed: leave the header Content-Encoding out")
    too_large = RequestError(413, f"the body has more than {settings.max_body_bytes} bytes: send several requests")
    length = request.headers.get("content-length", "")
    if length.isdecimal() and int(length[:20]) > settings.max_body_bytes:
        raise too_large
    body = b""
    try:
        async with asyncio.timeout(settings.time_limit):
            async for part in request.stream():
                body += part
                if len(body) > settings.max_body_bytes:
                    raise too_large
    except ClientDisconnect as error:
        raise _hung_up() from error
    except TimeoutError as error:
        raise RequestError(408, f"the body did not arrive within {settings.time_limit:g} s") from error
    return body


def _hung_up() -> RequestError:
    return RequestError(400, "the client hung up")  # only the metrics will see this


def _parse_handle(batcher: Batcher, settings: ServerSettings, model: str) -> Handle:
    """Return what answers a request to parse, from its body."""
    opening = b'{"model":' + compact_json(model) + b',"results":['

    def read(body: bytes) -> RequestSentences:
        return read_sentences(schema.read_body(body, schema.ParseRequest), settings)

    async def parse(body: bytes, request: Request) -> bytes:
        found = read(body) if len(body) <= _AT_ONCE_BYTES else await asyncio.to_thread(read, body)
        pending = PendingRequest(
            found.work,
            found.words,
            found=found.found,
            constraints=found.constraints,
            loop=asyncio.get_running_loop(),
        )
        batcher.add(pending)
        results = None
        try:
            while not (await asyncio.wait([pending.done], timeout=_LOOK_AGAIN))[0]:
                if await request.is_disconnected():
                    raise _hung_up()
            results = pending.done.result()
        finally:
            if results is None:  # one failed, the client hung up, time ran out, or the service is shutting down
                batcher.drop(pending)
        key = b'{"brackets":[' if found.work.trees_only else b'{"sentences":['
        items = []
        start = 0
        for count in found.counts:
            items.append(key + b",".join(results[start : start + count]) + b"]}")
            start += count
        return opening + b",".join(items) + b"]}"

    return parse


def _add_parse(app: FastAPI, route: Callable[[Request], Awaitable[Response]]) -> None:
    """Add the route for parses, for its documentation: requests take a shortcut to it."""
    app.post(
        _PARSE,
        summary="Parse one or more texts, or tokenized sentences",
        responses={200: {"model": schema.ParseAnswer}, **_ERRORS},
        openapi_extra=request_body(schema.ParseRequest),
    )(route)


def _add_evaluate(app: FastAPI, settings: ServerSettings) -> Handle:
    # Plain Python, which would only take the interpreter from the workers: one at a time, even after a time-out.
    one_thread = ThreadPoolExecutor(1, thread_name_prefix="spanlin-evaluate")

    def score(body: bytes) -> bytes:
        return compact_json(evaluate(schema.read_body(body, schema.EvaluateRequest), settings))

    async def handle(body: bytes, _: Request) -> bytes:
        return await asyncio.get_running_loop().run_in_executor(one_thread, score, body)

    app.post(
        "/v1/evaluate",
        summary="Score predicted trees against gold trees, as EVALB does",
        responses={200: {"model": schema.EvaluateAnswer}, **_ERRORS},
        openapi_extra=request_body(schema.EvaluateRequest),
    )(_named("evaluate", _answered(handle, settings)))
    return handle


def _add_facts(app: FastAPI, parser: Parser, settings: ServerSettings, metrics: Metrics) -> dict[str, Handle]:
    folder = parser.folder
    facts = compact_json(
        {
            "name": folder.path.resolve().name,
            "version": __version__,
            "precision": parser.backend.precision,
            "calibrated": folder.is_calibrated,
            "dependencies_calibrated": folder.dependencies_calibrated,
            "labels": list(dict.fromkeys(part for label in folder.labels for part in constituent_labels(label))),
            "tags": list(folder.tags),
            "relations": list(folder.relations),
            "universal_tags": list(folder.universal_tags),
            "decoders": list(TREE_DECODERS),
            "limits": settings.limits(),
        }
    )
    healthy = compact_json({"status": "ok"})

    @app.get(
        "/v1/model",
        summary="Describe the model and the limits",
        responses={200: {"model": schema.ModelAnswer}, **_DENIED},
    )
    async def model() -> Response:
        return json_response(facts)

    @app.head("/health", include_in_schema=False)
    @app.get("/health", summary="Say that the service is up", responses={200: {"model": schema.HealthAnswer}})
    async def health() -> Response:
        return json_response(healthy)

    @app.get(
        "/metrics",
        summary="Figures for Prometheus",
        responses={200: {"content": {"text/plain": {"schema": {"type": "string"}}}}, **_DENIED},
        response_class=Response,
    )
    async def figures() -> Response:
        return Response(metrics.text(), headers={"Content-Type": CONTENT_TYPE, "Cache-Control": "no-store"})

    def told(answer: Callable[[], bytes]) -> Handle:
        async def handle(_: bytes, __: Request) -> bytes:
            return answer()

        return handle

    return {"/v1/model": told(lambda: facts), "/health": told(lambda: healthy), "/metrics": told(metrics.text)}


def _add_page(app: FastAPI) -> None:
    @app.get("/", include_in_schema=False)
    async def page() -> Response:
        index = PAGE_FOLDER / "index.html"
        if not index.is_file():
            return error_response(404, "this installation has no page: the service is at /v1/parse, see /docs")
        return FileResponse(index, headers={"Cache-Control": _NO_CACHE})

    # Without `check_dir`, a missing folder makes every path in it a plain 404.
    app.mount(STATIC.rstrip("/"), _PageFiles(directory=PAGE_FOLDER, check_dir=False))


class _PageFiles(StaticFiles):
    """The page's files, which browsers ask for again at each visit: after an upgrade, old ones would not fit."""

    def file_response(
        self, full_path: str | PathLike[str], stat_result: stat_result, scope: Scope, status_code: int = 200
    ) -> Response:
        response = super().file_response(full_path, stat_result, scope, status_code)
        response.headers["Cache-Control"] = _NO_CACHE
        return response


def _named(name: str, route: Callable[[Request], Awaitable[Response]]) -> Callable[[Request], Awaitable[Response]]:
    """Return a route under the name that the documentation shows."""
    route.__name__ = name
    return route
