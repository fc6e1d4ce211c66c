"""`python -m bench dependencies`: its options, and what they come to."""

from __future__ import annotations

import json
import tempfile
from dataclasses import asdict, replace
from pathlib import Path

import click

from bench.parsers_command import EXISTING_FILE, FOLDER, OUTPUT_FILE

_CONFIG = Path(__file__).parents[1] / "experiments" / "joint" / "joint.toml"


@click.command()
@click.option("--sentences", "files", type=EXISTING_FILE, multiple=True, required=True, help="Trees. Repeatable.")
@click.option("--checkpoint", type=FOLDER, help="A network that was trained with dependencies.")
@click.option("--encoder", type=FOLDER, help="A transformers folder to make a network over, of random weights.")
@click.option("--config", type=EXISTING_FILE, default=_CONFIG, help="What that is like; experiments/joint/joint.toml.")
@click.option("--device", default="cpu", show_default=True)
@click.option("--count", type=int, default=0, help="Only so many sentences.")
@click.option("--repeats", type=int, default=9, show_default=True, help="Passes of each kind.")
@click.option("--json", "json_file", type=OUTPUT_FILE, help="Write the figures here too.")
def dependencies(
    *,
    files: tuple[Path, ...],
    checkpoint: Path | None,
    encoder: Path | None,
    config: Path,
    device: str,
    count: int,
    repeats: int,
    json_file: Path | None,
) -> None:
    """Measure what dependencies cost beside trees: int8 on one core, or, on another device, a checkpoint."""
    from bench import dependencies as bench
    from bench.devices import read_lines
    from spanlin.config.training import load_config
    from spanlin.errors import SpanlinError
    from spanlin.training.checkpoint import load_model
    from spanlin.trees.brackets import read_trees

    def log(line: str) -> None:
        click.echo(line, err=True)

    if (checkpoint is None) == (encoder is None):
        raise click.UsageError("give --checkpoint or --encoder")
    try:
        sentences = [line.split(" ") for line in read_lines(files)]
        sentences = sentences[:count] if count else sentences
        if checkpoint is not None:
            model = load_model(checkpoint)
            if model.network.dependencies is None:
                raise click.ClickException(f"{checkpoint}: was trained without dependencies")
        else:
            given = load_config(config)
            pretrained = replace(given.network.pretrained, folder=str(encoder))
            given = replace(given, network=replace(given.network, pretrained=pretrained))
            model = bench.random_model(given, list(read_trees(files[0])))
        with tempfile.TemporaryDirectory() as folder:
            is_trained = checkpoint is not None
            parsers = bench.load_parsers(model, Path(folder), device=device, is_trained=is_trained, log=log)
            figures = bench.measure(parsers, sentences, device=device, repeats=repeats, log=log)
    except (SpanlinError, bench.DependencyBenchError) as error:
        raise click.ClickException(str(error)) from error
    figures["network"] = {
        "encoder": Path(model.config.network.pretrained.folder).name,
        "weights": "random" if checkpoint is None else "trained",
        "context": asdict(model.config.network.context),
        "dependencies": asdict(model.config.network.dependencies),
    }
    if json_file is not None:
        json_file.write_text(json.dumps(figures, indent=2) + "\n", encoding="utf-8")
    click.echo("\n".join(bench.to_markdown(figures)))
