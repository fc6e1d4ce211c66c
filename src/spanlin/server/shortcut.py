"""A way past the router for the one route that has to be fast: looking for it takes longer than its own work."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

from starlette.requests import Request
from starlette.responses import Response
from starlette.types import ASGIApp, Receive, Scope, Send


class Shortcut:
    """Middleware that hands POST requests for one path to its route, and all others to the application.

    The route must answer its errors itself; whatever else it raises goes to the middleware around this one.
    """

    def __init__(self, app: ASGIApp, *, path: str, route: Callable[[Request], Awaitable[Response]]) -> None:
        self._app = app
        self._path = path
        self._route = route

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request, or let it through; one behind a prefix is left to the router, which takes it off."""
        if (
            scope["type"] == "http"
            and scope["path"] == self._path
            and scope["method"] == "POST"
            and not scope.get("root_path")
        ):
            response = await self._route(Request(scope, receive))
            await response(scope, receive, send)
        else:
            await self._app(scope, receive, send)
