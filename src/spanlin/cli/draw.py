"""`spanlin draw`: trees in brackets to drawings."""

from __future__ import annotations

from typing import BinaryIO

import click

from spanlin.errors import TreeSyntaxError
from spanlin.render.columns import columns_tree
from spanlin.render.latex import STYLES, LatexStyle, latex_tree
from spanlin.render.pretty import pretty_tree
from spanlin.render.svg import svg_tree
from spanlin.trees.brackets import read_trees
from spanlin.trees.tree import Tree


@click.command()
@click.argument("file", type=click.File("rb"), default="-")
@click.option(
    "--format",
    "output_format",
    type=click.Choice(["pretty", "svg", "latex", "columns"]),
    default="pretty",
    show_default=True,
    help="Box characters; SVG, one per line; LaTeX; or columns of words, tags and brackets.",
)
@click.option(
    "--style", type=click.Choice(STYLES), default="forest", show_default=True, help="The package, for --format latex."
)
@click.option(
    "--skip-bad", is_flag=True, help="Skip malformed trees and report them, instead of stopping at the first."
)
def draw(file: BinaryIO, output_format: str, style: LatexStyle, skip_bad: bool) -> None:
    """Draw each tree in FILE, in order.

    FILE has trees in brackets, in any layout; it may be - for standard input, and may be gzip.

    \b
    Examples:
      spanlin draw trees.txt | less
      spanlin draw --format svg one-tree.txt > tree.svg
    """  # noqa: D301 (click's mark for lines that stay as they are)
    bad: list[TreeSyntaxError] = []
    for tree in read_trees(file, on_bad=bad.append if skip_bad else None):
        click.echo(_drawn(tree, output_format, style))
    for error in bad:
        click.echo(f"spanlin: skipped: {error}", err=True)


def _drawn(tree: Tree, output_format: str, style: LatexStyle) -> str:
    """Return a drawing; one of several lines has an empty line behind it."""
    if output_format == "svg":
        return svg_tree(tree)
    if output_format == "latex":
        return latex_tree(tree, style) + "\n"
    return (columns_tree(tree) if output_format == "columns" else pretty_tree(tree)) + "\n"
