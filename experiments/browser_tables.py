"""What the docs tell of the npm package, from what `python -m bench browser` wrote: a table of trees, one of speed."""

from __future__ import annotations

from typing import Any

_WAYS = (
    ("python", "Python"),
    ("python_last_bit", "Python, last bit of one vector of weights changed"),
    ("node", "Node"),
    ("chromium", "Chromium"),
)


def trees_table(found: dict[str, Any]) -> str:
    """Return, for each model, how many trees differ from Python's and what F1 they have, in Markdown."""
    rows = [
        [
            f"`{model}`",
            title,
            f"{of_model[way]['different']:,}" if way != "python" else "",
            f"{of_model[way]['f1']:.2f}",
        ]
        for model, of_model in found["models"].items()
        for way, title in _WAYS
        if way in of_model
    ]
    return _table(["model", f"{found['sentences']:,} dev sentences, in", "trees that differ", "F1"], rows)


def speed_table(found: dict[str, Any]) -> str:
    """Return, for each model, times and bytes, in Markdown."""
    titles = [
        *("model", "Chromium, ms", "Node, ms", "first visit, bytes"),
        *("first visit, s to the first tree", "next visit, s to the first tree"),
    ]
    rows = [
        [
            f"`{model}`",
            f"{one['chromium']['warm_p50_ms']:.0f}",
            f"{one['node']['warm_p50_ms']:.0f}",
            f"{one['page_bytes']:,}",
            f"{one['chromium']['first_tree_ms'] / 1000:.1f}",
            f"{one['chromium']['second_visit_ms'] / 1000:.1f}",
        ]
        for model, one in found["models"].items()
    ]
    return _table(titles, rows, numbers=5)


def first_visit(found: dict[str, Any], what: str) -> str:
    """Return the `model` that the page opens with, or how many `megabytes` the first visit loads."""
    model = found["page_model"]
    if what == "model":
        return str(model)
    return f"{found['models'][model]['page_bytes'] / 1e6:.0f}"


def _table(titles: list[str], rows: list[list[str]], *, numbers: int = 2) -> str:
    lines = [titles, ["---"] * (len(titles) - numbers) + ["---:"] * numbers, *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)
