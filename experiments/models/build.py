"""Build a packaged model from a recipe folder.

python experiments/models/build.py experiments/models/en DEST [--work runs] [--device cuda] [--checkpoint DIR]

Run it where `data/` and `encoders/` are. With --checkpoint nothing is trained: that checkpoint is exported, calibrated,
measured and given its card.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from spanlin.errors import SpanlinError
from spanlin.training.metrics import Event
from spanlin.training.recipe import BuiltModel, build_model, package_checkpoint


def main() -> int:
    """Return the exit status."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("recipe", type=Path)
    parser.add_argument("destination", type=Path)
    parser.add_argument("--work", type=Path, default=Path("runs"), help="where runs and figures are kept")
    parser.add_argument("--device", default="")
    parser.add_argument("--checkpoint", type=Path)
    arguments = parser.parse_args()
    try:
        if arguments.checkpoint:
            built = package_checkpoint(
                arguments.checkpoint, arguments.recipe, arguments.destination, work=arguments.work
            )
        else:
            built = build_model(
                arguments.recipe, arguments.destination, work=arguments.work, device=arguments.device, watch=_print
            )
    except SpanlinError as error:
        print(error, file=sys.stderr)
        return 1
    _summarize(built)
    return 0


def _print(event: Event) -> None:
    if event.kind == "evaluation":
        scores = ", ".join(f"{name} {score:.2f}" for name, score in event.scores.items())
        print(f"epoch {event.epoch}, step {event.step}: {scores}", flush=True)
    elif event.kind == "step" and event.step % 500 == 0:
        print(f"step {event.step} of {event.steps}: loss {event.loss:.3f}", flush=True)


def _summarize(built: BuiltModel) -> None:
    figures = built.figures
    print(f"{built.folder}: {figures.precision}, {figures.megabytes:.1f} MB; figures in {built.figures_file}")
    for treebank in figures.treebanks:
        print(
            f"{treebank.name:<12} F1 {treebank.score.f1 or 0.0:.2f}  tags {treebank.tagging_accuracy or 0.0:.2f}  "
            f"ECE {treebank.calibration_error:.4f}"
        )


if __name__ == "__main__":
    sys.exit(main())
