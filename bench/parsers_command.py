"""`python -m bench parsers`: its options, and what they come to."""

from __future__ import annotations

from pathlib import Path

import click

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


@click.command()
@click.option(
    "--encoder",
    type=FOLDER,
    help="A transformers folder, the encoder of every parser; without it, peers have networks of their own.",
)
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
@click.option(
    "--path",
    "paths",
    callback=named_paths,
    multiple=True,
    metavar="PEER=FOLDER",
    help="A folder that `pack` filled: the peer runs from there in this very Python, and nothing is installed.",
)
@click.option("--device", type=click.Choice(["cpu", "cuda"]), default="cpu", show_default=True)
@click.option("--threads", type=int, multiple=True, default=(1,), show_default=True, help="May be repeated.")
@click.option("--count", type=int, default=500, show_default=True, help="Sentences to parse, repeated if too few.")
@click.option("--peer-count", type=int, help="Fewer sentences for the peers, where they are slow.")
@click.option("--train-count", type=int, default=400, show_default=True, help="Trees to train on.")
@click.option("--epochs", type=int, default=2, show_default=True, help="Passes over them.")
@click.option("--train-seconds", type=float, default=600.0, show_default=True, help="Training stops early after these.")
@click.option("--max-words", type=int, default=150, show_default=True, help="Longer sentences are left out for all.")
@click.option("--repeats", type=int, default=2, show_default=True, help="Runs, of which the best counts.")
@click.option(
    "--batch-seconds", type=float, default=60.0, show_default=True, help="No repeat of a batch size after these."
)
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
    encoder: Path | None,
    train: Path,
    dev: Path,
    sentences: Path,
    ours: dict[str, Path],
    peers: tuple[str, ...],
    envs: Path,
    pythons: dict[str, Path],
    paths: dict[str, Path],
    device: str,
    threads: tuple[int, ...],
    count: int,
    peer_count: int | None,
    train_count: int,
    epochs: int,
    train_seconds: float,
    max_words: int,
    repeats: int,
    batch_seconds: float,
    timeout: int,
    bare_encoders: dict[str, Path],
    json_file: Path | None,
    markdown: Path | None,
    plot_file: Path | None,
) -> None:
    """Measure whole parsers beside each other: ours, benepar, SuPar, Stanza."""
    import json

    from bench.parsers import OWN_NETWORK, PEERS, Comparison, Contestant, compare
    from bench.peers.report import plot, to_markdown

    if unknown := set(peers) - PEERS.keys():
        raise click.UsageError(f"no peer {', '.join(sorted(unknown))}; there are {', '.join(PEERS)}")
    peers = peers or tuple(PEERS if encoder else OWN_NETWORK)
    if encoder is None and (without := set(peers).difference(OWN_NETWORK)):
        raise click.UsageError(f"--peer {', '.join(sorted(without))} has no network of its own: give --encoder")
    if unknown := (pythons | paths).keys() - {"spanlin", *(peer.runner for peer in PEERS.values())}:
        raise click.UsageError(f"--python or --path {', '.join(sorted(unknown))}: no peer of that name")
    if unknown := bare_encoders.keys() - ours.keys():
        raise click.UsageError(f"--bare-encoder {', '.join(sorted(unknown))}: no --ours of that name")
    limits = {name: {"bare_encoder": str(path.resolve())} for name, path in bare_encoders.items()}
    contestants = [
        *(
            Contestant(name=name, runner="spanlin", model=folder, settings=limits.get(name, {}))
            for name, folder in ours.items()
        ),
        *(PEERS[name] for name in peers),
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
        train_seconds=train_seconds,
        repeats=repeats,
        batch_seconds=batch_seconds,
        timeout=timeout,
        pythons=pythons,
        paths=paths,
    )
    for found in compare(comparison, contestants, lambda line: click.echo(line, err=True)):
        if json_file is not None:
            json_file.write_text(json.dumps(found, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")
        if markdown is not None:
            markdown.write_text(to_markdown(found), encoding="utf-8")
    click.echo(to_markdown(found))
    if plot_file is not None:
        plot([found], plot_file)
