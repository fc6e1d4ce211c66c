"""The figures, drawn from results alone: F1 by span length, and F1 by the number of trees."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from experiments.results import Results
from experiments.sections import curve_points, length_points
from experiments.seed_means import Mean
from experiments.tables import Table


def draw_lengths(found: Results, of: Table, treebank: str, path: Path) -> bool:
    """Draw ours and PSN over span lengths (Wei et al. 2020, Figure 3); return whether there was anything to draw."""
    points = length_points(found, of, treebank)
    if not points:
        return False
    names = [name for name, *_ in points]
    axes, save = _axes("words of the span")
    for label, marker, means in (
        ("ours", "o-", [own for *_, own in points]),
        ("PSN", "s--", [psn for *_, psn, _ in points]),
    ):
        _plot(axes, list(range(len(names))), means, marker, label)
    axes.set_xticks(range(len(names)), names, rotation=30)
    axes.legend()
    save(path)
    return True


def draw_curve(found: Results, of: Table, treebank: str, path: Path) -> bool:
    """Draw F1 over the number of trees; return whether there was anything to draw."""
    points = curve_points(found, of, treebank)
    if not points:
        return False
    axes, save = _axes("trees in training")
    _plot(axes, [trees for _, trees, _ in points], [f1 for *_, f1 in points], "o-", "BiLSTM")
    axes.set_xscale("log")
    axes.set_xticks([trees for _, trees, _ in points], [f"{trees:,.0f}" for _, trees, _ in points])
    axes.minorticks_off()
    save(path)
    return True


def _plot(axes: Any, places: list[float] | list[int], means: list[Mean | None], marker: str, label: str) -> None:
    there = [(place, mean) for place, mean in zip(places, means, strict=True) if mean is not None]
    axes.errorbar(
        [place for place, _ in there],
        [mean.value for _, mean in there],
        yerr=[mean.spread or 0.0 for _, mean in there],
        fmt=marker,
        capsize=3,
        label=label,
    )


def _axes(below: str) -> tuple[Any, Callable[[Path], None]]:
    import matplotlib
    from matplotlib.backends.backend_svg import FigureCanvasSVG
    from matplotlib.figure import Figure

    figure = Figure(figsize=(6.5, 3.6), layout="constrained")
    FigureCanvasSVG(figure)
    axes = figure.add_subplot()
    axes.set_xlabel(below)
    axes.set_ylabel("F1")
    axes.grid(alpha=0.3)

    def save(path: Path) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        # Neither date nor random ids, so that the same results give the same file.
        with matplotlib.rc_context({"svg.hashsalt": "spanlin", "svg.fonttype": "none"}):
            figure.savefig(path, format="svg", metadata={"Date": None})

    return axes, save
