"""Trees and dependencies, alone and together: trains rows of experiments/joint and writes what they score.

    python -m experiments.joint_rows --results DIR [--seed N]... ROW...

Run it where `data/` and `encoders/` are. Runs go on side by side, each in a separate process.
"""

from __future__ import annotations

import datetime
import json
import multiprocessing
import os
from collections.abc import Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import click
import torch
from bench.peers.dependency_training import measured_rate

from experiments.planning import commit_here
from experiments.run_log import short_log
from experiments.work import machine
from spanlin.config.training import load_config
from spanlin.network.device import choose_device
from spanlin.training.checkpoint import Model, load_model
from spanlin.training.dependencies import read_dependencies
from spanlin.training.dependency_parsing import predict_dependencies, score_attachments
from spanlin.training.evaluation import evaluate_model
from spanlin.training.loop import train
from spanlin.training.metrics import Event
from spanlin.training.state import load_progress
from spanlin.trees.labelled import LabelledSplits

ROWS = Path(__file__).parent / "joint"
TREE_FILES = {name: f"data/{name}/dev.txt" for name in ("craft", "genia", "gum", "masc")}
DEPENDENCY_FILES = {name: f"data/{name}-dep/dev.conllu" for name in ("ewt", "gum")}


@click.command()
@click.argument("rows", nargs=-1, required=True)
@click.option("--seed", "seeds", type=int, multiple=True, default=(1, 2), show_default=True)
@click.option("--results", type=click.Path(path_type=Path), required=True, help="Folder of the JSON files.")
@click.option("--runs", type=click.Path(path_type=Path), default=Path("runs/joint"), show_default=True)
@click.option("--device", default="")
@click.option("--max-minutes", type=float, default=0.0, help="End each training after this long.")
@click.option("--rates/--no-rates", default=True, help="Then measure how fast rows parse, one after another.")
def main(
    *,
    rows: tuple[str, ...],
    seeds: tuple[int, ...],
    results: Path,
    runs: Path,
    device: str,
    max_minutes: float,
    rates: bool,
) -> None:
    """Train and score rows, all at once."""
    context = multiprocessing.get_context("spawn")
    processes = [
        context.Process(
            target=run_row,
            args=(row, seed),
            kwargs={"results": results, "runs": runs, "device": device, "max_minutes": max_minutes},
        )
        for row in rows
        for seed in seeds
    ]
    for process in processes:
        process.start()
    for process in processes:
        process.join()
    failed = sum(process.exitcode != 0 for process in processes)
    if failed:
        raise click.ClickException(f"{failed} of {len(processes)} runs failed; see {runs}")
    if rates:
        for row in rows:
            add_rate(results / f"{row}-{seeds[0]}.json", runs / f"{row}-{seeds[0]}", str(choose_device(device)))


def run_row(row: str, seed: int, *, results: Path, runs: Path, device: str, max_minutes: float) -> None:
    """Train one row with one seed and write its JSON; what it says goes to a log beside the run."""
    folder = runs / f"{row}-{seed}"
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / "log.txt").open("a", buffering=1, encoding="utf-8") as log:
        os.dup2(log.fileno(), 1)
        os.dup2(log.fileno(), 2)
        torch.set_num_threads(1)
        config = replace(load_config(ROWS / f"{row}.toml"), seed=seed, max_minutes=max_minutes)
        result = train(config, folder, resume=(folder / "last").exists(), device=device, watch=_say)
        model = load_model(result.best)
        seconds = load_progress(folder / "last").seconds
        where = str(choose_device(device))
        figures: dict[str, Any] = {
            "row": row,
            "seed": seed,
            "command": f"python -m experiments.joint_rows --results DIR --seed {seed} {row}",
            "date": datetime.datetime.now(datetime.UTC).date().isoformat(),
            "commit": commit_here(),
            "machine": machine(where),
            "minutes": round(seconds / 60, 2),
            "steps": result.steps,
            "f1": _tree_scores(model, where),
            "dependencies": _dependency_scores(model, where),
            "config": asdict(config),
            "log": short_log(folder / "metrics.jsonl"),
        }
        results.mkdir(parents=True, exist_ok=True)
        text = json.dumps(figures, ensure_ascii=False, indent=1)
        (results / f"{row}-{seed}.json").write_text(f"{text}\n", encoding="utf-8")
        print(text[:600])


def add_rate(result: Path, run: Path, device: str) -> None:
    """Add to a result how many dev sentences a second its model parses, as `bench.peers` measures those of others."""
    torch.set_float32_matmul_precision("high")
    model = load_model(next(folder for folder in (run / "best", run / "last") if folder.exists()))
    if model.network.dependencies is None:
        return
    model.network.to(device).eval()
    sentences = [sentence for file in DEPENDENCY_FILES.values() for sentence in read_dependencies(file).sentences]

    def parse(sentences: list[LabelledSplits], batch: int) -> Sequence[object]:
        examples = model.featurizer(sentences, has_tree=False)
        return predict_dependencies(model, examples, device=torch.device(device), token_budget=batch)

    found = json.loads(result.read_text(encoding="utf-8"))
    found["parsing"] = measured_rate(sentences, parse)
    result.write_text(f"{json.dumps(found, ensure_ascii=False, indent=1)}\n", encoding="utf-8")


def _tree_scores(model: Model, device: str) -> dict[str, float | None]:
    """Return the F1 of each dev file, if the model has learned labels."""
    if len(model.vocabularies.labels) < 2:
        return {}
    return {
        name: evaluate_model(model, file, device=device, precision="fp32").score.f1 for name, file in TREE_FILES.items()
    }


def _dependency_scores(model: Model, device: str) -> dict[str, dict[str, float]]:
    if model.network.dependencies is None:
        return {}
    model.network.to(device)
    found = {}
    for name, file in DEPENDENCY_FILES.items():
        gold = read_dependencies(file)
        examples = model.featurizer(gold.sentences, has_tree=False)
        predicted = predict_dependencies(model, examples, device=torch.device(device))
        found[name] = score_attachments(gold.dependencies, predicted)._asdict()
    return found


def _say(event: Event) -> None:
    if event.kind == "step" and event.step % 100 == 0:
        print(f"step {event.step}/{event.steps}  loss {event.loss:.3f}  {event.sentences_per_second:,.0f} sentences/s")


if __name__ == "__main__":
    main()
