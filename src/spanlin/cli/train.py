"""`spanlin train`: a training run from a TOML file, with a live display."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click
from rich.console import Console
from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn

from spanlin.cli.extras import needs_train_extra

if TYPE_CHECKING:
    from spanlin.training.metrics import Event


@click.command()
@click.argument("config", type=click.Path(path_type=Path))
@click.option(
    "--folder", type=click.Path(path_type=Path), help="Where the run is kept.  [default: runs/NAME of CONFIG]"
)
@click.option("--resume", is_flag=True, help="Go on with an interrupted run from its last checkpoint.")
@click.option("--device", default="", help="cpu, cuda or cuda:N.  [default: cuda if there is one]")
def train(config: Path, folder: Path | None, resume: bool, device: str) -> None:
    """Train a parser as CONFIG (a TOML file) says.

    The run's folder gets the best model (best/), the state to resume from (last/), metrics.jsonl, TensorBoard files
    and curves.png. Ctrl-C saves and stops.

    \b
    Examples:
      spanlin train mine.toml
      spanlin train mine.toml --resume
      torchrun --nproc-per-node 4 -m spanlin train mine.toml     (four GPUs)
    """  # noqa: D301 (click's mark for lines that stay as they are)
    with needs_train_extra("training"):
        from spanlin.config.training import load_config
        from spanlin.training.loop import train as run

    console = Console(stderr=True)
    settings = load_config(config)
    with _Display(console) as display:
        result = run(settings, folder or Path("runs") / config.stem, resume=resume, device=device, watch=display)
    ended = "interrupted (continue with --resume)" if result.interrupted else "finished"
    click.echo(f"{ended} after {result.steps} steps; best mean dev F1 {result.best_score:.2f}: {result.best}")


class _Display:
    """A bar with the run's figures on a terminal; plain lines elsewhere."""

    def __init__(self, console: Console) -> None:
        self.console = console
        self.bar = Progress(
            TextColumn("epoch {task.fields[epoch]}"),
            BarColumn(),
            TaskProgressColumn(),
            TextColumn("{task.fields[figures]}"),
            console=console,
            disable=not console.is_terminal,
        )
        self.task = self.bar.add_task("train", total=None, epoch="-", figures="reading the treebanks")
        self.best = ""

    def __enter__(self) -> _Display:
        self.bar.start()
        return self

    def __exit__(self, *details: object) -> None:
        if not self.bar.disable:  # older versions of rich end even a bar that was never shown with an empty line
            self.bar.stop()

    def __call__(self, event: Event) -> None:
        if event.kind == "step":
            minutes, seconds = divmod(round(event.seconds_left), 60)
            figures = (
                f"step {event.step}/{event.steps}  loss {event.loss:.3f}  rate {event.rate:.1e}  "
                f"{event.sentences_per_second:,.0f} sentences/s  {self.best}  {minutes}:{seconds:02} left"
            )
            self.bar.update(
                self.task,
                completed=event.step,
                total=event.steps,
                epoch=f"{event.epoch}/{event.epochs}",
                figures=figures,
            )
            if not self.console.is_terminal and event.step % 200 == 0:
                self.console.print(f"epoch {event.epoch}/{event.epochs}  {figures}", highlight=False, soft_wrap=True)
        elif event.kind == "evaluation":
            parts = "  ".join(f"{name} {score:.2f}" for name, score in event.scores.items())
            self.best = f"dev F1 {event.scores['mean']:.2f}"
            self.console.print(f"epoch {event.epoch}  dev F1  {parts}", highlight=False, soft_wrap=True)
        elif event.text:
            self.console.print(event.text, highlight=False, soft_wrap=True)
