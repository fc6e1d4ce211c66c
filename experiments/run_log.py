"""A short log of a run, kept with its result: loss and dev F1 at each evaluation, thinned to a few kilobytes."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from statistics import fmean, median
from typing import Any

from spanlin.errors import EvaluationError

LIMIT = 60
"""Most lines of each part; the first, the last and the best evaluation are always among them."""


def short_log(metrics: Path) -> dict[str, Any]:
    """Return the log of a `metrics.jsonl`; nothing if there is no such file.

    `losses` are pairs of a step and the mean of the losses that were reported up to it since the pair before.
    `evaluations` are an epoch, a step and the F1 then, on dev or on the trees held out for it.
    """
    if not metrics.exists():
        return {}
    try:
        events = [json.loads(line) for line in metrics.read_text(encoding="utf-8").splitlines()]
        steps = [event for event in events if event["kind"] == "step"]
        evaluations = [
            [event["epoch"], event["step"], round(event["scores"]["mean"], 2)]
            for event in events
            if event["kind"] == "evaluation" and "mean" in event.get("scores", {})
        ]
        return {
            "losses": _losses([(event["step"], event["loss"]) for event in steps]),
            "evaluations": _thinned(evaluations),
            "best_epoch": max(evaluations, key=lambda one: one[2])[0] if evaluations else None,
            "sentences_per_second": round(median(event["sentences_per_second"] for event in steps)) if steps else None,
        }
    except (ValueError, KeyError, TypeError) as error:
        raise EvaluationError(f"{metrics}: not what training writes: {error!r}; train again") from error


def _losses(steps: Sequence[tuple[int, float]]) -> list[list[float]]:
    size = -(-len(steps) // LIMIT) or 1
    parts = [steps[start : start + size] for start in range(0, len(steps), size)]
    return [[part[-1][0], round(fmean(loss for _, loss in part), 4)] for part in parts]


def _thinned(evaluations: list[list[float]]) -> list[list[float]]:
    if len(evaluations) <= LIMIT:
        return evaluations
    best = max(range(len(evaluations)), key=lambda place: evaluations[place][2])
    last = len(evaluations) - 1
    kept = {round(place * last / (LIMIT - 2)) for place in range(LIMIT - 1)} | {best}
    return [evaluations[place] for place in sorted(kept)]
