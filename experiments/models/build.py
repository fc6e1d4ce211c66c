"""Build a packaged model from a recipe folder, whole or in steps that resume.

python -m experiments.models.build experiments/models/en DEST [--work runs] [--device cuda]
python -m experiments.models.build experiments/models/en DEST --step teachers --minutes 8.5
python -m experiments.models.build experiments/models/en DEST --step student --minutes 8.5
python -m experiments.models.build experiments/models/en DEST --step package

Run it where `data/` and `encoders/` are. The teachers of a step are trained side by side, each in a separate process
with its log in the folder --work. A step that its minutes cut short ends with status 3: the same command resumes it.
Beside the folder of each run, a JSON file has its minutes and steps. With --checkpoint nothing is trained: that
checkpoint is exported, calibrated, measured and given its card.
"""

from __future__ import annotations

import argparse
import multiprocessing
import signal
import sys
import time
from collections.abc import Sequence
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path

from spanlin.config.recipe import Recipe, load_recipe
from spanlin.errors import SpanlinError
from spanlin.training.metrics import Event
from spanlin.training.recipe import BuiltModel, build_model, package_checkpoint, run_folder, train_run

STEPS = ("teachers", "student", "package")
UNFINISHED = 3
_GRACE_SECONDS = 60.0  # for a run that is asked to stop: it ends its step and saves


def main() -> int:
    """Return the exit status."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("recipe", type=Path)
    parser.add_argument("destination", type=Path)
    parser.add_argument("--work", type=Path, default=Path("runs"), help="where runs and figures are kept")
    parser.add_argument("--device", default="")
    parser.add_argument("--checkpoint", type=Path)
    parser.add_argument("--step", choices=STEPS)
    parser.add_argument("--minutes", type=float, default=0.0, help="stop training after this long, to resume later")
    arguments = parser.parse_args()
    try:
        recipe = load_recipe(arguments.recipe)
        if arguments.step in ("teachers", "student"):
            names = recipe.teachers if arguments.step == "teachers" else (recipe.student,)
            done = train_side_by_side(
                recipe, names, work=arguments.work, device=arguments.device, minutes=arguments.minutes
            )
            return 0 if done else UNFINISHED
        checkpoint = arguments.checkpoint
        if arguments.step == "package":
            checkpoint = checkpoint or run_folder(recipe, recipe.student, arguments.work) / "best"
        if checkpoint:
            built = package_checkpoint(checkpoint, arguments.recipe, arguments.destination, work=arguments.work)
        else:
            built = build_model(
                arguments.recipe, arguments.destination, work=arguments.work, device=arguments.device, watch=_print
            )
    except SpanlinError as error:
        print(error, file=sys.stderr)
        return 1
    _summarize(built)
    return 0


def train_side_by_side(
    recipe: Recipe, names: Sequence[str], *, work: Path, device: str = "", minutes: float = 0.0
) -> bool:
    """Train some of a recipe's configurations at once, for at most so many minutes; return whether all have finished.

    Raises a SpanlinError if one failed; its log says why.
    """
    work.mkdir(parents=True, exist_ok=True)
    context = multiprocessing.get_context("spawn")
    processes = {
        name: context.Process(target=_train, args=(recipe.folder, name, str(work), device), name=name) for name in names
    }
    for process in processes.values():
        process.start()
    deadline = time.monotonic() + 60 * minutes if minutes else None
    for process in processes.values():
        process.join(None if deadline is None else max(0.0, deadline - time.monotonic()))
    for process in processes.values():
        if process.is_alive():
            process.terminate()  # train() saves where it is
    for process in processes.values():
        process.join(_GRACE_SECONDS)
    # One that is asked to stop before it trains has nothing to save, and ends by the signal.
    ends = {name: process.exitcode for name, process in processes.items()}
    statuses = {name: UNFINISHED if status == -signal.SIGTERM else status for name, status in ends.items()}
    for name, status in statuses.items():
        print(f"{name}: {'finished' if status == 0 else 'to be resumed' if status == UNFINISHED else 'failed'}")
    failed = [name for name, status in statuses.items() if status not in (0, UNFINISHED)]
    if failed:
        logs = ", ".join(str(_log(recipe, name, work)) for name in failed)
        raise SpanlinError(f"{len(failed)} of {len(names)} runs failed: see {logs}")
    return all(status == 0 for status in statuses.values())


def _train(folder: str, name: str, work: str, device: str) -> None:
    """Train one configuration, in a separate process; its status says how that ended."""
    recipe = load_recipe(folder)
    log = _log(recipe, name, Path(work)).open("a", encoding="utf-8", buffering=1)
    with log, redirect_stdout(log), redirect_stderr(log):
        try:
            result = train_run(recipe, name, work=work, device=device, watch=_print)
        except SpanlinError as error:
            print(error)
            sys.exit(1)
    sys.exit(UNFINISHED if result.interrupted else 0)


def _log(recipe: Recipe, name: str, work: Path) -> Path:
    folder = run_folder(recipe, name, work)
    return folder.with_name(f"{folder.name}.log")


def _print(event: Event) -> None:
    if event.kind in ("plan", "warning"):
        print(event.text, flush=True)
    elif event.kind == "evaluation":
        scores = ", ".join(f"{name} {score:.2f}" for name, score in event.scores.items())
        print(f"epoch {event.epoch}, step {event.step}: {scores}", flush=True)
    elif event.kind == "step" and event.step % 500 == 0:
        print(f"step {event.step} of {event.steps}: loss {event.loss:.3f}", flush=True)


def _summarize(built: BuiltModel) -> None:
    figures = built.figures
    print(f"{built.folder}: {figures.precision}, {figures.megabytes:.1f} MB; figures in {built.figures_file}")
    for treebank in figures.treebanks:
        print(
            f"{treebank.name:<18} F1 {treebank.score.f1 or 0.0:.2f}  tags {treebank.tagging_accuracy or 0.0:.2f}  "
            f"ECE {treebank.calibration_error:.4f}"
        )
    for one in figures.dependencies:
        print(
            f"{one.name:<18} LAS {one.las or 0.0:.2f}  UAS {one.uas or 0.0:.2f}  UPOS {one.universal_tags or 0.0:.2f}  "
            f"ECE {one.calibration_error or 0.0:.4f}"
        )


if __name__ == "__main__":
    sys.exit(main())
