"""A score as tables for people and as a dictionary for programs."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from spanlin.evaluation.counts import Counts, Totals
from spanlin.evaluation.significance import Comparison

if TYPE_CHECKING:
    from spanlin.evaluation.score import Score

_PROBLEMS_SHOWN = 10
_NOT_AVAILABLE = "n/a"


def score_to_dict(score: Score) -> dict[str, Any]:
    """Return all numbers of a score; ratios that cannot be formed are None."""
    interval = score.interval
    return {
        "signature": score.signature,
        **_totals_to_dict(score.totals),
        "interval": interval._asdict() if interval else None,
        "cutoff": {"length": score.parameters.cutoff_length, **_totals_to_dict(score.cutoff_totals)},
        "by_label": _table_to_dict(score.by_label) if score.parameters.labelled else None,
        "by_span_length": _table_to_dict(score.by_span_length),
        "by_sentence_length": _table_to_dict(score.by_sentence_length),
        "problems": [problem._asdict() for problem in score.problems],
    }


def score_to_text(score: Score) -> str:
    """Return all numbers of a score as tables; ratios that cannot be formed are n/a."""
    totals, short = score.totals, score.cutoff_totals
    cutoff = f"len<={score.parameters.cutoff_length}"
    kind = "labelled" if score.parameters.labelled else "brackets"
    blocks = [
        counts_table(
            "Brackets",
            {
                kind: totals.brackets,
                "unlabelled": totals.unlabelled,
                f"{kind}, {cutoff}": short.brackets,
                f"unlabelled, {cutoff}": short.unlabelled,
            },
        ),
        _interval_line(score),
        _sentence_table(totals, short, cutoff),
        counts_table("Label", score.by_label)
        if score.parameters.labelled
        else "Label: n/a, because labels do not count (LABELED 0)",
        counts_table("Span length", score.by_span_length),
        counts_table("Sentence length", score.by_sentence_length),
    ]
    if score.problems:
        blocks.append(_problem_lines(score))
    blocks.append(f"Signature: {score.signature}")
    return "\n\n".join(blocks)


def comparison_to_dict(comparison: Comparison) -> dict[str, Any]:
    """Return all numbers of a comparison."""
    return {"difference": comparison.difference, **comparison._asdict()}


def comparison_to_text(comparison: Comparison, metric: str = "F1") -> str:
    """Return a comparison in two lines."""
    return (
        f"{metric} {comparison.first_f1:.2f} -> {comparison.second_f1:.2f}: {comparison.difference:+.2f}, "
        f"p = {comparison.p_value:.4f} (approximate randomization, {comparison.samples} samples, "
        f"seed {comparison.seed})\n"
        f"compared on {comparison.compared} sentences valid in both; {comparison.left_out} left out"
    )


def counts_to_dict(counts: Counts) -> dict[str, Any]:
    """Return counts with their ratios."""
    return {"precision": counts.precision, "recall": counts.recall, "f1": counts.f1, **counts._asdict()}


def _table_to_dict(table: Mapping[str, Counts]) -> dict[str, Any]:
    return {name: counts_to_dict(counts) for name, counts in table.items()}


def _totals_to_dict(totals: Totals) -> dict[str, Any]:
    return {
        **counts_to_dict(totals.brackets),
        "unlabelled": counts_to_dict(totals.unlabelled),
        "complete_match": totals.complete_match,
        "average_crossing": totals.average_crossing,
        "no_crossing": totals.no_crossing,
        "two_or_less_crossing": totals.two_or_less,
        "tagging_accuracy": totals.tagging_accuracy,
        "sentences": {
            "all": totals.sentences,
            "valid": totals.valid,
            "error": totals.errors,
            "skipped": totals.skipped,
        },
    }


def counts_table(title: str, rows: Mapping[str, Counts]) -> str:
    """Return a table with a row for each name."""
    width = max(len(name) for name in (title, *rows))
    lines = [f"{title:<{width}} {'F1':>7} {'Prec.':>7} {'Recall':>7} {'matched':>8} {'gold':>8} {'predicted':>9}"]
    for name, counts in rows.items():
        ratios = " ".join(f"{number_text(value):>7}" for value in (counts.f1, counts.precision, counts.recall))
        lines.append(f"{name:<{width}} {ratios} {counts.matched:>8} {counts.gold:>8} {counts.predicted:>9}")
    if not rows:
        lines.append(_NOT_AVAILABLE)
    return "\n".join(lines)


def _sentence_table(totals: Totals, short: Totals, cutoff: str) -> str:
    rows = [
        ("sentences", str(totals.sentences), str(short.sentences)),
        ("  scored", str(totals.valid), str(short.valid)),
        ("  in error (words differ)", str(totals.errors), str(short.errors)),
        ("  skipped (nothing predicted)", str(totals.skipped), str(short.skipped)),
        ("complete match", number_text(totals.complete_match), number_text(short.complete_match)),
        ("average crossing", number_text(totals.average_crossing), number_text(short.average_crossing)),
        ("no crossing", number_text(totals.no_crossing), number_text(short.no_crossing)),
        ("2 or less crossing", number_text(totals.two_or_less), number_text(short.two_or_less)),
        ("tagging accuracy", number_text(totals.tagging_accuracy), number_text(short.tagging_accuracy)),
    ]
    return "\n".join(f"{name:<29} {every:>8} {few:>8}" for name, every, few in [("Sentences", "all", cutoff), *rows])


def _interval_line(score: Score) -> str:
    interval = score.interval
    if interval is None:
        return f"95% interval of F1: {_NOT_AVAILABLE}, because no bracket is scored"
    return (
        f"{interval.level}% interval of F1: {interval.low:.2f} to {interval.high:.2f} "
        f"(bootstrap over sentences, {interval.samples} samples)"
    )


def _problem_lines(score: Score) -> str:
    problems = score.problems
    lines = ["Not scored"]
    lines += [f"sentence {problem.sentence}: {problem.reason}" for problem in problems[:_PROBLEMS_SHOWN]]
    if len(problems) > _PROBLEMS_SHOWN:
        lines.append(f"... and {len(problems) - _PROBLEMS_SHOWN} more")
    return "\n".join(lines)


def number_text(value: float | None) -> str:
    """Return a number with two digits, or n/a."""
    return _NOT_AVAILABLE if value is None else f"{value:.2f}"
