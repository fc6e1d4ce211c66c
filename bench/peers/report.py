"""The comparison as a Markdown table for the README, and as a plot."""

from __future__ import annotations

import importlib
from collections.abc import Sequence
from pathlib import Path
from typing import Any

Result = dict[str, Any]

COLUMNS = (
    "parser",
    "threads",
    "sentences/s, best batch",
    "sentences/s, one by one",
    "25 words, p50 / p99 ms",
    "start to first tree, s",
    "peak memory, MB",
    "installed, MB",
)


def to_markdown(found: Result) -> str:
    """Return one table, what it was measured on, and one line for each parser that failed."""
    results: list[Result] = found["results"]
    measured = [result for result in results if "failed" not in result]
    lines = [_row(COLUMNS), _row(["---", *["---:"] * (len(COLUMNS) - 1)]), *(_row(_cells(r)) for r in measured)]
    lines += ["", _footing(found)]
    lines += _limits(measured)
    lines += _weights(results)
    lines += [f"- {result['name']}, {_threads(result)}: not measured ({result['failed']})."
              for result in results if "failed" in result]  # fmt: skip
    return "\n".join(lines) + "\n"


def plot(found: Result, path: Path) -> None:
    """Draw sentences a second at the best batch and one by one, a bar for each parser."""
    matplotlib = importlib.import_module("matplotlib")
    matplotlib.use("Agg")
    pyplot = importlib.import_module("matplotlib.pyplot")
    measured = [result for result in found["results"] if "failed" not in result]
    measured.sort(key=lambda result: float(result["best_rate"]))
    figure, axes = pyplot.subplots(figsize=(8, 1 + 0.5 * len(measured)), layout="constrained")
    names = [f"{result['name']} ({_threads(result)})" for result in measured]
    places = range(len(measured))
    for shift, key, label in ((0.2, "best_rate", "best batch"), (-0.2, "single_rate", "one by one")):
        rates = [result[key] for result in measured]
        bars = axes.barh([place + shift for place in places], rates, height=0.38, label=label)
        axes.bar_label(bars, fmt="%.0f", padding=3)
    axes.set_yticks(list(places), names)
    axes.margins(x=0.1)
    axes.set_xlabel(f"sentences per second, token lists to bracket strings ({found['machine']['cpu']})")
    axes.legend(loc="lower right")
    figure.savefig(path)
    pyplot.close(figure)


def _cells(result: Result) -> list[str]:
    name = f"**{result['name']}**" if result["ours"] else str(result["name"])
    return [
        name,
        str(result["threads"]),
        f"{result['best_rate']:,.0f}",
        f"{result['single_rate']:,.0f}",
        f"{result['words25_p50_ms']:.1f} / {result['words25_p99_ms']:.1f}",
        f"{result['first_parse_seconds']:.1f}",
        f"{result['peak_memory_bytes'] / 1e6:,.0f}",
        f"{result['install_bytes'] / 1e6:,.0f}",
    ]


def _threads(result: Result) -> str:
    return f"{result['threads']} thread{'s' * (result['threads'] > 1)}"


def _row(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _footing(found: Result) -> str:
    machine, settings = found["machine"], found["settings"]
    sentences = settings["sentences"]
    where = machine.get("gpu") or f"{machine['cpu']}, {machine['cores']} cores"
    return (
        f"Measured on {where}; encoder {settings['encoder']} for all; {sentences['peers']:,} sentences of "
        f"{sentences['file']} ({sentences['mean_words']} words on average), end to end from token lists to bracket "
        "strings."
    )


def _limits(measured: Sequence[Result]) -> list[str]:
    return [
        f"- {result['name']}, {_threads(result)}: {result['bare_encoder_share']:.0%} of "
        f"the bare encoder's {result['bare_encoder_rate']:,.0f} sentences/s, batch by batch, measured in turn."
        for result in measured
        if "bare_encoder_rate" in result
    ]


def _weights(results: Sequence[Result]) -> list[str]:
    seen: dict[str, str] = {}
    for result in results:
        if "weights" in result:
            seen.setdefault(result["name"], f"{result['weights']}; dev F1 {result['dev_f1']}")
    return [f"- {name}: {text}." for name, text in seen.items()]
