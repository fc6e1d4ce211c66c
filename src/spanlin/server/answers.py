"""Answers: JSON that is already written, and errors in one form."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from fastapi import Response
from pydantic_core import PydanticSerializationError, to_json

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
    return json_response(json_bytes({"error": error}), status, headers)


def json_response(body: bytes, status: int = 200, headers: Mapping[str, str] | None = None) -> Response:
    """Return an answer from JSON that is already written."""
    return Response(body, status, {"Cache-Control": "no-store", **(headers or {})}, "application/json")


def json_bytes(value: Any) -> bytes:
    """Return a value as JSON in UTF-8; NaN and infinity are null, and a lone surrogate is escaped."""
    try:
        # Several times as fast as json.dumps, and comes with pydantic.
        return to_json(value, inf_nan_mode="null")
    except (PydanticSerializationError, UnicodeEncodeError):
        return json.dumps(value).encode()
