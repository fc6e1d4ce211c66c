"""Models beside each other: what `spanlin bench` measures of each, in fresh processes that take turns."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from statistics import median
from typing import Any

MEASURED = ("rate", "rate_one_by_one", "latency_p50", "latency_p99", "start_seconds", "peak_memory_mb")


def in_turn(
    models: Sequence[str],
    file: Path,
    *,
    rounds: int,
    seconds: float,
    measure: Callable[..., dict[str, Any]] | None = None,
) -> dict[str, Any]:
    """Return each model's medians over all rounds, every round's rate, and the ratio of the rate to the first model's.

    A round measures every model once, so that what else the machine does is shared by all.
    """
    measure = measure or _measure
    found: dict[str, list[dict[str, Any]]] = {model: [] for model in models}
    for _ in range(rounds):
        for model in models:
            found[model].append(measure(model, file, seconds=seconds))
    rows = {
        model: {key: median(one[key] for one in turns) for key in MEASURED} | {"rates": [one["rate"] for one in turns]}
        for model, turns in found.items()
    }
    first = rows[models[0]]["rate"]
    one = found[models[0]][0]
    return {
        "machine": one["machine"],
        "threads": one["threads"],
        "sentences": one["sentences"],
        "mean_words": one["mean_words"],
        "rounds": rounds,
        "models": {model: row | {"times_the_first": row["rate"] / first} for model, row in rows.items()},
    }


def _measure(model: str, file: Path, *, seconds: float) -> dict[str, Any]:
    """Return what `spanlin bench` says of a model in a separate process."""
    command = [
        sys.executable,
        "-m",
        "spanlin",
        "bench",
        "--json",
        "--seconds",
        str(seconds),
        "--model",
        model,
        str(file),
    ]
    run = subprocess.run(command, capture_output=True, text=True, check=False)
    if run.returncode:
        raise ValueError(f"{model}: {run.stderr.strip()}")
    measured: dict[str, Any] = json.loads(run.stdout)
    return measured
