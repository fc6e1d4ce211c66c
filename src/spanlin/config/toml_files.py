"""TOML files as nested tables; a file may name another as its `base` and hold only what it changes."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from spanlin.config.table import shown
from spanlin.errors import ConfigError

_MOST_BYTES = 32_000  # of a configuration file
_LONGEST_PATH = 200  # of a base: error messages show it


def read_toml(path: str | Path) -> dict[str, Any]:
    """Return what one TOML file holds; its author is not trusted to keep it small."""
    try:
        with open(path, "rb") as stream:
            raw = stream.read(_MOST_BYTES + 1)
        if len(raw) > _MOST_BYTES:  # Python's reader takes quadratic time for a key with very many parts
            raise ConfigError(f"{path}: has more than {_MOST_BYTES} bytes: too long for a configuration")
        return tomllib.loads(raw.decode("utf-8"))
    except OSError as error:
        raise ConfigError(f"{path}: cannot be read: {error.strerror}") from error
    except RecursionError as error:
        raise ConfigError(f"{path}: not TOML: nested too deeply") from error
    except ValueError as error:  # bad syntax, bad UTF-8, or a number of thousands of digits
        raise ConfigError(f"{path}: not TOML: {' '.join(str(error).split())[:200]}") from error


def read_toml_with_base(path: str | Path) -> dict[str, Any]:
    """Return a file's table laid over that of its `base`, a path relative to the file, and so on; no `base` remains.

    Tables are merged key by key; lists, those of tables too, are replaced as a whole.
    """
    changes: list[dict[str, Any]] = []
    seen: list[Path] = []
    current: Path | None = Path(path)
    while current is not None:
        if current.resolve() in seen:
            raise ConfigError(f"{path}: its bases form a circle: {current.name} comes up twice")
        seen.append(current.resolve())
        table = _read_base(current, path)
        base = table.pop("base", None)
        changes.append(table)
        if base is not None and not (isinstance(base, str) and base.isprintable() and 0 < len(base) <= _LONGEST_PATH):
            raise ConfigError(f"{path}: base must be the path of another configuration, got {shown(base)}")
        current = None if base is None else current.parent / base
    merged: dict[str, Any] = {}
    for table in reversed(changes):
        merged = merge_tables(merged, table)
    return merged


def _read_base(current: Path, path: str | Path) -> dict[str, Any]:
    try:
        return read_toml(current)
    except ConfigError as error:
        if current == Path(path):
            raise
        raise ConfigError(f"{path}: its base {error}") from error


def merge_tables(table: Mapping[str, Any], changes: Mapping[str, Any]) -> dict[str, Any]:
    """Return nested tables with some of their keys changed."""
    result = dict(table)
    for key, value in changes.items():
        old = result.get(key)
        result[key] = merge_tables(old, value) if isinstance(old, dict) and isinstance(value, dict) else value
    return result
