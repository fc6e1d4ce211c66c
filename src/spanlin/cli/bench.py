"""`spanlin bench`: how fast a model parses on this machine."""

from __future__ import annotations

from pathlib import Path

import click

from spanlin.cli.model_options import model_options
from spanlin.cli.sources import Source, encoding_option


@click.command()
@click.argument("file", type=click.Path(exists=True, dir_okay=False, path_type=Path), required=False)
@encoding_option
@model_options
@click.option(
    "--seconds",
    type=click.FloatRange(min=0.1, max=600),
    default=6.0,
    show_default=True,
    help="How long to measure, for each of the two rates.",
)
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object instead of a table.")
def bench(
    *, file: Path | None, encoding: str, model: str, threads: int, device: str, seconds: float, as_json: bool
) -> None:
    """Measure how fast a model parses on this machine, in less than half a minute.

    It reports sentences per second, many at a time and one by one, the latency of a sentence (p50 and p99), the time
    from starting a process to its first tree, and the peak memory. All times are from words to bracket strings.

    FILE has sentences, one per line, with tokens separated by spaces; choose some like those you will parse. Without
    it, built-in sentences, 22 words long on average, are parsed over and over.
    """
    from spanlin.benchmark import measure

    source = Source([str(file)] if file else [], form="tokenized", encoding=encoding)
    sentences = [sentence.words for sentence in source]
    if source.error:
        raise source.error
    found = measure(model, sentences=sentences, threads=threads, device=device, seconds=seconds)
    click.echo(found.to_json() if as_json else found.to_text())
