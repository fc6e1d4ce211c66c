"""The generated files: their places and their text."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from web.generate.sample_decodings import LABELS, TEMPERATURES, sample_decodings
from web.generate.sample_parses import sample_parses
from web.generate.shared_tables import runtime, splitting

from spanlin.parser import Parser

WEB = Path(__file__).resolve().parents[1]
_GENERATED = WEB / "src" / "generated"
_SAMPLES = WEB / "test" / "samples"
_HEADER = "// Written by `python -m web.generate` from the Python modules of the same names: change those.\n\n"


def shared_files() -> dict[Path, str]:
    """Return the files that the package itself goes by."""
    tables = {"splitting": splitting(), "runtime": runtime()}
    return {
        _GENERATED / f"{name}.ts": f"{_HEADER}export const {name.upper()} = {_as_json(found, indent=1)};\n"
        for name, found in tables.items()
    }


def sample_files() -> dict[Path, str]:
    """Return the files that the package's tests compare with."""
    decodings = {
        "labels": LABELS,
        "temperatures": {"splits": TEMPERATURES.splits, "labels": TEMPERATURES.labels},
        "samples": sample_decodings(),
    }
    parses = sample_parses(Parser.load("en", threads=1))
    samples = {"decodings": _as_json(decodings), "parses": _as_json(parses)}
    return {_SAMPLES / f"{name}.json": found + "\n" for name, found in samples.items()}


def _as_json(found: Any, *, indent: int | None = None) -> str:
    return json.dumps(found, ensure_ascii=True, indent=indent, sort_keys=indent is not None)
