"""`python -m bench NAME`: `foundation`, `parsers` beside others, `scaling`, `stability`, `devices`, and more."""

from __future__ import annotations

import json
import os
from pathlib import Path

import click

from bench.corpus_command import corpus_cluster, corpus_faults
from bench.decoders_command import decoders
from bench.dependencies_command import dependencies
from bench.parsers_command import EXISTING_FILE, FOLDER, OUTPUT_FILE, parsers

# Figures are per core. NumPy's libraries read these when they are first loaded.
os.environ |= dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1")


def _log(line: str) -> None:
    click.echo(line, err=True)


@click.group()
def main() -> None:
    """Measure the speed of spanlin and of other parsers."""


@main.command()
@click.option("--json", "json_file", type=OUTPUT_FILE, help="Write the figures here too.")
def foundation(json_file: Path | None) -> None:
    """Measure reader, writer, linearization, scorer and decoders."""
    from bench.foundation import figures
    from bench.table import print_table, to_json

    found = figures()
    print_table(found, title="Trees, scorer and decoders")
    if json_file is not None:
        json_file.write_text(to_json(found), encoding="utf-8")


@main.command()
@click.option("--model", "models", multiple=True, default=("en", "en-small"), show_default=True, help="Repeatable.")
@click.option("--lines", type=EXISTING_FILE, required=True, help="Sentences, tokens separated by blanks.")
@click.option("--rounds", type=int, default=5, show_default=True)
@click.option(
    "--seconds", type=float, default=6.0, show_default=True, help="For each rate of each model in each round."
)
@click.option("--json", "json_file", type=OUTPUT_FILE, help="Write the figures here too.")
def models(*, models: tuple[str, ...], lines: Path, rounds: int, seconds: float, json_file: Path | None) -> None:
    """Measure models in turn on the CPU, each in a fresh process."""
    from bench.models import in_turn

    try:
        found = in_turn(models, lines, rounds=rounds, seconds=seconds)
    except ValueError as error:
        raise click.ClickException(str(error)) from error
    text = json.dumps(found, indent=1) + "\n"
    click.echo(text, nl=False)
    if json_file is not None:
        json_file.write_text(text, encoding="utf-8")


main.add_command(corpus_cluster)
main.add_command(corpus_faults)
main.add_command(decoders)
main.add_command(dependencies)
main.add_command(parsers)


@main.command()
@click.option("--model", type=FOLDER, required=True, help="An exported model.")
@click.option("--sentences", type=EXISTING_FILE, required=True, help="Trees, or JSON lists of words, to parse.")
@click.option("--count", "counts", type=int, multiple=True, default=(1_000, 10_000, 100_000), show_default=True)
@click.option("--length-count", type=int, default=200, show_default=True, help="Sentences of 25 and of 400 words.")
@click.option("--batch", type=int, default=1000, show_default=True, help="Word pieces that run together.")
@click.option("--threads", type=int, default=0, show_default=True, help="0 for every core.")
@click.option("--device", default="cpu", show_default=True)
@click.option("--repeats", type=int, default=3, show_default=True, help="Passes, of which the best counts.")
@click.option("--json", "json_file", type=OUTPUT_FILE, help="Write the figures here too.")
@click.option("--markdown", type=OUTPUT_FILE, help="Write the tables here too.")
def scaling(
    *,
    model: Path,
    sentences: Path,
    counts: tuple[int, ...],
    length_count: int,
    batch: int,
    threads: int,
    device: str,
    repeats: int,
    json_file: Path | None,
    markdown: Path | None,
) -> None:
    """Measure whether cost grows linearly and memory stays flat, each measurement in a fresh process."""
    from bench.scaling import ScalingError, to_markdown
    from bench.scaling import scaling as measure

    try:
        found = measure(
            model,
            sentences,
            counts=counts,
            batch=batch,
            threads=threads,
            device=device,
            repeats=repeats,
            length_count=length_count,
            log=_log,
        )
    except ScalingError as error:
        raise click.ClickException(str(error)) from error
    if json_file is not None:
        json_file.write_text(json.dumps(found, indent=2) + "\n", encoding="utf-8")
    if markdown is not None:
        markdown.write_text(to_markdown(found), encoding="utf-8")
    click.echo(to_markdown(found))


@main.command()
@click.option("--data", type=FOLDER, required=True, help="A folder that has NAME/dev.txt for each treebank.")
@click.option("--treebank", "treebanks", multiple=True, default=("craft", "genia", "gum", "masc"))
@click.option("--count", type=int, default=2000, show_default=True, help="Sentences of all treebanks together.")
@click.option("--calls", type=int, default=200, show_default=True, help="Timed, of one sentence of 25 words.")
@click.option("--model", "models", multiple=True, help="A model that the page has; without it, each packaged one.")
@click.option("--json", "json_file", type=OUTPUT_FILE, help="Write the figures here too.")
def browser(
    *, data: Path, treebanks: tuple[str, ...], count: int, calls: int, models: tuple[str, ...], json_file: Path | None
) -> None:
    """Measure the npm package with the packaged models in Node and in Chromium, beside Python."""
    from bench import browser
    from spanlin.errors import SpanlinError
    from spanlin.model_folder.lookup import find_model, packaged_models

    try:
        folders = [find_model(name) for name in models or packaged_models()]
        found = browser.measure(folders, browser.read_gold(data, treebanks, count), calls=calls, log=_log)
    except (SpanlinError, browser.BrowserError) as error:
        raise click.ClickException(str(error)) from error
    shown = json.dumps(found, indent=2) + "\n"
    if json_file is not None:
        json_file.write_text(shown, encoding="utf-8")
    click.echo(shown, nl=False)


@main.command()
@click.option("--data", type=FOLDER, required=True, help="A folder that has NAME/dev.txt for each treebank.")
@click.option("--treebank", "treebanks", multiple=True, default=("craft", "genia", "gum", "wsj-sample"))
@click.option("--model", default="en", show_default=True)
@click.option("--count", type=int, default=5000, show_default=True, help="Sentences of all treebanks together.")
@click.option("--size", "sizes", type=int, multiple=True, help="Sentences per batch; 2, 4, 8 and so on to 512.")
@click.option("--orders", type=int, default=3, show_default=True)
@click.option("--clients", type=int, default=32, show_default=True, help="Of the service, at once.")
@click.option("--json", "json_file", type=OUTPUT_FILE, help="Write the figures here too.")
def stability(
    *,
    data: Path,
    treebanks: tuple[str, ...],
    model: str,
    count: int,
    sizes: tuple[int, ...],
    orders: int,
    clients: int,
    json_file: Path | None,
) -> None:
    """Count the trees that change with batch, order, threads or load, and by how much probabilities do."""
    from bench import stability
    from bench.service import ServiceError
    from spanlin.errors import SpanlinError

    found = []
    try:
        chosen = stability.read_sentences(data, treebanks, count)
        sentences = [words for part in chosen.values() for words in part]
        for comparison in stability.measure(
            sentences, model=model, sizes=sizes or stability.SIZES, orders=orders, clients=clients, log=_log
        ):
            _log(f"{comparison.way}: {comparison.different} differ, largest {comparison.largest_difference:.1e}")
            found.append(comparison)
    except (SpanlinError, ServiceError, stability.StabilityError) as error:
        raise click.ClickException(str(error)) from error
    figures = stability.report(chosen, model, found)
    if json_file is not None:
        json_file.write_text(json.dumps(figures, indent=2) + "\n", encoding="utf-8")
    click.echo(f"{figures['different']} different trees, largest difference {figures['largest_difference']:.1e}")


@main.command()
@click.option("--data", type=FOLDER, required=True, help="A folder that has NAME/dev.txt, and perhaps train.txt, each.")
@click.option("--treebank", "treebanks", multiple=True, default=("craft", "genia", "gum", "wsj-sample"))
@click.option("--model", default="en", show_default=True)
@click.option("--device", default="cuda", show_default=True)
@click.option("--threads", type=int, default=0, show_default=True, help="Of the CPU beside it; 0 for every core.")
@click.option("--torch-cpu", is_flag=True, help="Compare with torch on the CPU too, in fp32: slow.")
@click.option("--json", "json_file", type=OUTPUT_FILE, help="Write the figures here too.")
def devices(
    *,
    data: Path,
    treebanks: tuple[str, ...],
    model: str,
    device: str,
    threads: int,
    torch_cpu: bool,
    json_file: Path | None,
) -> None:
    """Measure a model on a device, from lines of text to brackets, and count the trees that differ from the CPU's."""
    from bench.devices import DeviceError, measure
    from spanlin.errors import SpanlinError

    try:
        figures = measure(data, treebanks, model=model, device=device, threads=threads, torch_cpu=torch_cpu, log=_log)
    except (SpanlinError, DeviceError) as error:
        raise click.ClickException(str(error)) from error
    text = json.dumps(figures, indent=2)
    if json_file is not None:
        json_file.write_text(f"{text}\n", encoding="utf-8")
    click.echo(text)


@main.command()
@click.option("--text", "files", type=EXISTING_FILE, multiple=True, required=True, help="Lines of text. Repeatable.")
@click.option("--model", "models", multiple=True, default=("en",), show_default=True, help="Repeatable.")
@click.option("--count", type=int, default=3000, show_default=True, help="Lines at most; 0 for all.")
@click.option("--batch-tokens", type=int, default=0, help="Word pieces per batch; 0 for those of a CPU.")
@click.option("--repeats", type=int, default=5, show_default=True, help="Passes, of which the fastest counts.")
@click.option("--chart", type=OUTPUT_FILE, help="Draw the stages of the first model here, as an SVG.")
@click.option("--json", "json_file", type=OUTPUT_FILE, help="Write the figures here too.")
def host(
    *,
    files: tuple[Path, ...],
    models: tuple[str, ...],
    count: int,
    batch_tokens: int,
    repeats: int,
    json_file: Path | None,
    chart: Path | None,
) -> None:
    """Measure all but the network, stage by stage: CPU time per sentence, with the network's answers replayed."""
    from bench.host import HostBenchError, measure, read_texts, to_markdown
    from spanlin.errors import SpanlinError

    try:
        texts = read_texts(files)[: count or None]
        figures = measure(models, texts, batch_tokens=batch_tokens, repeats=repeats, log=_log)
    except (SpanlinError, HostBenchError) as error:
        raise click.ClickException(str(error)) from error
    if json_file is not None:
        json_file.write_text(json.dumps(figures, indent=2) + "\n", encoding="utf-8")
    if chart is not None:
        from bench.stage_chart import draw

        chart.write_text(draw(figures["models"][0]), encoding="utf-8")
    click.echo("\n".join(to_markdown(figures)), nl=False)


@main.command()
@click.option("--text", "files", type=EXISTING_FILE, multiple=True, required=True, help="Lines of text. Repeatable.")
@click.option("--tokenized", is_flag=True, help="The lines are tokens with blanks between: make text of them.")
@click.option("--model", default="en", show_default=True)
@click.option("--device", default="", help="Such as cuda; by default, onnxruntime on the CPU.")
@click.option("--count", type=int, default=200_000, show_default=True, help="Distinct lines at most.")
@click.option("--plain-count", type=int, default=20_000, show_default=True, help="Of these, for what one process does.")
@click.option("--processes", type=int, help="Beside the one that runs the network; by default, as many as pay.")
@click.option("--seconds", type=float, default=220.0, show_default=True, help="For all paths together, about.")
@click.option("--json", "json_file", type=OUTPUT_FILE, help="Write the figures here too.")
@click.option("--chart", type=OUTPUT_FILE, help="Draw the stages here, as an SVG.")
def paths(
    *,
    files: tuple[Path, ...],
    tokenized: bool,
    model: str,
    device: str,
    count: int,
    plain_count: int,
    processes: int | None,
    seconds: float,
    json_file: Path | None,
    chart: Path | None,
) -> None:
    """Measure raw text to brackets, objects, JSON and Parquet, end to end, on distinct sentences."""
    from bench.paths import measure, read_sentences, to_markdown
    from bench.stage_chart import draw
    from spanlin.errors import SpanlinError

    sentences = read_sentences(files, count=count, tokenized=tokenized)
    if not sentences:
        raise click.ClickException("no sentences")
    try:
        figures = measure(
            model,
            sentences,
            device=device,
            processes=processes,
            seconds=seconds,
            log=_log,
            plain_count=plain_count,
        )
    except SpanlinError as error:
        raise click.ClickException(str(error)) from error
    if json_file is not None:
        json_file.write_text(json.dumps(figures, indent=2) + "\n", encoding="utf-8")
    if chart is not None and "stages" in figures:
        chart.write_text(draw(figures), encoding="utf-8")
    click.echo("\n".join(to_markdown(figures)))


@main.command()
@click.option("--checkpoint", "checkpoints", metavar="NAME=FOLDER", multiple=True, required=True, help="Repeatable.")
@click.option("--gold", type=EXISTING_FILE, required=True, help="Trees that no checkpoint was trained on.")
@click.option("--beside", multiple=True, default=("en",), show_default=True, help="Other models. Repeatable.")
@click.option("--folder", type=click.Path(path_type=Path), required=True, help="Keep the exported models here.")
@click.option("--threads", type=int, default=2, show_default=True)
@click.option("--repeats", type=int, default=3, show_default=True, help="Passes, of which the best counts.")
@click.option("--json", "json_file", type=OUTPUT_FILE, help="Write the figures here too.")
def exports(
    *,
    checkpoints: tuple[str, ...],
    gold: Path,
    beside: tuple[str, ...],
    folder: Path,
    threads: int,
    repeats: int,
    json_file: Path | None,
) -> None:
    """Export checkpoints in every precision: trees that differ from torch's in fp32, size, F1 and speed."""
    from bench.exports import measure, to_markdown
    from spanlin.errors import SpanlinError

    named = dict(pair.partition("=")[::2] for pair in checkpoints)
    if not all(named.values()):
        raise click.BadParameter("give NAME=FOLDER", param_hint="--checkpoint")
    try:
        figures = measure(
            {name: Path(path) for name, path in named.items()},
            gold,
            beside=beside,
            folder=folder,
            threads=threads,
            repeats=repeats,
            log=_log,
        )
    except SpanlinError as error:
        raise click.ClickException(str(error)) from error
    if json_file is not None:
        json_file.write_text(json.dumps(figures, indent=2) + "\n", encoding="utf-8")
    click.echo("\n".join(to_markdown(figures)))


@main.command()
@click.argument("files", type=EXISTING_FILE, nargs=-1, required=True)
@click.option("--readme", type=EXISTING_FILE, help="Put the tables between this file's bench markers.")
@click.option("--plot", "plot_file", type=OUTPUT_FILE, help="Write a plot here.")
def table(*, files: tuple[Path, ...], readme: Path | None, plot_file: Path | None) -> None:
    """Print the tables of FILES, which `parsers --json` wrote, one for each."""
    from bench.peers.report import ReadmeError, all_tables, plot, put_between_markers

    comparisons = [json.loads(file.read_text(encoding="utf-8")) for file in files]
    text = all_tables(comparisons)
    click.echo(text)
    if readme is not None:
        try:
            changed = put_between_markers(readme.read_text(encoding="utf-8"), text)
        except ReadmeError as error:
            raise click.ClickException(f"{readme}: {error}") from error
        readme.write_text(changed, encoding="utf-8")
    if plot_file is not None:
        plot(comparisons, plot_file)


@main.command()
@click.argument("folder", type=click.Path(file_okay=False, path_type=Path))
@click.option("--peer", "peers", multiple=True, help="A peer to pack; all of them if none is named.")
def pack(folder: Path, peers: tuple[str, ...]) -> None:
    """Fill FOLDER with the peers' packages, to be carried to a machine without a registry (`parsers --path`)."""
    from bench.peers import environments

    if unknown := set(peers) - environments.PLAIN_FILES.keys():
        known = ", ".join(environments.PLAIN_FILES)
        raise click.UsageError(f"no peer {', '.join(sorted(unknown))}; there are {known}")
    try:
        environments.pack(peers or environments.PLAIN_FILES, folder)
    except environments.InstallError as error:
        raise click.ClickException(str(error)) from error
    size = sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())
    click.echo(f"{folder}: {len(environments.packed(folder))} packages, {size / 1e6:.1f} MB")


@main.command()
@click.argument("model", type=FOLDER)
@click.argument("folder", type=click.Path(file_okay=False, path_type=Path))
def encoder(model: Path, folder: Path) -> None:
    """Write the encoder of MODEL as a transformers FOLDER, for `parsers --encoder`: the same one for all."""
    from bench.encoder_folder import write_encoder
    from spanlin.errors import SpanlinError

    try:
        write_encoder(model, folder)
    except SpanlinError as error:
        raise click.ClickException(str(error)) from error
    click.echo(str(folder))


@main.command()
@click.argument("model", type=FOLDER)
@click.argument("graph", type=click.Path(dir_okay=False, path_type=Path))
def encoder_graph(model: Path, graph: Path) -> None:
    """Write the encoder of MODEL as an ONNX GRAPH, for `parsers --bare-encoder`: as precise as in the model."""
    from bench.encoder_graph import write_encoder_graph
    from spanlin.errors import SpanlinError

    try:
        write_encoder_graph(model, graph)
    except SpanlinError as error:
        raise click.ClickException(str(error)) from error
    click.echo(str(graph))


if __name__ == "__main__":
    main(prog_name="python -m bench")
