"""The id of a request: its client's, if it sends a sane one, else one of ours. It is in the answer and in the log."""

from __future__ import annotations

import random
import re
from collections.abc import Iterable
from contextvars import ContextVar

HEADER = "X-Request-ID"
# Nothing that could break a line of a log, or a header.
_SANE = re.compile(rb"[A-Za-z0-9._-]{1,64}")
# An id need not be a secret, and the system's random numbers take longer than all else that the gate does.
_numbers = random.Random()

current_request_id: ContextVar[str] = ContextVar("current_request_id", default="")
"""The id of the request that this task answers; empty outside of one."""


def read_request_id(headers: Iterable[tuple[bytes, bytes]]) -> str:
    """Return the id in a request's headers, or a new one if there is none or it is not sane."""
    name = HEADER.lower().encode()
    given = next((value for key, value in headers if key == name), b"")
    return given.decode() if _SANE.fullmatch(given) else f"{_numbers.getrandbits(128):032x}"
