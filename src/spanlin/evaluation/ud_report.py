"""A score of dependencies as tables for people and as a dictionary for programs."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from spanlin.evaluation.report import counts_table, counts_to_dict, number_text
from spanlin.evaluation.ud_counts import UDCounts

if TYPE_CHECKING:
    from spanlin.evaluation.ud_score import UDScore


def ud_score_to_dict(score: UDScore) -> dict[str, Any]:
    """Return all numbers of a score; ratios that cannot be formed are None."""
    return {
        "signature": score.signature,
        **{name: _to_dict(counts) for name, counts in (*score.metrics.items(), *score.others.items())},
        "interval": score.interval._asdict() if score.interval else None,
        "by_relation": {name: counts_to_dict(counts) for name, counts in score.by_relation.items()},
    }


def ud_score_to_text(score: UDScore) -> str:
    """Return all numbers of a score as tables; ratios that cannot be formed are n/a."""
    interval = score.interval
    line = "n/a, for no word is scored"
    if interval is not None:
        line = f"{interval.low:.2f} to {interval.high:.2f} (bootstrap over sentences, {interval.samples} samples)"
    return "\n\n".join(
        (
            _table("Metric", score.metrics),
            _table("More", score.others),
            f"95% interval of LAS: {line}",
            counts_table("LAS by relation", score.by_relation),
            f"Signature: {score.signature}",
        )
    )


def _table(title: str, rows: Mapping[str, UDCounts]) -> str:
    width = max(len(name) for name in (title, *rows))
    heading = f"{'F1':>7} {'Prec.':>7} {'Recall':>7} {'aligned':>7} {'correct':>8} {'gold':>8} {'predicted':>9}"
    lines = [f"{title:<{width}} {heading}"]
    for name, counts in rows.items():
        ratios = [number_text(value) for value in (counts.f1, counts.precision, counts.recall)]
        ratios.append("" if counts.aligned is None else number_text(counts.aligned_accuracy))
        cells = " ".join(f"{ratio:>7}" for ratio in ratios)
        lines.append(f"{name:<{width}} {cells} {counts.correct:>8} {counts.gold:>8} {counts.predicted:>9}")
    return "\n".join(lines)


def _to_dict(counts: UDCounts) -> dict[str, Any]:
    ratios = {"precision": counts.precision, "recall": counts.recall, "f1": counts.f1}
    return {**ratios, "aligned_accuracy": counts.aligned_accuracy, **counts._asdict()}
