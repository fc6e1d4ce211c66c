"""What the docs tell of the stages beside the network, from what `python -m bench host` wrote at two times."""

from __future__ import annotations

from typing import Any

_TITLES = ("stage", "words new, before", "after", "words known, before", "after")


def stages_table(before: dict[str, Any], after: dict[str, Any]) -> str:
    """Return the microseconds per sentence of each stage, for the first model with dependencies, in Markdown."""
    old_stages = {stage["stage"]: stage for stage in _stages(before)}
    lines = [f"| {' | '.join(_TITLES)} |", "|---|--:|--:|--:|--:|"]
    for stage in _stages(after):
        old = old_stages.get(stage["stage"], {})
        cells = [_shown(found.get(words)) for words in ("cold", "warm") for found in (old, stage)]
        lines.append(f"| {' | '.join([stage['stage'], *cells])} |")
    return "\n".join(lines)


def _stages(found: dict[str, Any]) -> list[dict[str, Any]]:
    stages: list[dict[str, Any]] = next(model["stages"] for model in found["models"] if model["dependencies"])
    return stages


def _shown(microseconds: float | None) -> str:
    return "" if microseconds is None else f"{microseconds:.1f}"
