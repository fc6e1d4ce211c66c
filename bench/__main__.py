"""`python -m bench NAME`: one table of figures; `foundation` on one core, `parsers` beside other parsers."""

from __future__ import annotations

import os
from pathlib import Path

import click

# Figures are per core. NumPy's libraries read these when they are first loaded.
os.environ |= dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1")

EXISTING_FILE = click.Path(exists=True, dir_okay=False, path_type=Path)
OUTPUT_FILE = click.Path(dir_okay=False, path_type=Path)
FOLDER = click.Path(exists=True, file_okay=False, path_type=Path)


def named_paths(_: click.Context, __: click.Parameter, values: tuple[str, ...]) -> dict[str, Path]:
    """Return what `NAME=PATH`, given once or more, says."""
    found: dict[str, Path] = {}
    for value in values:
        name, _equals, path = value.partition("=")
        if not (name and path):
            raise click.BadParameter(f"{value!r} is not NAME=PATH")
        found[name] = Path(path).expanduser()
    return found


@click.group()
def main() -> None:
    """Measure the speed of spanlin and of other parsers."""


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


@main.command()
@click.option("--encoder", type=FOLDER, required=True, help="A transformers folder, the encoder of every parser.")
@click.option("--train", type=EXISTING_FILE, required=True, help="Trees that the peers are trained on, briefly.")
@click.option("--dev", type=EXISTING_FILE, required=True, help="Trees that show what the training came to.")
@click.option("--sentences", type=EXISTING_FILE, required=True, help="Trees, or JSON lists of words, to parse.")
@click.option(
    "--ours", callback=named_paths, multiple=True, metavar="NAME=FOLDER", help="An exported model; may be repeated."
)
@click.option("--peer", "peers", multiple=True, help="A peer to measure; all of them if none is named.")
@click.option(
    "--envs",
    type=click.Path(file_okay=False, path_type=Path),
    default=Path.home() / ".cache/spanlin-bench",
    show_default=True,
    help="Where the peers' environments and models are kept.",
)
@click.option(
    "--python",
    "pythons",
    callback=named_paths,
    multiple=True,
    metavar="PEER=PYTHON",
    help="An interpreter that has the peer already, instead of an environment.",
)
@click.option("--device", type=click.Choice(["cpu", "cuda"]), default="cpu", show_default=True)
@click.option("--threads", type=int, multiple=True, default=(1,), show_default=True, help="May be repeated.")
@click.option("--count", type=int, default=500, show_default=True, help="Sentences to parse, repeated if too few.")
@click.option("--peer-count", type=int, help="Fewer sentences for the peers, where they are slow.")
@click.option("--train-count", type=int, default=400, show_default=True, help="Trees to train on.")
@click.option("--epochs", type=int, default=2, show_default=True, help="Passes over them.")
@click.option("--max-words", type=int, default=150, show_default=True, help="Longer sentences are left out for all.")
@click.option("--repeats", type=int, default=2, show_default=True, help="The best of so many runs counts.")
@click.option("--timeout", type=int, default=1800, show_default=True, help="Seconds after which a runner is given up.")
@click.option(
    "--bare-encoder",
    "bare_encoders",
    callback=named_paths,
    multiple=True,
    metavar="NAME=FILE",
    help="The ONNX graph of the encoder alone of one of ours, to measure the distance to its limit.",
)
@click.option("--json", "json_file", type=OUTPUT_FILE, help="Write all figures here.")
@click.option("--markdown", type=OUTPUT_FILE, help="Write the table for the README here.")
@click.option("--plot", "plot_file", type=OUTPUT_FILE, help="Write a plot here.")
def parsers(
    *,
    encoder: Path,
    train: Path,
    dev: Path,
    sentences: Path,
    ours: dict[str, Path],
    peers: tuple[str, ...],
    envs: Path,
    pythons: dict[str, Path],
    device: str,
    threads: tuple[int, ...],
    count: int,
    peer_count: int | None,
    train_count: int,
    epochs: int,
    max_words: int,
    repeats: int,
    timeout: int,
    bare_encoders: dict[str, Path],
    json_file: Path | None,
    markdown: Path | None,
    plot_file: Path | None,
) -> None:
    """Measure whole parsers beside each other: ours, benepar, SuPar, Stanza."""
    import json

    from bench.parsers import PEERS, Comparison, Contestant, compare
    from bench.peers.report import plot, to_markdown

    if unknown := set(peers) - PEERS.keys():
        raise click.UsageError(f"no peer {', '.join(sorted(unknown))}; there are {', '.join(PEERS)}")
    if unknown := bare_encoders.keys() - ours.keys():
        raise click.UsageError(f"--bare-encoder {', '.join(sorted(unknown))}: no --ours of that name")
    limits = {name: {"bare_encoder": str(path.resolve())} for name, path in bare_encoders.items()}
    contestants = [
        *(
            Contestant(name=name, runner="spanlin", model=folder, settings=limits.get(name, {}))
            for name, folder in ours.items()
        ),
        *(PEERS[name] for name in peers or PEERS),
    ]
    comparison = Comparison(
        encoder=encoder,
        train=train,
        dev=dev,
        sentences=sentences,
        envs=envs.expanduser().resolve(),
        device=device,
        threads=threads,
        train_count=train_count,
        count=count,
        peer_count=count if peer_count is None else peer_count,
        max_words=max_words,
        epochs=epochs,
        repeats=repeats,
        timeout=timeout,
        pythons=pythons,
    )
    for found in compare(comparison, contestants, lambda line: click.echo(line, err=True)):
        if json_file is not None:
            json_file.write_text(json.dumps(found, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")
        if markdown is not None:
            markdown.write_text(to_markdown(found), encoding="utf-8")
    click.echo(to_markdown(found))
    if plot_file is not None:
        plot(found, plot_file)


if __name__ == "__main__":
    main(prog_name="python -m bench")
