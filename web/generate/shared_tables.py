"""What the npm package takes from Python's modules as it stands there: patterns, lists of words, numbers."""

from __future__ import annotations

import re
from enum import IntEnum
from types import ModuleType
from typing import Any

from web.generate.javascript_patterns import to_javascript

from spanlin.model_folder import calibration
from spanlin.runtime import confidence, pieces, windows
from spanlin.text import chunks, lines, patterns, segmenter, vocabulary
from spanlin.trees import escapes, transforms


def splitting() -> dict[str, Any]:
    """Return all that the splitting of text goes by, except its steps."""
    ends = segmenter._ENDS_BEFORE
    return {
        "vocabulary": constants(vocabulary),
        "TOKEN": to_javascript(patterns.token_pattern(split_hyphens=True)),
        "chunks": constants(chunks),
        "lines": constants(lines),
        "segmenter": {
            **constants(segmenter),
            "ENDS_BEFORE": {ending.name: sorted(start.name for start in ends[ending]) for ending in ends},
        },
        # Characters that count as digits without being decimal, such as superscripts.
        "DIGITS": "".join(char for char in map(chr, range(0x110000)) if char.isdigit() and not char.isdecimal()),
    }


def runtime() -> dict[str, Any]:
    """Return what words, pieces, probabilities and brackets go by."""
    modules = {
        "calibration": calibration,
        "confidence": confidence,
        "escapes": escapes,
        "pieces": pieces,
        "transforms": transforms,
        "windows": windows,
    }
    return {name: constants(module) for name, module in modules.items()}


def constants(module: ModuleType) -> dict[str, Any]:
    """Return the constants of a module that JSON can hold, by their names without underscore, and its enumerations."""
    found: dict[str, Any] = {}
    for name, value in vars(module).items():
        key = name.lstrip("_")
        if isinstance(value, type) and issubclass(value, IntEnum) and value.__module__ == module.__name__:
            found[key] = {member.name: member.value for member in value}
        elif isinstance(value, re.Pattern):
            found[key] = to_javascript(value)
        elif name.startswith("__") or not key.isupper():
            continue
        elif isinstance(value, frozenset) and all(isinstance(one, str) for one in value):
            found[key] = sorted(value)
        elif _is_plain(value):
            found[key] = value
    return found


def _is_plain(value: Any) -> bool:
    if isinstance(value, dict):
        return all(isinstance(key, str) and isinstance(one, (str, int)) for key, one in value.items())
    if isinstance(value, tuple):
        return all(isinstance(one, str) for one in value)
    if isinstance(value, str):
        return "\\" not in value  # else it is a part of patterns, in Python's syntax
    return isinstance(value, (int, float))
