"""`python -m bench NAME`: one table of figures, measured on one core."""

from __future__ import annotations

import os
from pathlib import Path

import click

# Figures are per core. NumPy's libraries read these when they are first loaded.
os.environ |= dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1")


@click.group()
def main() -> None:
    """Measure the speed of spanlin on one core."""


@main.command()
@click.option(
    "--json", "json_file", type=click.Path(dir_okay=False, path_type=Path), help="Write the figures here too."
)
def foundation(json_file: Path | None) -> None:
    """Measure reader, writer, linearization, scorer and decoders."""
    from bench.foundation import figures
    from bench.table import print_table, to_json

    found = figures()
    print_table(found, title="Trees, scorer and decoders")
    if json_file is not None:
        json_file.write_text(to_json(found), encoding="utf-8")


if __name__ == "__main__":
    main(prog_name="python -m bench")
