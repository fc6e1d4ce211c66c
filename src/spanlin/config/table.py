"""Configuration dataclasses from nested tables, as TOML and JSON give them; every key and type is checked."""

from __future__ import annotations

import dataclasses
import math
import re
import types
import typing
from typing import Any, Literal, TypeVar

from spanlin.errors import ConfigError

Config = TypeVar("Config")

_LARGEST = 2**63 - 1  # what TOML promises to hold
_PLAIN_KEY = re.compile(r"[\w-]{1,60}", re.ASCII)
_MOST_SHOWN = 80


def config_from_table(kind: type[Config], table: dict[str, Any], key: str = "") -> Config:
    """Return a configuration dataclass from nested tables, checking every key and type."""
    hints = typing.get_type_hints(kind)
    known = {item.name for item in dataclasses.fields(kind)}  # type: ignore[arg-type]
    values: dict[str, Any] = {}
    for name, value in table.items():
        if name not in known:
            close = ", ".join(sorted(known))
            written = name if _PLAIN_KEY.fullmatch(name) else shown(name)
            raise ConfigError(f"unknown key {key}{written}; known here: {close}")
        values[name] = _checked(hints[name], value, f"{key}{name}")
    for item in dataclasses.fields(kind):  # type: ignore[arg-type]
        if (
            item.name not in values
            and item.default is dataclasses.MISSING
            and item.default_factory is dataclasses.MISSING
        ):
            raise ConfigError(f"the key {key}{item.name} is missing")
    return kind(**values)


def _checked(hint: Any, value: Any, key: str) -> Any:
    origin = typing.get_origin(hint)
    arguments = typing.get_args(hint)
    if dataclasses.is_dataclass(hint):
        if not isinstance(value, dict):
            raise ConfigError(f"{key} must be a table, got {shown(value)}")
        return config_from_table(typing.cast(type[Any], hint), value, f"{key}.")
    if origin is Literal:
        if value not in arguments:
            raise ConfigError(f"{key} must be one of {', '.join(map(repr, arguments))}, got {shown(value)}")
        return value
    if origin is tuple:
        if not isinstance(value, list):
            raise ConfigError(f"{key} must be a list, got {shown(value)}")
        if arguments[-1] is Ellipsis:
            return tuple(_checked(arguments[0], item, f"{key}[{number}]") for number, item in enumerate(value))
        if len(value) != len(arguments):
            raise ConfigError(f"{key} must have {len(arguments)} items, got {len(value)}")
        return tuple(_checked(part, item, key) for part, item in zip(arguments, value, strict=True))
    if hint in (int, float) and isinstance(value, int | float) and not _is_in_range(value):
        raise ConfigError(f"{key} must be a finite number, a whole one at most {_LARGEST}, got {shown(value)}")
    if hint is float and isinstance(value, int) and not isinstance(value, bool):
        return float(value)
    if isinstance(hint, types.UnionType) or not isinstance(value, hint) or (hint is int and isinstance(value, bool)):
        raise ConfigError(f"{key} must be of type {hint.__name__}, got {shown(value)}")
    return value


def _is_in_range(value: float) -> bool:
    return abs(value) <= _LARGEST if isinstance(value, int) else math.isfinite(value)


def shown(value: Any) -> str:
    """Return a value as an error message has room for it."""
    try:
        text = repr(value)
    except ValueError:  # Python writes no number of thousands of digits, though it reads them in hexadecimal
        return "a number of very many digits"
    return text if len(text) <= _MOST_SHOWN else f"{text[:_MOST_SHOWN]}..."
