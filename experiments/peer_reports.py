"""What is known of a peer's training, from the report that `bench/peers/train_NAME.py` writes beside its trees."""

from __future__ import annotations

import datetime
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from experiments.results import Result
from experiments.seed_means import mean
from experiments.tables import PEERS
from spanlin.errors import EvaluationError


def read_report(path: Path, *, decoding: str = "") -> dict[str, Any]:
    """Return the fields of a result that a report gives; only the date and the decoding where there is none."""
    today = datetime.datetime.now(datetime.UTC).date().isoformat()
    if not path.exists():
        return {"date": today, "config": {"decoding": decoding}}
    try:
        report = json.loads(path.read_text(encoding="utf-8"))
        return {
            "date": today,
            "device": report["device"],
            "machine": report["versions"],
            "training": {
                "minutes": report["minutes"],
                "epochs": report["epochs"],
                "trees": report["train_trees"],
            },
            "config": {key: report[key] for key in ("settings", "notes", "vectors", "encoder", "anneal")}
            # Reports from before 2026-11-18 have none of these.
            | {
                "decoding": report.get("decoding", decoding),
                "command": report.get("command", ""),
                "ended_by": report.get("ended_by", ""),
                "curve": report.get("curve", []),
            },
        }
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise EvaluationError(f"{path}: not a report of bench/peers: {error!r}; move it away or train again") from error


def peer_notes(results: Sequence[Result]) -> str:
    """Return how the peers among the results were trained, a sentence each."""
    notes = []
    for name, title in PEERS.items():
        reported = [result for result in results if result.row == name and result.training]
        if not reported:
            continue
        epochs, minutes = (mean(result.training[key] for result in reported) for key in ("epochs", "minutes"))
        assert epochs is not None
        assert minutes is not None
        version = reported[0].machine.get(name.partition("-")[0], "")
        decoding = reported[0].config.get("decoding")
        notes.append(
            f"{title} {version}: {_count(epochs.value)} epochs in {minutes.value:.0f} minutes on {reported[0].device}; "
            f"{reported[0].config['notes'].rstrip('.')}{f'; parses by {decoding}' if decoding else ''}."
        )
    return " ".join(notes)


def _count(epochs: float) -> str:
    return f"{epochs:.0f}" if epochs >= 10 else f"{epochs:.1f}"
