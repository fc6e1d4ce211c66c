"""`python -m bench corpus-faults` and `corpus-cluster`."""

from __future__ import annotations

import json
import tempfile
from pathlib import Path
from typing import Any

import click

from bench.parsers_command import EXISTING_FILE, OUTPUT_FILE


@click.command("corpus-faults")
@click.option("--text", type=EXISTING_FILE, required=True, help="One sentence per line; repeated as often as needed.")
@click.option("--count", type=click.IntRange(min=2), default=200_000, show_default=True, help="Sentences.")
@click.option("--model", default="en", show_default=True)
@click.option("--unit-size", default="256K", show_default=True)
@click.option("--kill-every", type=float, default=20.0, show_default=True, help="Seconds between two dead actors.")
@click.option("--driver-kills", type=click.IntRange(min=0), default=2, show_default=True)
@click.option("--rounds", type=click.IntRange(min=1), default=1, show_default=True, help="Of the throughput, in turn.")
@click.option("--part", "parts", multiple=True, type=click.Choice(["throughput", "faults"]), help="All without.")
@click.option("--folder", type=click.Path(path_type=Path), help="A new folder to work in, and to keep.")
@click.option("--json", "json_file", type=OUTPUT_FILE, help="Write the figures here too.")
def corpus_faults(
    *,
    text: Path,
    count: int,
    model: str,
    unit_size: str,
    kill_every: float,
    driver_kills: int,
    rounds: int,
    parts: tuple[str, ...],
    folder: Path | None,
    json_file: Path | None,
) -> None:
    """Measure `spanlin corpus` on Ray beside two plain processes, and check it while actors and drivers are killed."""
    from bench.corpus_faults import CorpusFaultsError, measure

    with tempfile.TemporaryDirectory() as temporary:
        try:
            found = measure(
                text,
                folder or Path(temporary) / "work",
                count=count,
                model=model,
                unit_size=unit_size,
                kill_every=kill_every,
                driver_kills=driver_kills,
                rounds=rounds,
                parts=parts or ("throughput", "faults"),
                log=lambda line: click.echo(line, err=True),
            )
        except CorpusFaultsError as error:
            raise click.ClickException(str(error)) from error
    _show(found, json_file)


@click.command("corpus-cluster")
@click.option("--text", type=EXISTING_FILE, required=True, help="One sentence per line; repeated as often as needed.")
@click.option("--count", type=click.IntRange(min=2), default=20_000, show_default=True, help="Sentences.")
@click.option("--model", default="en", show_default=True)
@click.option("--unit-size", default="64K", show_default=True)
@click.option("--folder", type=click.Path(path_type=Path), help="A new folder to work in, and to keep.")
@click.option("--json", "json_file", type=OUTPUT_FILE, help="Write the figures here too.")
def corpus_cluster(
    *, text: Path, count: int, model: str, unit_size: str, folder: Path | None, json_file: Path | None
) -> None:
    """Check `spanlin corpus` on three hosts (network namespaces: needs root), one of which is cut off."""
    from bench.corpus_cluster import measure
    from bench.corpus_faults import CorpusFaultsError

    with tempfile.TemporaryDirectory() as temporary:
        work = (folder or Path(temporary) / "work").absolute()
        try:
            found = measure(
                text,
                work,
                count=count,
                model=model,
                unit_size=unit_size,
                log=lambda line: click.echo(line, err=True),
            )
        except CorpusFaultsError as error:
            raise click.ClickException(str(error)) from error
    _show(found, json_file)


def _show(found: dict[str, Any], json_file: Path | None) -> None:
    written = json.dumps(found, indent=1)
    click.echo(written)
    if json_file is not None:
        json_file.write_text(written + "\n", encoding="utf-8")
