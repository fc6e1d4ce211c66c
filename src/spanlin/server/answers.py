"""Answers: JSON that is already written, and errors in one form."""

from __future__ import annotations

from collections.abc import Mapping

from fastapi import Response

from spanlin.compact_json import compact_json
from spanlin.server.request_ids import current_request_id

_CODES = {
    400: "bad_request",
    401: "unauthorized",
    404: "not_found",
    405: "method_not_allowed",
    408: "timeout",
    413: "too_large",
    415: "unsupported_media_type",
    422: "unprocessable",
    500: "internal",
    503: "overloaded",
    504: "timeout",
}
STATUSES = tuple(_CODES)


class RequestError(Exception):
    """A request that gets an error instead of an answer; the message is one line."""

    def __init__(self, status: int, message: str, *, headers: Mapping[str, str] | None = None) -> None:
        super().__init__(message)
        self.status = status
        self.headers = dict(headers or {})


def error_response(status: int, message: str, headers: Mapping[str, str] | None = None) -> Response:
    """Return the answer to a request that failed."""
    error = {
        "code": _CODES.get(status, "error"),
        "message": " ".join(message.split()),
        "request_id": current_request_id.get(),
    }
    return json_response(compact_json({"error": error}), status, headers)


def json_response(body: bytes, status: int = 200, headers: Mapping[str, str] | None = None) -> Response:
    """Return an answer from JSON that is already written."""
    return Response(body, status, {"Cache-Control": "no-store", **(headers or {})}, "application/json")
