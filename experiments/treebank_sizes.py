"""Train on the first trees of a treebank with file names alone (`spanlin train --train --dev`), sizes side by side.

python -m experiments.treebank_sizes data/gum --results experiments/sizes --device cuda
"""

from __future__ import annotations

import datetime
import json
import os
import resource
import shlex
import signal
import subprocess
import sys
import time
import tomllib
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any

import click

from experiments.planning import commit_here
from experiments.work import machine
from spanlin.config.table import config_from_table
from spanlin.config.toml_files import merge_tables
from spanlin.config.training import TrainingConfig, config_to_toml, load_saved_config
from spanlin.trees.brackets import read_trees, write_trees

_ALL = "all"


@dataclass(frozen=True, kw_only=True)
class SizeRun:
    """One size: its files, the run's folder and the command."""

    name: str
    treebank: str
    trees: int
    tokens: int
    folder: Path
    command: list[str]


@click.command()
@click.argument("data", type=click.Path(exists=True, file_okay=False, path_type=Path))
@click.option("--results", type=click.Path(path_type=Path), required=True, help="Folder for the JSON of each size.")
@click.option("--work", type=click.Path(path_type=Path), default=Path("runs/sizes"), show_default=True)
@click.option("--sizes", default="300,3000,all", show_default=True, help="Numbers of trees, separated by commas.")
@click.option("--device", default="cpu", show_default=True)
@click.option("--minutes", type=float, default=0.0, help="Stop what is still running then; 0: no limit.")
@click.option("--change", "changes", multiple=True, metavar="KEY=VALUE", help="Try another setting, such as seed=2.")
def main(
    *, data: Path, results: Path, work: Path, sizes: str, device: str, minutes: float, changes: tuple[str, ...]
) -> None:
    """Train on the first trees of DATA/train.txt, and score on all of DATA/dev.txt."""
    runs = [_prepare(data, size, work, device, changes) for size in sizes.split(",")]
    started = time.monotonic()
    active = [(run, _start(run)) for run in runs]
    stopped = False
    cpu_seconds = _cpu_seconds()
    while active:
        time.sleep(0.2)
        if minutes and not stopped and time.monotonic() - started > 60 * minutes:
            stopped = True
            for _, process in active:
                process.send_signal(signal.SIGINT)
        for run, process in list(active):
            if process.poll() is not None:
                active.remove((run, process))
                if process.returncode:
                    raise click.ClickException(f"{run.name} failed: see {run.folder}.log")
                result = _result(run, changes, device, (time.monotonic() - started) / 60, _cpu_seconds() - cpu_seconds)
                cpu_seconds = _cpu_seconds()
                results.mkdir(parents=True, exist_ok=True)
                (results / f"{run.name}.json").write_text(json.dumps(result, indent=1) + "\n", encoding="utf-8")
                click.echo(f"{run.name}: F1 {result['f1']:.2f} after {result['minutes']:.1f} minutes")


def _prepare(data: Path, size: str, work: Path, device: str, changes: tuple[str, ...]) -> SizeRun:
    """Write the first trees, and with `changes` a configuration."""
    count = None if size == _ALL else int(size)
    trees = list(islice(read_trees(data / "train.txt"), count))
    name = f"{data.resolve().name}-{size}"
    place = work / name
    place.mkdir(parents=True, exist_ok=True)
    train, dev, folder = place / "train.txt", data / "dev.txt", place / "run"
    write_trees(trees, train)
    options = ["--train", str(train), "--dev", str(dev)]
    if changes:
        table: dict[str, Any] = {"treebanks": [{"name": name, "train": str(train), "dev": str(dev)}]}
        for change in changes:
            table = merge_tables(table, _table_of(change))
        path = place / "run.toml"
        path.write_text(config_to_toml(config_from_table(TrainingConfig, table)), encoding="utf-8")
        options = [str(path)]
    return SizeRun(
        name=name,
        treebank=data.resolve().name,
        trees=len(trees),
        tokens=sum(len(tree.words) for tree in trees),
        folder=folder,
        command=["spanlin", "train", *options, "--folder", str(folder), "--device", device],
    )


def _table_of(change: str) -> dict[str, Any]:
    key, _, value = change.partition("=")
    return tomllib.loads(f"{key} = {value}")


def _start(run: SizeRun) -> subprocess.Popen[bytes]:
    with run.folder.with_suffix(".log").open("wb") as log:
        return subprocess.Popen(
            [sys.executable, "-m", *run.command], stdout=log, stderr=subprocess.STDOUT, env=dict(os.environ)
        )


def _cpu_seconds() -> float:
    """Return what the processes that have ended took of all cores."""
    ended = resource.getrusage(resource.RUSAGE_CHILDREN)
    return ended.ru_utime + ended.ru_stime


def _result(run: SizeRun, changes: tuple[str, ...], device: str, minutes: float, cpu_seconds: float) -> dict[str, Any]:
    events = [json.loads(line) for line in (run.folder / "metrics.jsonl").read_text(encoding="utf-8").splitlines()]
    evaluations = [event for event in events if event["kind"] == "evaluation"]
    config = load_saved_config(run.folder / "config.toml")
    return {
        "command": shlex.join(run.command),
        "changes": list(changes),
        "data": {"treebank": run.treebank, "trees": run.trees, "tokens": run.tokens},
        "seed": config.seed,
        "date": datetime.datetime.now(datetime.UTC).date().isoformat(),
        "f1": max(event["scores"]["mean"] for event in evaluations),
        "last_f1": evaluations[-1]["scores"]["mean"],
        "minutes": round(minutes, 2),
        "cpu_minutes": round(cpu_seconds / 60, 2),
        "ended": events[-1].get("text", ""),
        "steps": events[-1]["step"],
        "epochs": config.epochs,
        "batch_tokens": config.batch.tokens,
        "warm_up_steps": config.optimizer.warm_up_steps,
        "width": config.network.context.width,
        "layers": config.network.context.layers,
        "dev_f1_by_epoch": {str(event["epoch"]): round(event["scores"]["mean"], 2) for event in evaluations},
        "threads": os.environ.get("OMP_NUM_THREADS", ""),
        "device": device,
        "machine": machine(device),
        "commit": commit_here(),
    }


if __name__ == "__main__":
    main()
