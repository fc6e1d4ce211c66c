"""`spanlin corpus`: parse documents by the million into shards, on one machine or many."""

from __future__ import annotations

import re
import sys
from contextlib import ExitStack
from typing import TYPE_CHECKING, Any

import click

from spanlin.cli.corpus_progress import CorpusProgressBar, summary
from spanlin.cli.model_options import model_options, processes_option
from spanlin.stop_signals import Stopped, stop_on_signals

if TYPE_CHECKING:
    from spanlin.corpus.inputs import InputFormat
    from spanlin.corpus.report import Engine
    from spanlin.corpus.rows import OutputFormat
    from spanlin.runtime.options import TreeDecoder

INCOMPLETE = 3
"""The exit status if a file could not be read, or part of it had to be given up."""

_SIZES = {"": 1, "K": 1 << 10, "M": 1 << 20, "G": 1 << 30}


# Functions rather than click.ParamType, which mypy wants as a generic type; it is one only from click 8.4 on.
def _size(value: Any) -> int:
    found = re.fullmatch(r"(\d+)([KMG]?)", str(value), re.IGNORECASE)
    if found is None or int(found[1]) == 0:
        raise click.BadParameter(f"{value!r} is not a size; write it like 512K or 4M")
    return int(found[1]) * _SIZES[found[2].upper()]


def _workers(value: Any) -> tuple[int, int]:
    found = re.fullmatch(r"(\d+)(?:-(\d+))?", str(value))
    least, most = (int(found[1]), int(found[2] or found[1])) if found else (0, 0)
    if not 1 <= least <= most:
        raise click.BadParameter(f"{value!r} is not a number of workers; write it like 4 or 2-8")
    return least, most


@click.command()
@click.argument("inputs", metavar="INPUT...", nargs=-1)
@click.argument("output", metavar="OUTPUT")
@click.option(
    "--input-format",
    type=click.Choice(["text", "document", "jsonl", "parquet"]),
    help="What the files are, if their endings do not tell. text: each line is a document; document: each file is one.",
)
@click.option("--text-field", default="text", show_default=True, help="The field or column with the text.")
@click.option(
    "--id-field",
    default="",
    help="The field or column with the document's id; by default, the id is FILE:BYTE or FILE:ROW.",
)
@click.option("--lines", is_flag=True, help="Each document is one sentence: it is only split into tokens.")
@click.option("--tokenized", is_flag=True, help="Each document is one sentence, its tokens separated by spaces.")
@click.option(
    "--format",
    "output_format",
    type=click.Choice(["jsonl", "parquet"]),
    default="jsonl",
    show_default=True,
    help="Format of the shards.",
)
@click.option(
    "--decoder",
    type=click.Choice(["argmin", "largest", "cky", "min-change", "minimum-risk", "labelled"]),
    default="argmin",
    show_default=True,
    help="How trees are chosen: see `spanlin parse`.",
)
@click.option(
    "--unit-size",
    type=_size,
    metavar="SIZE",
    default="512K",
    show_default=True,
    help="Input per shard. When a worker dies, this much has to be parsed again.",
)
@click.option(
    "--longest-document",
    type=click.IntRange(min=1),
    default=1_000_000,
    show_default=True,
    metavar="CHARACTERS",
    help="Longer documents count as failed.",
)
@click.option(
    "--time-limit",
    type=click.FloatRange(min=0, min_open=True, max=1_000_000),
    default=900,
    show_default=True,
    metavar="SECONDS",
    help="A document in which no sentence is finished for this long counts as failed.",
)
@click.option(
    "--engine",
    type=click.Choice(["plain", "ray"]),
    help="Processes on this machine, or Ray; by default, Ray if it is installed.",
)
@click.option(
    "--address", default="", metavar="HOST:PORT", help="The Ray cluster to join; by default, one is started here."
)
@click.option(
    "--workers", type=_workers, metavar="N|MIN-MAX", help="How many workers on Ray; by default, as many as fit."
)
@click.option(
    "--cpus-per-worker", type=float, default=1.0, show_default=True, help="CPUs, and threads, of each worker on Ray."
)
@click.option(
    "--gpus-per-worker",
    type=float,
    default=0.0,
    show_default=True,
    help="GPUs of each worker on Ray: 1, or 0.25 for four workers on one GPU.",
)
@model_options
@processes_option("With --engine plain: separate processes, each of which parses units by itself.", without_gpu="one")
@click.option("-q", "--quiet", is_flag=True, help="Show no progress bar. In a pipe, there is none anyway.")
@click.pass_context
def corpus(
    context: click.Context,
    *,
    inputs: tuple[str, ...],
    output: str,
    input_format: InputFormat | None,
    text_field: str,
    id_field: str,
    lines: bool,
    tokenized: bool,
    output_format: OutputFormat,
    decoder: TreeDecoder,
    unit_size: int,
    longest_document: int,
    time_limit: float,
    engine: Engine | None,
    address: str,
    workers: tuple[int, int] | None,
    cpus_per_worker: float,
    gpus_per_worker: float,
    model: str,
    threads: int,
    device: str,
    processes: int | None,
    quiet: bool,
) -> None:
    """Parse all documents of the INPUTs into shards in the folder OUTPUT.

    An INPUT is a file, a folder, a pattern such as 'news/*.jsonl.gz', or an address of these (s3://, gs://, hdfs://). A
    document is a line of text (.txt), an object in JSON lines (.jsonl) or a row of Parquet (.parquet); the first two
    may be compressed (.gz, .zst). A text file in a folder is one document with wrapped lines; with --input-format
    text, each of its lines is a document.

    Whatever stops the run, the same command resumes it. Bad documents are listed in OUTPUT/_errors.jsonl and do not
    stop the run; the figures are in OUTPUT/_report.json. The exit status is 3 if a file could not be read to its
    end.

    \b
    Examples:
      spanlin corpus news.jsonl --text-field body --id-field url parses
      spanlin corpus 'crawl/*.txt.gz' parses --format parquet --workers 8
      spanlin corpus s3://bucket/crawl s3://bucket/parses --format parquet --address head:6379 --workers 8-64
    """  # noqa: D301 (click's mark for lines that stay as they are)
    from spanlin.corpus.documents import DocumentOptions
    from spanlin.corpus.job import CorpusOptions
    from spanlin.corpus.ray_engine import RaySettings, require_ray
    from spanlin.corpus.report import RunProgress
    from spanlin.corpus.run import choose_engine, parse_corpus
    from spanlin.host.processes import usual_processes

    if not inputs:
        raise click.UsageError(f"Give the INPUTs, and then the folder OUTPUT: there is only {output!r}.")
    if lines and tokenized:
        raise click.UsageError("--lines and --tokenized are two forms of input: leave out one of them.")
    engine = engine or choose_engine(address)
    if engine == "plain" and (address or workers or gpus_per_worker):
        raise click.UsageError("--address, --workers and --gpus-per-worker are for --engine ray.")
    if engine == "ray" and processes is not None:
        raise click.UsageError("--processes is for --engine plain; on Ray, give --workers.")
    if engine == "ray":
        require_ray()
    options = CorpusOptions(
        documents=DocumentOptions(text_field=text_field, id_field=id_field, longest_document=longest_document),
        form="lines" if lines else "tokenized" if tokenized else "text",
        output_format=output_format,
        decoder=decoder,
        unit_size=unit_size,
    )
    settings = RaySettings(
        address=address, workers=workers, cpus_per_worker=cpus_per_worker, gpus_per_worker=gpus_per_worker
    )
    many = usual_processes(device) if processes is None else processes
    here = f"in {many} processes" if many > 1 else "in one process"
    where = {"plain": here, "ray": f"on Ray at {address}" if address else "on Ray, started here"}[engine]
    click.echo(f"spanlin: parsing {where}", err=True)
    progress = RunProgress()
    try:
        with ExitStack() as stack:
            stack.enter_context(stop_on_signals())
            stack.enter_context(CorpusProgressBar(progress, shown=not quiet and sys.stderr.isatty()))
            report = parse_corpus(
                inputs,
                output,
                options=options,
                input_format=input_format,
                model=model,
                threads=threads,
                device=device,
                time_limit=time_limit,
                engine=engine,
                ray=settings,
                processes=processes,
                progress=progress,
            )
    except Stopped as stopped:
        done = f"{progress.done:,} of {progress.units:,} units are complete" if progress.units else "nothing is written"
        click.echo(f"spanlin: interrupted: {done}; the same command resumes", err=True)
        context.exit(stopped.exit_status)
    for line in summary(report, output):
        click.echo(f"spanlin: {line}", err=True)
    if report.incomplete:
        context.exit(INCOMPLETE)
