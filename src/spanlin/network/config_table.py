"""Configuration dataclasses from nested tables, as TOML and JSON give them; every key and type is checked."""

from __future__ import annotations

import dataclasses
import types
import typing
from typing import Any, Literal, TypeVar

from spanlin.errors import ConfigError

Config = TypeVar("Config")


def config_from_table(kind: type[Config], table: dict[str, Any], key: str = "") -> Config:
    """Return a configuration dataclass from nested tables, checking every key and type."""
    hints = typing.get_type_hints(kind)
    known = {item.name for item in dataclasses.fields(kind)}  # type: ignore[arg-type]
    values: dict[str, Any] = {}
    for name, value in table.items():
        if name not in known:
            close = ", ".join(sorted(known))
            raise ConfigError(f"unknown key {key}{name}; known here: {close}")
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
            raise ConfigError(f"{key} must be a table, got {value!r}")
        return config_from_table(typing.cast(type[Any], hint), value, f"{key}.")
    if origin is Literal:
        if value not in arguments:
            raise ConfigError(f"{key} must be one of {', '.join(map(repr, arguments))}, got {value!r}")
        return value
    if origin is tuple:
        if not isinstance(value, list):
            raise ConfigError(f"{key} must be a list, got {value!r}")
        if arguments[-1] is Ellipsis:
            return tuple(_checked(arguments[0], item, f"{key}[{number}]") for number, item in enumerate(value))
        if len(value) != len(arguments):
            raise ConfigError(f"{key} must have {len(arguments)} items, got {len(value)}")
        return tuple(_checked(part, item, key) for part, item in zip(arguments, value, strict=True))
    if hint is float and isinstance(value, int) and not isinstance(value, bool):
        return float(value)
    if isinstance(hint, types.UnionType) or not isinstance(value, hint) or (hint is int and isinstance(value, bool)):
        raise ConfigError(f"{key} must be of type {hint.__name__}, got {value!r}")
    return value
