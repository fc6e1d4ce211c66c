"""`python -m bench decoders`."""

from __future__ import annotations

import json
from pathlib import Path

import click

from bench.decoders import DECODERS
from bench.parsers_command import EXISTING_FILE, OUTPUT_FILE


@click.command()
@click.option("--sentences", "files", type=EXISTING_FILE, multiple=True, required=True, help="Trees. Repeatable.")
@click.option("--model", "models", multiple=True, default=("en",), show_default=True, help="Repeatable.")
@click.option("--decoder", "wanted", type=click.Choice(DECODERS), multiple=True, help="Repeatable; all if not given.")
@click.option("--count", type=int, default=2000, show_default=True, help="Distinct sentences at most.")
@click.option("--batch-tokens", type=int, default=0, help="Word pieces per batch; 0 for those of a CPU.")
@click.option("--repeats", type=int, default=5, show_default=True, help="Passes, of which the fastest counts.")
@click.option("--json", "json_file", type=OUTPUT_FILE, help="Write the figures here too.")
def decoders(
    *,
    files: tuple[Path, ...],
    models: tuple[str, ...],
    wanted: tuple[str, ...],
    count: int,
    batch_tokens: int,
    repeats: int,
    json_file: Path | None,
) -> None:
    """Measure what each decoder costs the host: CPU time per sentence, with the network's answers replayed."""
    from bench.corpus import read_token_lists
    from bench.decoders import measure, to_markdown
    from bench.peers.protocol import spread
    from spanlin.errors import SpanlinError

    try:
        distinct = [
            list(words)
            for words in dict.fromkeys(tuple(words) for file in files for words in read_token_lists(file) if words)
        ]
        figures = measure(
            models,
            spread(distinct, count),
            decoders=wanted or DECODERS,
            batch_tokens=batch_tokens,
            repeats=repeats,
            log=lambda line: click.echo(line, err=True),
        )
    except SpanlinError as error:
        raise click.ClickException(str(error)) from error
    if json_file is not None:
        json_file.write_text(json.dumps(figures, indent=2) + "\n", encoding="utf-8")
    click.echo("\n".join(to_markdown(figures)), nl=False)
