"""`spanlin export`: a checkpoint as a self-contained model folder."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import cast

import click

from spanlin.cli.extras import needs_train_extra


@click.command()
@click.argument("checkpoint", type=click.Path(path_type=Path))
@click.argument("dest", type=click.Path(path_type=Path))
@click.option(
    "--precision",
    type=click.Choice(["fp32", "fp16", "int8"]),
    default="int8",
    show_default=True,
    help="Precision of the weights: int8 is smallest and fastest on a CPU, fp32 is exactly what was trained.",
)
@click.option("--treebank", default="", help="Which of the treebanks it was trained on to annotate like.")
@click.option(
    "--tagger",
    type=click.Path(path_type=Path),
    metavar="CHECKPOINT",
    help="For a network that reads tags, or gives none: the checkpoint that tags for it. It is put into DEST, too.",
)
@click.option("--card", type=click.Path(path_type=Path, exists=True, dir_okay=False), help="The model card to include.")
@click.option(
    "--with-weights",
    is_flag=True,
    help="Add the exact weights for torch, which otherwise uses those in the graph.",
)
@click.option(
    "--calibrate",
    "gold",
    multiple=True,
    metavar="FILE",
    type=click.Path(exists=True, dir_okay=False),
    help="Fit its probabilities on these gold trees, such as dev.txt, or dependencies, such as dev.conllu: see "
    "`spanlin calibrate`. Repeatable.",
)
def export(
    *,
    checkpoint: Path,
    dest: Path,
    precision: str,
    treebank: str,
    tagger: Path | None,
    card: Path | None,
    with_weights: bool,
    gold: tuple[str, ...],
) -> None:
    """Write CHECKPOINT as a model folder DEST, which `spanlin parse` reads without torch.

    DEST must be new, empty, or a model folder, which is replaced; nothing else is ever removed.

    The folder holds one ONNX graph from words to labelled spans, the tokenizer or the words and characters that the
    network knows, the labels, a card, and the SHA-256 sums of them all.

    \b
    Example:
      spanlin export runs/mine/best my-parser --calibrate data/mine/dev.txt
      spanlin parse --model my-parser story.txt
    """  # noqa: D301 (click's mark for lines that stay as they are)
    with needs_train_extra("exporting"):
        from spanlin.training.calibrating import calibrate_folder
        from spanlin.training.checkpoint import MODEL_FOLDER, require_replaceable
        from spanlin.training.export import Precision, export_model

    require_replaceable(dest, MODEL_FOLDER)  # before the checkpoint is read
    text = _read_card(card) if card else ""
    export_model(
        checkpoint,
        dest,
        precision=cast(Precision, precision),
        treebank=treebank,
        tagger=tagger,
        card=text,
        with_weights=with_weights,
    )
    if gold:
        calibrate_folder(dest, gold)
    size = sum(path.stat().st_size for path in dest.iterdir()) / 1e6
    click.echo(f"{dest}: {precision}, {size:.1f} MB")
    if not gold:
        calibrate = f"spanlin calibrate {shlex.quote(str(dest))} DEV.txt"
        click.echo(f"its probabilities are not calibrated: {calibrate}", err=True)


def _read_card(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except UnicodeDecodeError as error:
        problem = f"{path} is not UTF-8 (byte {error.start + 1}): save it as UTF-8."
        raise click.BadParameter(problem, param_hint="--card") from error
