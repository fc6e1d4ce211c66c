"""`spanlin calibrate`: a model folder's probabilities, fitted on gold trees and dependencies."""

from __future__ import annotations

from pathlib import Path

import click


@click.command()
@click.argument("folder", type=click.Path(path_type=Path, exists=True, file_okay=False))
@click.argument("files", metavar="FILE...", nargs=-1, required=True, type=click.Path(exists=True, dir_okay=False))
def calibrate(folder: Path, files: tuple[str, ...]) -> None:
    """Fit the probabilities of the model FOLDER on the gold trees, or dependencies, in the FILEs.

    A network is overconfident. After this, you can take `probability` literally: of phrases with 0.9, nine in ten are
    correct. Give dev trees, not those that the model was trained on. Only numbers in FOLDER's manifest change, and its
    trees stay the same.

    A FILE whose name ends in .conllu or .conllu.gz has dependencies. On these, the probabilities of arcs are fitted.

    \b
    Examples:
      spanlin export runs/mine/best my-parser && spanlin calibrate my-parser data/mine/dev.txt
      spanlin calibrate my-parser data/mine/dev.txt data/mine/dev.conllu
    """  # noqa: D301 (click's mark for lines that stay as they are)
    from spanlin.training.calibrating import calibrate_folder

    for found in calibrate_folder(folder, files):
        click.echo(f"{found.file}: calibration error of {found.of} {found.before:.4f} before, {found.after:.4f} now")
