"""Markdown tables of numbers, and how numbers are written in them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from experiments.seed_means import Mean

MISSING = "not measured"


def table(header: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Return a table whose first column is text and whose others are numbers."""
    lines = [header, ["---", *["---:"] * (len(header) - 1)], *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def number(value: Mean | float | None) -> str:
    """Return a percentage with two decimals, and its spread if it has one."""
    if value is None:
        return MISSING
    return str(value) if isinstance(value, Mean) else f"{value:.2f}"


def difference(first: Mean | None, second: Mean | None) -> str:
    """Return how much higher the second is."""
    return "" if first is None or second is None else f"{second.value - first.value:+.2f}"


def chance(p_value: float | None) -> str:
    """Return a p-value."""
    if p_value is None:
        return ""
    return "< 0.001" if p_value < 0.001 else f"{p_value:.3f}"


def large(value: float | None) -> str:
    """Return a large number without decimals, a small one with two digits."""
    if value is None:
        return MISSING
    return f"{value:,.0f}" if value >= 10 else f"{value:.2g}"
