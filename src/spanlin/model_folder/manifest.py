"""What a manifest may say: the type and the bounds of every value."""

from __future__ import annotations

import re
from dataclasses import fields
from typing import Any

from spanlin.decoding.labelled import Temperatures
from spanlin.errors import CheckpointError
from spanlin.model_folder.calibration import ArcCalibration, Calibration
from spanlin.model_folder.network_input import FILES, NetworkInput

MANIFEST, GRAPH, LABEL_GRAPH, CARD = "manifest.json", "graph.onnx", "labels.onnx", "card.md"
RELATION_GRAPH = "relations.onnx"
"""Only there if the model gives dependencies."""
WEIGHTS = "weights.safetensors"
"""Only there if the folder was exported for torch too."""

_MOST_FILES = 100
_MOST_LABELS = 20_000
_LONGEST_LABEL = 500
_MOST_PIECES = 100_000
_MOST_SHAPE_STEP = 10_000_000
_FARTHEST = 1e6  # of a weight of the calibration
_COLDEST = 1e-3  # of a temperature
_FILE_NAME = re.compile(r"[\w.\-]{1,100}", re.ASCII)
_SUM = re.compile(r"[0-9a-f]{64}")
_NOT_IN_LABELS = re.compile(r"[ ()]")


def read_facts(manifest: dict[str, Any], source: str) -> dict[str, Any]:
    """Return the values of a manifest that are fields of a `ModelFolder`, or raise a CheckpointError."""
    details = _value(manifest, "details", source)
    if not isinstance(details, dict):
        raise _damaged(source, "details must be an object")
    precision = _value(manifest, "precision", source)
    if not isinstance(precision, str) or not precision.isascii() or not precision.isalnum() or len(precision) > 20:
        raise _damaged(source, "precision must be a short word")
    own = _network_input(manifest, "", source)
    return {
        "precision": precision,
        "input": own.kind,
        "piece_limit": own.piece_limit,
        "shape_step": own.shape_step,
        "tagger": _tagger(manifest, source),
        "one_by_one": _flag(manifest, "one_by_one", source),
        "labels": _names(manifest, "labels", source),
        "tags": _names(manifest, "tags", source),
        **_dependency_facts(manifest, source),
        "calibration": Calibration(**_numbers(manifest, "calibration", Calibration, source)),
        "temperatures": _temperatures(manifest, source),
        "details": details,
    }


def _dependency_facts(manifest: dict[str, Any], source: str) -> dict[str, Any]:
    """Return the relations and universal tags of a model that gives dependencies, and how its arcs are calibrated.

    A model has both kinds of names or neither. Folders that were exported before arcs could be calibrated say nothing
    of that.
    """
    keys = ("relations", "universal_tags")
    key = "arc_calibration"
    if not any(name in manifest for name in (*keys, key)):
        return {}
    facts: dict[str, Any] = {name: _names(manifest, name, source) for name in keys}
    if key in manifest:
        facts[key] = ArcCalibration(**_numbers(manifest, key, ArcCalibration, source))
    return facts


def read_files(manifest: dict[str, Any], source: str) -> dict[str, str]:
    """Return the files that a manifest lists and their sums, or raise a CheckpointError."""
    files = _value(manifest, "files", source)
    if not isinstance(files, dict) or len(files) > _MOST_FILES:
        raise _damaged(source, f"files must be an object of at most {_MOST_FILES} names")
    for name, value in files.items():
        if not _FILE_NAME.fullmatch(name) or name in (".", "..", MANIFEST):
            raise _damaged(source, f"{ascii(name)[:60]} is not a plain file name")
        if not isinstance(value, str) or not _SUM.fullmatch(value):
            raise _damaged(source, f"files: {name} has no SHA-256 sum")
    return files


def _network_input(table: dict[str, Any], prefix: str, source: str) -> NetworkInput:
    kind = table.get("input", "pieces")  # which folders were that were exported before there was another
    if not isinstance(kind, str) or kind not in FILES:
        raise _damaged(source, f"{prefix}input must be one of {', '.join(FILES)}")
    if kind == "lexical":
        return NetworkInput(kind="lexical")
    return NetworkInput(
        piece_limit=_whole(table, "piece_limit", source, least=3, most=_MOST_PIECES, prefix=prefix),
        shape_step=_whole(table, "shape_step", source, least=0, most=_MOST_SHAPE_STEP, prefix=prefix),
    )


def _tagger(manifest: dict[str, Any], source: str) -> NetworkInput | None:
    table = manifest.get("tagger")
    if table is None:
        return None
    if not isinstance(table, dict):
        raise _damaged(source, "tagger must be an object")
    return _network_input(table, "tagger.", source)


def _flag(manifest: dict[str, Any], key: str, source: str) -> bool:
    value = manifest.get(key, False)
    if not isinstance(value, bool):
        raise _damaged(source, f"{key} must be true or false")
    return value


def _value(manifest: dict[str, Any], key: str, source: str, *, prefix: str = "") -> Any:
    if key not in manifest:
        raise _damaged(source, f"{prefix}{key} is missing")
    return manifest[key]


def _whole(manifest: dict[str, Any], key: str, source: str, *, least: int, most: int, prefix: str = "") -> int:
    value = _value(manifest, key, source, prefix=prefix)
    if not isinstance(value, int) or isinstance(value, bool) or not least <= value <= most:
        raise _damaged(source, f"{prefix}{key} must be a whole number from {least} to {most}")
    return value


def _names(manifest: dict[str, Any], key: str, source: str) -> tuple[str, ...]:
    value = _value(manifest, key, source)
    if not isinstance(value, list) or not 0 < len(value) <= _MOST_LABELS:
        raise _damaged(source, f"{key} must be a list of 1 to {_MOST_LABELS} names")
    for place, name in enumerate(value):
        # What is not printable are control characters, all other white space, and what turns the direction of writing.
        if (
            not isinstance(name, str)
            or len(name) > _LONGEST_LABEL
            or not name.isprintable()
            or _NOT_IN_LABELS.search(name)
        ):
            raise _damaged(source, f"{key}[{place}] must be a name without spaces, brackets or control characters")
    return tuple(value)


def _temperatures(manifest: dict[str, Any], source: str) -> Temperatures:
    if "temperatures" not in manifest:  # of a folder that was exported before there were any
        return Temperatures()
    table = _numbers(manifest, "temperatures", Temperatures, source)
    for name, value in table.items():
        if not value >= _COLDEST:
            raise _damaged(source, f"temperatures.{name} must be at least {_COLDEST:g}")
    return Temperatures(**table)


def _numbers(manifest: dict[str, Any], key: str, kind: type[Any], source: str) -> dict[str, float]:
    """Return the fields of a dataclass of numbers."""
    table = _value(manifest, key, source)
    names = [item.name for item in fields(kind)]
    if not isinstance(table, dict) or set(table) != set(names):
        raise _damaged(source, f"{key} must be an object of {', '.join(names)}")
    for name, value in table.items():
        if not isinstance(value, int | float) or isinstance(value, bool) or not abs(value) <= _FARTHEST:
            raise _damaged(source, f"{key}.{name} must be a number between -{_FARTHEST:g} and {_FARTHEST:g}")
    return {name: float(value) for name, value in table.items()}


def _damaged(source: str, reason: str) -> CheckpointError:
    return CheckpointError(f"{source}: damaged: {reason}; export the model again")
