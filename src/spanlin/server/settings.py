"""What a service allows: its limits, who may call it, and how much may wait."""

from __future__ import annotations

import re
from dataclasses import dataclass, fields
from typing import Any

from spanlin.errors import ConfigError

_ORIGIN = re.compile(r"\*|https?://[^/\s?#@]+")
_TOKEN = re.compile(r"[!-~]*")

LIMITS = (
    *("max_body_bytes", "max_items", "max_sentences", "max_words", "max_sentence_words", "max_word_characters"),
    *("max_cells", "max_spans", "max_k_best", "max_trees", "time_limit"),
)
"""The settings that a client may want to know."""


@dataclass(frozen=True, kw_only=True)
class ServerSettings:
    """The settings of a service.

    Without a token, anyone who can reach it may use it; without origins, no other site's pages may.
    """

    token: str = ""
    cors_origins: tuple[str, ...] = ()
    max_body_bytes: int = 1_000_000
    max_items: int = 1_000
    """Texts, or tokenized sentences, per request."""
    max_sentences: int = 2_000
    max_words: int = 60_000
    """Words per request, in all its sentences."""
    max_sentence_words: int = 500
    max_word_characters: int = 1_000
    max_cells: int = 1_000_000
    """Squared lengths of a request's sentences, times the trees for each, if more than plain trees is asked for."""
    max_spans: int = 500
    """Required and forbidden spans and arcs per request."""
    max_k_best: int = 20
    max_trees: int = 5_000
    """Gold trees per evaluation."""
    max_requests: int = 256
    """Requests with a body that are handled at a time; others are asked to try again."""
    queue_sentences: int = 4_000
    queue_words: int = 120_000
    batch_words: int = 1_500
    """Words that a worker takes from the queue at a time."""
    time_limit: float = 30.0
    """Seconds after which a request is given up."""
    shutdown_seconds: int = 30
    """Seconds in which accepted requests must be answered after a stop signal."""

    def __post_init__(self) -> None:
        for item in fields(self):
            value: Any = getattr(self, item.name)
            if item.type in {"int", "float"} and not 0 < value < float("inf"):
                raise ConfigError(f"server.{item.name} must be above 0, got {value}")
        for unit in ("sentences", "words"):
            most, room = getattr(self, f"max_{unit}"), getattr(self, f"queue_{unit}")
            if most > room:
                raise ConfigError(
                    f"server.queue_{unit} must be at least max_{unit}, {most}, got {room}: a full request would never "
                    "be accepted"
                )
        if not _TOKEN.fullmatch(self.token):
            raise ConfigError("server.token may only have visible ASCII characters, and no spaces")
        for origin in self.cors_origins:
            if not _ORIGIN.fullmatch(origin):
                raise ConfigError(
                    f"server.cors_origins: {origin!r} is not an origin; write it as a browser does: https://name, "
                    "https://name:8080, or * for all"
                )

    def limits(self) -> dict[str, int | float]:
        """Return the limits that a client may want to know."""
        return {name: getattr(self, name) for name in LIMITS}
