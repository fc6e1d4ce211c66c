"""Untrusted JSON: no key twice, no NaN, no depth without end, nothing that cannot be written again."""

from __future__ import annotations

import json
from typing import Any, NoReturn

from spanlin.errors import CheckpointError

_DEEPEST = 64


def read_strictly(raw: bytes, source: str) -> Any:
    """Return what some bytes of JSON hold, or raise a CheckpointError that names their source."""
    try:
        return parse_strictly(raw)
    except RecursionError as error:
        raise CheckpointError(f"{source}: damaged: nested too deeply") from error
    except ValueError as error:
        raise CheckpointError(f"{source}: damaged: {_one_line(str(error))}") from error


def parse_strictly(raw: bytes) -> Any:
    """Return what some bytes of JSON hold.

    Raises a ValueError on bad UTF-8, bad syntax, NaN, infinity, a number of thousands of digits, or a key that stands
    twice, for readers differ on which of the two counts; and a RecursionError on endless depth.
    """
    return json.loads(raw.decode("utf-8"), object_pairs_hook=_unique, parse_constant=_refuse)


def check_plain(value: Any, source: str) -> None:
    """Raise a CheckpointError if a value from JSON is so deep or so odd that it cannot be written again."""
    level, depth = [value], 0
    while level:
        if depth > _DEEPEST:
            raise CheckpointError(f"{source}: damaged: nested deeper than {_DEEPEST} levels")
        below: list[Any] = []
        for item in level:
            if isinstance(item, dict):
                below += [*item.keys(), *item.values()]
            elif isinstance(item, list):
                below += item
            elif isinstance(item, str) and not item.isascii():
                try:
                    item.encode("utf-8")
                except UnicodeEncodeError as error:
                    raise CheckpointError(f"{source}: damaged: half a surrogate pair in {_clipped(item)}") from error
        level, depth = below, depth + 1


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        seen: set[str] = set()
        twice = next(key for key, _ in pairs if key in seen or seen.add(key))  # type: ignore[func-returns-value]
        raise ValueError(f"the key {_clipped(twice)} appears twice")
    return found


def _refuse(constant: str) -> NoReturn:
    raise ValueError(f"{constant} is not a JSON number")


def _clipped(text: str) -> str:
    return ascii(text[:40])


def _one_line(text: str) -> str:
    return " ".join(text.split())[:200]
