"""Comparisons as Markdown tables for the README, and as a plot."""

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
    "peak memory, MB",
    "start to first tree, s",
    "installed, MB",
    "of the bare encoder",
)


class ReadmeError(Exception):
    """A text has no place for the table; the message is one line."""


START, END = "<!-- bench -->", "<!-- /bench -->"


def put_between_markers(text: str, table: str) -> str:
    """Return the text with the table in place of whatever stands between its two markers."""
    before, start, rest = text.partition(START)
    _, end, after = rest.partition(END)
    if not start or not end or START in rest or END in after:
        raise ReadmeError(f"needs one {START} and, after it, one {END}")
    return f"{before}{START}\n{table.strip()}\n{END}{after}"


def all_tables(comparisons: Sequence[Result]) -> str:
    """Return the tables of several comparisons, each below a line that names its machine."""
    return "\n".join(f"**{_where(found)}**\n\n{to_markdown(found)}" for found in comparisons)


def to_markdown(found: Result) -> str:
    """Return one table, what it was measured on, and one line for each parser that failed."""
    results: list[Result] = found["results"]
    measured = _measured(found)
    lines = [_row(COLUMNS), _row(["---", *["---:"] * (len(COLUMNS) - 1)]), *(_row(_cells(r)) for r in measured)]
    lines += ["", _footing(found)]
    lines += _limits(measured)
    lines += _weights(results)
    lines += [
        f"- {result['name']}: installed without {', '.join(result['install_missing'])}, which its users need too."
        for result in measured
        if result.get("install_missing")
    ]
    lines += [f"- {result['name']}, {_threads(result)}: not measured ({result['failed']})."
              for result in results if "failed" in result]  # fmt: skip
    return "\n".join(lines) + "\n"


def plot(comparisons: Sequence[Result], path: Path) -> None:
    """Draw sentences per second at the best batch and one by one, a bar per parser, a panel per comparison."""
    matplotlib = importlib.import_module("matplotlib")
    matplotlib.use("Agg")
    pyplot = importlib.import_module("matplotlib.pyplot")
    panels = [sorted(_measured(found), key=lambda result: float(result["best_rate"])) for found in comparisons]
    heights = [1 + 0.5 * len(panel) for panel in panels]
    figure, grid = pyplot.subplots(
        len(panels), 1, figsize=(9, sum(heights)), height_ratios=heights, squeeze=False, layout="constrained"
    )
    for axes, panel, found in zip(grid[:, 0], panels, comparisons, strict=True):
        places = range(len(panel))
        for shift, key, label in ((0.2, "best_rate", "best batch"), (-0.2, "single_rate", "one by one")):
            rates = [result[key] for result in panel]
            bars = axes.barh([place + shift for place in places], rates, height=0.38, label=label)
            axes.bar_label(bars, fmt="{:,.0f}", padding=3)
        axes.set_yticks(list(places), [f"{result['name']} ({_threads(result)})" for result in panel])
        axes.margins(x=0.12)
        axes.set_title(_where(found), fontsize="medium")
    grid[-1, 0].set_xlabel("sentences per second, from token lists to bracket strings")
    figure.legend(*grid[0, 0].get_legend_handles_labels(), loc="outside upper right", ncols=2)
    figure.savefig(path, dpi=150)
    pyplot.close(figure)


def _measured(found: Result) -> list[Result]:
    return [result for result in found["results"] if "failed" not in result]


def _cells(result: Result) -> list[str]:
    name = f"**{result['name']}**" if result["ours"] else str(result["name"])
    memory = f"{result['peak_memory_bytes'] / 1e6:,.0f}"
    if "peak_device_memory_bytes" in result:
        memory += f" + {result['peak_device_memory_bytes'] / 1e6:,.0f} GPU"
    share = result.get("bare_encoder_share")
    return [
        name,
        str(result["threads"]),
        f"{result['best_rate']:,.0f}",
        f"{result['single_rate']:,.0f}",
        f"{result['words25_p50_ms']:.1f} / {result['words25_p99_ms']:.1f}",
        memory,
        f"{result['first_parse_seconds']:.1f}",
        f"{'≥ ' if result.get('install_missing') else ''}{result['install_bytes'] / 1e6:,.0f}",
        "" if share is None else f"{share:.0%}",
    ]


def _where(found: Result) -> str:
    machine, settings = found["machine"], found["settings"]
    cpu = f"{machine['cpu']}, {machine['cores']} cores"
    where = f"{machine['gpu']} ({cpu})" if "gpu" in machine else cpu
    return f"{where}, {settings['encoder'] or 'no pretrained encoder'}"


def _threads(result: Result) -> str:
    return f"{result['threads']} thread{'s' * (result['threads'] > 1)}"


def _row(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _footing(found: Result) -> str:
    settings = found["settings"]
    sentences = settings["sentences"]
    counts = f"{sentences['peers']:,}"
    if sentences["ours"] != sentences["peers"]:
        counts = f"{sentences['ours']:,} (peers {counts})"
    encoder = (
        f"Every parser has the encoder {settings['encoder']}"
        if settings["encoder"]
        else "Every parser has a network of its own"
    )
    return (
        f"Measured {found['date']}, end to end, from token lists to bracket strings. {encoder} "
        f"and parses {counts} sentences of {sentences['file']}, {sentences['mean_words']} words "
        f"long on average. Peers were trained only so far that they can be timed, on {settings['training']}. Latency "
        "is that of a single sentence of 25 words."
    )


def _limits(measured: Sequence[Result]) -> list[str]:
    lines = []
    for result in measured:
        name = f"- {result['name']}, {_threads(result)}:"
        if "outside_encoder_share" in result:
            lines.append(
                f"{name} on the same batches the bare encoder does {result['bare_encoder_rate']:,.0f} sentences/s, the "
                f"whole graph {result['device_rate']:,.0f}. Of the graph's device time, "
                f"{result['outside_encoder_share']:.1%} is outside the encoder, {result['tree_inference_share']:.1%} "
                "tree inference."
            )
        elif "bare_encoder_rate" in result:
            lines.append(
                f"{name} {result['bare_encoder_share']:.0%} of the bare encoder's {result['bare_encoder_rate']:,.0f} "
                "sentences/s, both timed on the same batches, in turn."
            )
    return lines


def _weights(results: Sequence[Result]) -> list[str]:
    seen: dict[str, str] = {}
    for result in results:
        if "weights" in result:
            seen.setdefault(result["name"], result["weights"])
    return [f"- {name}: {text}." for name, text in seen.items()]
