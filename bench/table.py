"""Figures beside their targets, as a table and as JSON, with the machine they were measured on."""

from __future__ import annotations

import json
import os
import platform
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
from rich.console import Console
from rich.table import Table

import spanlin


class Figure(NamedTuple):
    """One measured number; the target is empty where there is none."""

    name: str
    measured: float
    unit: str
    target: str
    met: bool


def print_table(figures: Sequence[Figure], *, title: str) -> None:
    """Print the figures and the machine."""
    # Not cut to the width of a terminal, so that the table can be kept in a file.
    console = Console(width=132, highlight=False)
    table = Table(title=title, caption=", ".join(f"{key} {value}" for key, value in machine().items()))
    for column in ("figure", "measured", "unit", "target", "met?"):
        table.add_column(column, justify="right" if column == "measured" else "left", no_wrap=True)
    for figure in figures:
        measured = f"{figure.measured:,.0f}" if figure.measured >= 100 else f"{figure.measured:.3g}"
        met = "" if not figure.target else "yes" if figure.met else "NO"
        table.add_row(figure.name, measured, figure.unit, figure.target, met)
    console.print(table)


def to_json(figures: Sequence[Figure]) -> str:
    """Return the figures and the machine as one JSON object."""
    rows = [figure._asdict() | {"met": figure.met if figure.target else None} for figure in figures]
    return json.dumps({"machine": machine(), "figures": rows}, indent=2) + "\n"


def machine() -> dict[str, str]:
    """Return what the figures depend on in addition to the code."""
    return {
        "cpu": _cpu_model(),
        "cores": str(os.cpu_count()),
        "system": f"{platform.system()} {platform.machine()}",
        "python": platform.python_version(),
        "numpy": np.__version__,
        "spanlin": spanlin.__version__,
    }


def _cpu_model() -> str:
    if sys.platform == "linux":
        for line in Path("/proc/cpuinfo").read_text().splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    return platform.processor() or "unknown"
