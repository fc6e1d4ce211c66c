"""Configurations: any bytes are a configuration that can be written and read again, or an error that names the file."""

from __future__ import annotations

import dataclasses
import random
import typing
from collections.abc import Callable
from pathlib import Path
from typing import Any, Literal

from fuzz.messages import check_message
from fuzz.target import Target, damage, work_folder
from fuzz.watch import watched
from spanlin.config.recipe import RECIPE, Recipe, load_recipe
from spanlin.config.training import TrainingConfig, config_to_toml, load_config
from spanlin.errors import ConfigError

_FOLDER = work_folder()
_MINIMAL = b'[[treebanks]]\nname = "t"\ntrain = "train.txt"\n'
_RECIPE = b"""title = "T"
description = "d"
intended_use = "u"
licence = "l"
student = "s.toml"
[dev]
wsj = "dev.txt"
[[sources]]
name = "n"
files = ["dev.txt"]
licence = "l"
"""
_VALUES = ["0", "1", "-1", "4", "true", "false", '""', '"a"', "[]", "{}", "0.5", "1.0", "-0.0", "1e308", "1e999", "nan"]
_VALUES += ["inf", "-inf", "1979-05-27", "07:32:00", "1979-05-27T07:32:00Z", "'''\na'''", '"\\u0000"', '"\\n"']
_VALUES += ["[1, 2]"]
_VALUES += ['["a"]', "[[1]]", "{a = 1}", "0xffff", "0b1", "0o7", "1_000", "4294967295", "9223372036854775808", "'\x7f'"]
_VALUES += ["9" * 400, "0x" + "f" * 4000, '"\\U0010FFFF"', '"é"', "[0.9, 0.98]", "[nan, 1]", '"\\u2028"', '"\\u0085"']
_PARTS = ["[", "]", "[[", "]]", "{", "}", "=", ",", ".", "#", '"', "'", '"""', "'''", "\n", "\r\n", "\t", "\\", " = "]
_PARTS += ["\0"]
_PARTS += [
    "[network]\n",
    "[network.lexical]\n",
    "[[treebanks]]\n",
    '"a\\nb" = 1\n',
    "\ufeff",
    "treebanks.x = 1\n",
    "\x7f",
]


def _check(raw: bytes) -> None:
    path = _FOLDER / RECIPE
    path.write_bytes(raw)
    config = _loaded(load_config, path, path)
    _loaded(load_recipe, _FOLDER, path)
    if config is None:
        return
    path.write_text(config_to_toml(config), encoding="utf-8")
    assert load_config(path) == config, "what is written reads back equal"


def _loaded(load: Callable[[Path], Any], argument: Path, path: Path) -> Any:
    """Return what is loaded, or None if it is refused as it should be."""
    try:
        with watched():
            return load(argument)
    except ConfigError as error:
        check_message(error, names=str(path))
        return None


def _keys(kind: type[Any], before: str = "") -> list[tuple[str, Any]]:
    """Return the keys of a configuration, dotted, and the type of each."""
    hints = typing.get_type_hints(kind)
    found: list[tuple[str, Any]] = []
    for item in dataclasses.fields(kind):
        hint, name = hints[item.name], f"{before}{item.name}"
        found += _keys(typing.cast(type[Any], hint), f"{name}.") if dataclasses.is_dataclass(hint) else [(name, hint)]
    return found


_KEYS = [("base", str), *_keys(TrainingConfig), *_keys(Recipe)]


def _fitting(hint: Any, generator: random.Random) -> str:
    """Return a value of the right type, mostly."""
    if typing.get_origin(hint) is Literal:
        return f'"{generator.choice(typing.get_args(hint))}"'
    if hint is bool:
        return generator.choice(("true", "false"))
    if hint in (int, float):
        number = generator.choice((generator.randrange(8) * 4, generator.randrange(-2, 10**6), generator.random()))
        return repr(number if hint is float else int(number))
    return generator.choice(_VALUES)


def _setting(generator: random.Random) -> bytes:
    key, hint = generator.choice(_KEYS)
    value = _fitting(hint, generator) if generator.random() < 0.7 else generator.choice(_VALUES)
    return f"{key} = {value}\n".encode()


def _mutate(raw: bytes, generator: random.Random) -> bytes:
    lines = raw.splitlines(keepends=True)
    match generator.randrange(6):
        case 0 | 1:  # a dotted key belongs before the first table
            lines.insert(0, _setting(generator))
        case 2 if lines:
            place = generator.randrange(len(lines))
            key, equals, _ = lines[place].partition(b"=")
            if equals:
                lines[place] = key + b"= " + generator.choice(_VALUES).encode() + b"\n"
        case 3 if lines:
            del lines[generator.randrange(len(lines))]
        case 4 if lines:
            lines.insert(generator.randrange(len(lines) + 1), generator.choice(lines))
        case _:
            return damage(raw, generator, [part.encode() for part in (*_PARTS, *_VALUES)])
    return b"".join(lines)


def _seeds() -> list[bytes]:
    generator = random.Random(1)
    whole = config_to_toml(_load_minimal()).encode()
    return [_MINIMAL, _RECIPE, whole, *(_setting(generator) + _MINIMAL for _ in range(40))]


def _load_minimal() -> TrainingConfig:
    """Return the configuration with nothing but a treebank."""
    path = _FOLDER / "minimal.toml"
    path.write_bytes(_MINIMAL)
    return load_config(path)


TARGET = Target(check=_check, mutate=_mutate, seeds=_seeds, longest=10_000, blind_share=0.3)
