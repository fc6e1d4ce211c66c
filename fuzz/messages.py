"""The one form that the errors of this package have."""

from __future__ import annotations

from spanlin.errors import SpanlinError

_LONGEST = 1_000  # characters


def check_message(error: SpanlinError, *, names: str = "") -> None:
    """Check that an error is one line that can be shown, is not too long and first names its source."""
    message = str(error)
    assert message.strip(), "an error says something"
    assert message.startswith(names), f"an error says where: {message[:300]!r}"
    assert len(message.splitlines()) == 1, f"one line: {message[:300]!r}"
    assert len(message) <= _LONGEST, f"{len(message)} characters: {message[:300]!r}"
    message.encode("utf-8", "surrogateescape")
