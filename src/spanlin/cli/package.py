"""`spanlin package`: a model folder as a wheel, which pip installs under a name of its own."""

from __future__ import annotations

from pathlib import Path

import click

from spanlin.model_folder.folder import open_folder
from spanlin.model_folder.installed import normal_name
from spanlin.model_folder.lookup import find_model
from spanlin.model_folder.wheel import wheel_name, write_wheel


@click.command()
@click.argument("model", metavar="FOLDER")
@click.option("--name", required=True, help="What `--model` and `Parser.load` will call it.")
@click.option("--version", default="0.1.0", show_default=True, help="The version of the package.")
@click.option(
    "--licence",
    "--license",
    type=click.Path(path_type=Path, exists=True, dir_okay=False),
    metavar="FILE",
    help="A text file to include as the model's licence.",
)
@click.option(
    "--output",
    type=click.Path(path_type=Path, file_okay=False),
    default="dist",
    show_default=True,
    metavar="DIR",
    help="Where to write the wheel.",
)
def package(*, model: str, name: str, version: str, licence: Path | None, output: Path) -> None:
    """Make a wheel of the model in FOLDER. Wherever pip installs it, spanlin finds the model by its name.

    The wheel is called spanlin-model-NAME and has no code in it. Its description is the model's card. The files are
    checked against their sums first.

    \b
    Example:
      spanlin package my-parser --name mine --licence LICENSE
      pip install dist/spanlin_model_mine-0.1.0-py3-none-any.whl
      spanlin parse --model mine story.txt
    """  # noqa: D301 (click's mark for lines that stay as they are)
    wheel_name(name, version)  # before a large folder is read
    folder = open_folder(find_model(model))
    path = write_wheel(folder, output, name=name, version=version, licence=licence)
    click.echo(f"{path}: {path.stat().st_size / 1e6:.1f} MB")
    if licence is None:
        click.echo("It has no licence; before you share it, give one with --licence.", err=True)
    click.echo(f"Next: pip install {path} && spanlin info {normal_name(name)}", err=True)
