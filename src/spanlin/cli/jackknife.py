"""`spanlin jackknife`: part-of-speech tags for treebanks, each from a model that has not seen the sentence."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click
from rich.console import Console

from spanlin.cli.extras import needs_train_extra

if TYPE_CHECKING:
    from spanlin.training.jackknife import TaggedTreebank
    from spanlin.training.metrics import Event


@click.command()
@click.argument("config", type=click.Path(path_type=Path))
@click.option("--folder", type=click.Path(path_type=Path), required=True, help="Folder for the tagged files.")
@click.option(
    "--folds", type=int, default=10, show_default=True, help="Number of blocks to cut the training trees into."
)
@click.option("--treebank", "treebanks", multiple=True, help="Tag only this treebank of CONFIG. May be repeated.")
@click.option("--device", default="", help="cpu, cuda or cuda:N.  [default: cuda if available]")
def jackknife(config: Path, folder: Path, folds: int, treebanks: tuple[str, ...], device: str) -> None:
    """Replace the tags of the treebanks in CONFIG (a TOML file) with predicted ones.

    The training trees are cut into blocks. Each block is tagged by a parser trained on the other blocks, with the
    settings in CONFIG; the dev trees are tagged by a parser trained on all blocks. The results are train.txt and
    dev.txt in FOLDER/NAME, and the last parser's checkpoint in FOLDER/NAME/tagger. If the command is killed or
    interrupted with Ctrl-C, run it again and it resumes where it stopped.
    """
    with needs_train_extra("jackknifing"):
        from spanlin.config.training import load_config
        from spanlin.training.jackknife import jackknife_tags

    console = Console(stderr=True)
    settings = load_config(config)
    with _Display(console) as display:
        result = jackknife_tags(settings, folder, folds=folds, treebanks=treebanks, device=device, watch=display)
    for treebank in result.treebanks:
        click.echo(_describe(treebank))
    if result.interrupted:
        click.echo("spanlin: interrupted: run the same command to resume", err=True)
        click.get_current_context().exit(130)


def _describe(treebank: TaggedTreebank) -> str:
    folds = " ".join(f"{fold.accuracy:.2f}" for fold in treebank.folds)
    lines = [
        f"{treebank.name}: tagging accuracy by fold {folds}",
        f"  train {treebank.train.accuracy:6.2f}  {treebank.train.path}",
    ]
    if treebank.dev is not None:
        lines.append(f"  dev   {treebank.dev.accuracy:6.2f}  {treebank.dev.path}")
    lines.append(f"  tagger        {treebank.tagger}")
    return "\n".join(lines)


class _Display:
    """Shows the current step in a status line on a terminal, and prints a line for each finished step."""

    def __init__(self, console: Console) -> None:
        self.console = console
        self.status = console.status("reading the treebanks")
        self.at = ""

    def __enter__(self) -> _Display:
        if self.console.is_terminal:
            self.status.start()
        return self

    def __exit__(self, *details: object) -> None:
        self.status.stop()

    def __call__(self, event: Event) -> None:
        if event.kind == "note":
            self.at = event.text
            self.console.print(event.text, highlight=False, markup=False, soft_wrap=True)
        elif event.kind == "warning":
            self.console.print(f"warning: {event.text}", highlight=False, markup=False, soft_wrap=True)
        elif event.kind == "step":
            self.status.update(
                f"{self.at}: epoch {event.epoch}/{event.epochs}  step {event.step}/{event.steps}  "
                f"loss {event.loss:.3f}  {event.sentences_per_second:,.0f} sentences/s"
            )
