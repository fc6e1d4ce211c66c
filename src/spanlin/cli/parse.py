"""`spanlin parse`: sentences to trees."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

import click

from spanlin.errors import SpanlinError
from spanlin.trees.escapes import unescape_word


@click.command()
@click.argument("file", type=click.File("rb"), default="-")
@click.option(
    "--model", type=click.Path(path_type=Path), required=True, help="A model folder, as `spanlin export` writes it."
)
@click.option("--tokenized", is_flag=True, required=True, help="One sentence a line, tokens separated by spaces.")
@click.option("--threads", default=0, show_default="one a core", help="Cores to use.")
@click.option("--device", default="", help="cuda or cuda:N, for a model exported with its weights; needs torch.")
def parse(file: BinaryIO, model: Path, tokenized: bool, threads: int, device: str) -> None:
    """Print the tree of each sentence in FILE, one a line, in order; an empty line for an empty line.

    FILE may be - for standard input. Brackets among the tokens may be plain or escaped (-LRB-, -RRB-).
    """
    from spanlin.parser import Parser

    parser = Parser.load(model, threads=threads, device=device)
    for line in parser.stream(_token_lines(file)):
        click.echo(line)


def _token_lines(file: BinaryIO) -> Iterator[list[str]]:
    for number, line in enumerate(file, start=1):
        try:
            text = line.decode("utf-8" if number > 1 else "utf-8-sig")
        except UnicodeDecodeError as error:
            raise SpanlinError(f"line {number}: not UTF-8 (byte {error.start + 1}): convert the file first") from error
        yield [unescape_word(token) for token in text.split()]
