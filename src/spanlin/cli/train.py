"""`spanlin train`: a training run from two files of trees, or from a TOML file that says more."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import TYPE_CHECKING

import click
from rich.console import Console

from spanlin.cli.extras import needs_train_extra
from spanlin.cli.train_progress import TrainProgress

if TYPE_CHECKING:
    from spanlin.config.training import TrainingConfig

_FILE = click.Path(path_type=Path)


@click.command()
@click.argument("config", type=_FILE, required=False)
@click.option("--train", "train_file", type=_FILE, metavar="FILE", help="Trees to train on, in place of CONFIG.")
@click.option("--dev", "dev_file", type=_FILE, metavar="FILE", help="Other trees, by which the best model is chosen.")
@click.option("--from", "start", default="", metavar="MODEL", help="Start from a model, such as en: adapt it.")
@click.option("--max-minutes", type=click.FloatRange(min=0), help="End after this many minutes; 0: no limit.")
@click.option(
    "--folder", type=_FILE, help="The run's folder.  [default: runs/NAME, named after CONFIG or the treebank's folder]"
)
@click.option("--resume", is_flag=True, help="Resume an interrupted run from its last checkpoint.")
@click.option("--device", default="", help="cpu, cuda or cuda:N.  [default: cuda if there is one]")
def train(
    *,
    config: Path | None,
    train_file: Path | None,
    dev_file: Path | None,
    start: str,
    max_minutes: float | None,
    folder: Path | None,
    resume: bool,
    device: str,
) -> None:
    """Train a parser on files of trees, or as CONFIG (a TOML file) says.

    The run's folder gets the best model (best/), the state to resume from (last/), all its settings (config.toml),
    metrics.jsonl, TensorBoard files and curves.png. Ctrl-C saves and stops.

    \b
    Examples:
      spanlin train --train data/mine/train.txt --dev data/mine/dev.txt
      spanlin train --from en --train data/mine/train.txt --dev data/mine/dev.txt
      spanlin train mine.toml
      spanlin train --folder runs/mine --resume
      torchrun --nproc-per-node 4 -m spanlin train mine.toml     (four GPUs)
    """  # noqa: D301 (click's mark for lines that stay as they are)
    with needs_train_extra("training"):
        from dataclasses import replace

        from spanlin.config.training import load_config
        from spanlin.training.loop import train as run

    if train_file is not None:
        if config is not None:
            raise click.UsageError("CONFIG names its own files: give it, or --train and --dev, not both.")
        settings, name = _config_of_files(train_file, dev_file), _name(train_file)
    elif dev_file is not None:
        raise click.UsageError("--dev needs --train FILE.")
    elif config is not None:
        settings, name = load_config(config), config.stem
    elif resume and folder is not None:
        settings, name = load_config(folder / "config.toml"), folder.name
    else:
        raise click.UsageError("give --train FILE and --dev FILE, or CONFIG.")
    if start:
        settings = replace(settings, start=start)
    if max_minutes is not None:
        settings = replace(settings, max_minutes=max_minutes)
    folder = folder or Path("runs") / name
    with TrainProgress(Console(stderr=True)) as progress:
        result = run(settings, folder, resume=resume, device=device, watch=progress)
    if result.interrupted:
        click.echo(
            f"interrupted after {result.steps} steps; to resume: spanlin train --folder {_quoted(folder)} --resume"
        )
        return
    scored = f"; best mean dev F1 {result.best_score:.2f}" if any(one.dev for one in settings.treebanks) else ""
    click.echo(f"finished after {result.steps} steps{scored}: {result.best}")
    for command in _next_commands(settings, folder, result.best):
        click.echo(f"next: {command}")


def _config_of_files(train_file: Path, dev_file: Path | None) -> TrainingConfig:
    from spanlin.config.training import TrainingConfig, TreebankConfig

    dev = "" if dev_file is None else str(dev_file)
    return TrainingConfig(treebanks=(TreebankConfig(name=_name(train_file), train=str(train_file), dev=dev),))


def _name(train_file: Path) -> str:
    """Return what a treebank is called after its file or, if that is `train.txt`, after its folder."""
    stem = train_file.name.partition(".")[0]
    name = train_file.absolute().parent.name if stem == "train" else stem
    return name if name and name != "mean" else "treebank"


def _next_commands(settings: TrainingConfig, folder: Path, best: Path) -> list[str]:
    """Return what to type after a run: it makes the model folder that parses without torch, and parses with it."""
    model = folder / "model"
    files = [file for one in settings.treebanks for file in (one.dev, one.dev_dependencies) if file]
    gold = "".join(f" --calibrate {_quoted(file)}" for file in files)
    return [
        f"spanlin export {_quoted(best)} {_quoted(model)}{gold}",
        f"spanlin parse --model {_quoted(model)} --text 'A sentence to parse.'",
    ]


def _quoted(path: str | Path) -> str:
    return shlex.quote(str(path))
