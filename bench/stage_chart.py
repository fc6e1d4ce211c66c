"""A chart of what each path takes, stage by stage, as an SVG: microseconds of CPU time per sentence."""

from __future__ import annotations

from collections.abc import Mapping
from html import escape
from typing import Any

# What becomes of a parse, and the stages before it; in one process, and on as many as there are.
_COMMON = ("text to sentences and words", "words to pieces and rows")
PATHS = {
    "brackets": (*_COMMON, "bracket lines"),
    "Parsed": (*_COMMON, "Parsed"),
    "constituents": (*_COMMON, "Parsed", "constituents read"),
    "JSON lines": (*_COMMON, "Parsed", "JSON"),
    "CoNLL-U": (*_COMMON, "Parsed", "CoNLL-U"),
    "Parquet": (*_COMMON, "Parsed", "Parquet"),
}
_COLORS = ("#4c78a8", "#f58518", "#54a24b", "#e45756", "#72b7b2", "#b279a2", "#ff9da6", "#9d755d")
_LEFT, _WIDTH, _BAR, _GAP = 110, 560, 22, 12


def draw(figures: Mapping[str, Any]) -> str:
    """Return the chart of the stages that `bench.paths` or `bench.host` has measured, with new words where known."""
    taken = {stage["stage"]: stage["warm"] if stage["cold"] is None else stage["cold"] for stage in figures["stages"]}
    rows = {
        name: [(stage, taken[stage]) for stage in stages]
        for name, stages in PATHS.items()
        if all(stage in taken for stage in stages)
    }
    longest = max((sum(value for _, value in parts) for parts in rows.values()), default=1.0)
    names = list(dict.fromkeys(stage for parts in rows.values() for stage, _ in parts))
    colors = {name: _COLORS[number % len(_COLORS)] for number, name in enumerate(names)}
    height = len(rows) * (_BAR + _GAP) + 30 + 18 * ((len(names) + 1) // 2)
    out = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_LEFT + _WIDTH + 80} {height}" '
        'font-family="sans-serif" font-size="12" fill="#888">'
    ]
    y = 8
    for name, parts in rows.items():
        out.append(f'<text x="{_LEFT - 8}" y="{y + 15}" text-anchor="end">{escape(name)}</text>')
        x = float(_LEFT)
        for stage, value in parts:
            width = max(0.0, value) / longest * _WIDTH
            out.append(
                f'<rect x="{x:.1f}" y="{y}" width="{width:.1f}" height="{_BAR}" fill="{colors[stage]}">'
                f"<title>{escape(stage)}: {value:.1f} µs</title></rect>"
            )
            x += width
        out.append(f'<text x="{x + 6:.1f}" y="{y + 15}">{sum(value for _, value in parts):.0f} µs</text>')
        y += _BAR + _GAP
    for number, name in enumerate(names):
        left, top = _LEFT + 300 * (number % 2), y + 6 + 18 * (number // 2)
        out.append(f'<rect x="{left}" y="{top}" width="12" height="12" fill="{colors[name]}"/>')
        out.append(f'<text x="{left + 18}" y="{top + 10}">{escape(name)}</text>')
    return "\n".join([*out, "</svg>"]) + "\n"
