"""What every request passes: its id, the token, the limit on requests, headers, the last catch for errors, the log."""

from __future__ import annotations

import hmac
import logging
import time
from collections.abc import Sequence

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from spanlin.server.access_log import log_request
from spanlin.server.answers import error_response
from spanlin.server.metrics import Metrics
from spanlin.server.request_ids import HEADER, current_request_id, read_request_id
from spanlin.server.settings import ServerSettings

_LOG = logging.getLogger(__name__)
STATIC = "/static/"
# A browser asks for the page before anyone can give it the token; the page's own requests need the token. How to send
# it is in the documentation.
_OPEN = frozenset(["/", "/docs", "/openapi.json", "/health"])
_HEADERS = [
    (b"x-content-type-options", b"nosniff"),
    (b"x-frame-options", b"DENY"),
    (b"referrer-policy", b"no-referrer"),
    (b"cross-origin-opener-policy", b"same-origin"),
    (
        b"content-security-policy",
        b"default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; font-src 'self'; "
        b"img-src 'self' data: blob:; manifest-src 'self'; base-uri 'none'; form-action 'none'; "
        b"frame-ancestors 'none'",
    ),
]


class Gate:
    """Middleware in front of the application."""

    def __init__(self, app: ASGIApp, *, settings: ServerSettings, metrics: Metrics, routes: Sequence[str]) -> None:
        self._app = app
        self._metrics = metrics
        self._routes = frozenset(routes)
        self._authorization = f"Bearer {settings.token}".encode() if settings.token else b""
        self._max_requests = settings.max_requests
        self._requests = 0

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Let a request through, or answer it."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        start = time.perf_counter()
        path = scope["path"]
        status = sent = 0
        request_id = read_request_id(scope["headers"])
        current_request_id.set(request_id)

        async def send_with_headers(message: Message) -> None:
            nonlocal status, sent
            if message["type"] == "http.response.start":
                status = message["status"]
                own = (HEADER.lower().encode(), request_id.encode())
                message["headers"] = [*message.get("headers", ()), own, *_HEADERS]
            sent += len(message.get("body", b""))
            await send(message)

        counts = scope["method"] == "POST"
        self._requests += counts
        try:
            if not self._may_pass(path, scope["headers"]):
                message = "this service needs a token: send the header Authorization: Bearer TOKEN"
                answer = error_response(401, message, {"WWW-Authenticate": "Bearer"})
                await answer(scope, receive, send_with_headers)
            elif "\0" in path:  # older versions of starlette fail when they look for a file with such a name
                answer = error_response(404, "there is nothing at this path: see /docs")
                await answer(scope, receive, send_with_headers)
            elif counts and self._requests > self._max_requests:
                answer = error_response(503, "too many requests at a time; try again", {"Retry-After": "1"})
                await answer(scope, receive, send_with_headers)
            else:
                await self._app(scope, receive, send_with_headers)
        except Exception:
            _LOG.exception("request %s failed", request_id)
            if status:
                raise  # half an answer is sent: all that is left is to break the connection
            await error_response(500, "internal error; the service's log says more")(scope, receive, send_with_headers)
        finally:
            self._requests -= counts
            seconds = time.perf_counter() - start
            self._metrics.answered(self._route(path), status, seconds)
            log_request(scope, request_id=request_id, status=status, seconds=seconds, answer_bytes=sent)

    def _may_pass(self, path: str, headers: list[tuple[bytes, bytes]]) -> bool:
        if not self._authorization or path in _OPEN or path.startswith(STATIC):
            return True
        given = next((value for name, value in headers if name == b"authorization"), b"")
        return hmac.compare_digest(given, self._authorization)

    def _route(self, path: str) -> str:
        """Return one of a few names: requests for paths that do not exist must not fill our memory."""
        if path in self._routes:
            return path
        return STATIC if path.startswith(STATIC) else "other"
