"""One line per request, through the logger `spanlin.access`."""

from __future__ import annotations

import logging
from urllib.parse import quote

from starlette.types import Scope

_LOG = logging.getLogger("spanlin.access")
_LONGEST_PATH = 200  # characters


def log_request(scope: Scope, *, request_id: str, status: int, seconds: float, answer_bytes: int) -> None:
    """Log an answered request: never its body, its query or its token.

    `method=POST path=/v1/parse status=200 ms=12.3 bytes=861 client=127.0.0.1 id=4f5e...`; a request whose client hung
    up has status 0.
    """
    if _LOG.isEnabledFor(logging.INFO):
        client = scope.get("client")
        _LOG.info(
            "method=%s path=%s status=%d ms=%.1f bytes=%d client=%s id=%s",
            scope["method"],
            quote(scope["path"], errors="replace")[:_LONGEST_PATH],  # a path may have line breaks in it
            status,
            1000 * seconds,
            answer_bytes,
            client[0] if client else "-",
            request_id,
        )
