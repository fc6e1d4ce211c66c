"""`python -m experiments TABLE`: train and score the rows of the paper's tables; `render`: make the page."""

from __future__ import annotations

import functools
import json
import math
import time
from collections.abc import Callable
from pathlib import Path

import click

from experiments.page import render as render_page
from experiments.peer_reports import read_report
from experiments.results import Brackets, Result
from experiments.tables import DECODERS, PEERS, TABLES
from spanlin.errors import SpanlinError

_FOLDER = click.Path(file_okay=False, path_type=Path)
_FILE = click.Path(exists=True, dir_okay=False, path_type=Path)
_RESULTS, _DOCS, _RUNS = Path("experiments/results"), Path("docs"), Path("runs/paper")
_TINY, _TAGS = Path("runs/tiny"), Path("runs/tags")
_ROWS = sorted({row for table in TABLES.values() for row in table.rows})


@click.group()
def main() -> None:
    """Rerun the paper's tables on treebanks of your own."""


def _run_table(
    *,
    name: str,
    data: str,
    device: str,
    seeds: str,
    treebanks: tuple[str, ...],
    rows: tuple[str, ...],
    jobs: int,
    minutes: float,
    results: Path | None,
    runs: Path | None,
    docs: Path | None,
    tags: Path | None,
    commit: str,
) -> None:
    # Torch comes with these; `render` does without.
    from experiments import tiny
    from experiments.planning import Setting, commit_here, plan
    from experiments.running import run_all

    started = time.monotonic()
    is_tiny = data == tiny.NAME
    results = results or (_TINY / "results" if is_tiny else _RESULTS)
    runs = runs or (_TINY if is_tiny else _RUNS)
    docs = docs or (_TINY / "docs" if is_tiny else _DOCS)
    try:
        folder = tiny.make_data(runs / "data") if is_tiny else Path(data)
        setting = Setting(
            data=folder,
            tags=tags or (tiny.tags_in(folder) if is_tiny else _TAGS),
            runs=runs,
            results=results,
            is_tiny=is_tiny,
            device=device,
            jobs=jobs,
            seeds=tuple(map(int, seeds.replace(",", " ").split())),
            treebanks=treebanks,
            rows=rows,
            commit=commit or commit_here(),
        )
        wanted = plan(TABLES.values() if name == "all" else [TABLES[name]], setting)
        outcome = run_all(wanted, jobs=jobs, minutes=minutes, say=click.echo)
        page = render_page(results, docs, bench=_bench_files())
    except SpanlinError as error:
        raise click.ClickException(str(error)) from error
    click.echo(
        f"{len(outcome.trained)} trained, {len(outcome.measured)} only scored in {time.monotonic() - started:.0f} s; "
        f"{len(outcome.left)} left, {len(outcome.failed)} failed: {page}"
    )
    for run, reason in outcome.failed:
        click.echo(f"failed: {run}: {reason}", err=True)
    if outcome.left:
        click.echo("the same command resumes with those that are left", err=True)
    if outcome.failed:
        raise SystemExit(1)


_OPTIONS = (
    click.option("--data", required=True, help="A folder with NAME/train.txt and NAME/dev.txt, or `tiny`."),
    click.option("--device", default="cpu", show_default=True, help="cpu, cuda or cuda:N."),
    click.option("--seeds", default="", help="Such as 1,2,3.  [default: three]"),
    click.option("--treebank", "treebanks", multiple=True, help="Other treebanks than the table's own."),
    click.option("--row", "rows", type=click.Choice(_ROWS), multiple=True, help="Only these of the table's rows."),
    click.option("--jobs", type=click.IntRange(min=1), default=1, show_default=True, help="Rows side by side."),
    click.option("--minutes", type=float, default=0.0, help="Save and stop after this many; 0: no limit."),
    click.option("--results", type=_FOLDER, help=f"Where results are kept.  [default: {_RESULTS}]"),
    click.option("--runs", type=_FOLDER, help=f"Where checkpoints are kept.  [default: {_RUNS}]"),
    click.option("--docs", type=_FOLDER, help=f"Where the page goes.  [default: {_DOCS}]"),
    click.option("--tags", type=_FOLDER, help=f"Where predicted tags are kept.  [default: {_TAGS}]"),
    click.option("--commit", default="", help="Of the code, where there is no Git.  [default: Git's]"),
)


def _add(name: str, about: str) -> None:
    command: Callable[..., None] = functools.partial(_run_table, name=name)
    for option in reversed(_OPTIONS):
        command = option(command)
    main.command(name, help=about)(command)


for _table in TABLES.values():
    _add(_table.name, f"{_table.title}: {', '.join(_table.rows)}.")
_add("all", "Every table.")


@main.command()
@click.argument("treebanks", nargs=-1, required=True)
@click.option("--data", type=_FOLDER, required=True, help="A folder with NAME/train.txt and NAME/dev.txt.")
@click.option("--device", default="cpu", show_default=True, help="cpu, cuda or cuda:N.")
@click.option("--folds", type=click.IntRange(min=2), default=5, show_default=True, help="Blocks of training trees.")
@click.option("--minutes", type=float, default=0.0, help="Save and stop after this many; 0: no limit.")
@click.option("--tags", type=_FOLDER, default=_TAGS, show_default=True, help="Where they go.")
def tags(*, treebanks: tuple[str, ...], data: Path, device: str, folds: int, minutes: float, tags: Path) -> None:
    """Predict the tags of TREEBANKS, for the rows that read tags.

    Each block of training trees is tagged by a network trained on the others, dev by one trained on all. The same
    command resumes.
    """
    from experiments.tagging import make_tags

    deadline = time.monotonic() + 60 * minutes if minutes else math.inf
    try:
        is_done = all(
            make_tags(treebank, data=data, folder=tags, device=device, folds=folds, deadline=deadline, say=click.echo)
            for treebank in treebanks
        )
    except SpanlinError as error:
        raise click.ClickException(str(error)) from error
    if not is_done:
        raise click.ClickException("interrupted: the same command resumes")


def _bench_files() -> list[Path]:
    return sorted((Path(__file__).parents[1] / "bench" / "results").glob("*.json"))


@main.command()
@click.option("--results", type=_FOLDER, default=_RESULTS, show_default=True)
@click.option("--docs", type=_FOLDER, default=_DOCS, show_default=True)
def render(results: Path, docs: Path) -> None:
    """Make the page and its figures from the results, and the numbers in README and docs from all files kept.

    With other results or docs than the project's own, the page alone.
    """
    from experiments.all_values import Values
    from experiments.numbered_pages import ROOT, made_pages
    from experiments.results import Results

    try:
        click.echo(str(render_page(results, docs, bench=_bench_files(), is_strict=True)))
        if (results, docs) != (_RESULTS, _DOCS):
            return
        for path, text in list(made_pages(Values(Results.read(results)))):
            if text != path.read_text(encoding="utf-8"):
                path.write_text(text, encoding="utf-8")
                click.echo(str(path.relative_to(ROOT)))
    except SpanlinError as error:
        raise click.ClickException(str(error)) from error


@main.command()
@click.argument("name", type=click.Choice(sorted(PEERS)))
@click.argument("gold", type=_FILE)
@click.argument("predicted", type=_FILE)
@click.option("--treebank", required=True)
@click.option("--seed", type=int, default=1, show_default=True)
@click.option("--decoding", default="", help="How the trees were chosen, if no report says so.")
@click.option("--results", type=_FOLDER, default=_RESULTS, show_default=True)
def peer(*, name: str, gold: Path, predicted: Path, treebank: str, seed: int, decoding: str, results: Path) -> None:
    """Score the trees that another parser PREDICTED, for its row.

    A report of `python -m bench.peers.train_NAME`, beside them, is kept with the scores; it says how they were decoded.
    """
    from spanlin.evaluation.score import score_trees
    from spanlin.trees.brackets import read_trees

    try:
        score = score_trees(read_trees(gold), read_trees(predicted))
        result = Result(
            row=name,
            title=PEERS[name],
            treebank=treebank,
            seed=seed,
            brackets=Brackets.of(score),
            **read_report(predicted.with_suffix(".json"), decoding=decoding),
        )
        how = result.config["decoding"] or "unknown; give --decoding"
        click.echo(f"F1 {score.f1 or 0:.2f}: {result.write(results)} (decoding: {how})")
    except SpanlinError as error:
        raise click.ClickException(str(error)) from error


@main.command()
@click.argument("model")
@click.argument("files", type=_FILE, nargs=-1, required=True)
@click.option("--decoder", default="row", show_default=True, help=f"{', '.join(DECODERS)}; all of them; or the row's.")
@click.option("--device", default="", help="cpu, cuda or cuda:N.  [default: as `spanlin evaluate` chooses]")
@click.option("--tagger", type=_FOLDER, help="For a row that reads tags: the checkpoint that predicts them.")
@click.option("--counts", is_flag=True, help="Add the counts of each sentence, for tests of significance.")
@click.option("--output", type=click.Path(dir_okay=False, path_type=Path), help="Write the JSON here, not to stdout.")
@click.option("--results", type=_FOLDER, default=_RESULTS, show_default=True, help="Where rows have their results.")
def score(
    *,
    model: str,
    files: tuple[Path, ...],
    decoder: str,
    device: str,
    tagger: Path | None,
    counts: bool,
    output: Path | None,
    results: Path,
) -> None:
    """Score a trained row on FILES of gold trees (or dependencies, .conllu) that it is given.

    MODEL is a run's folder, a checkpoint, a folder that `spanlin export` made, or a model's name. The JSON has the
    score of each file by the decoder that the row has in the tables (exact inference if no result names the run), by
    another one, or by all.

    \b
    Examples:
      python -m experiments score runs/paper/KEY data/genia/dev.txt data/craft/dev.txt --device cuda
      python -m experiments score my-parser gold.txt gold.conllu --decoder all --output scores.json
    """  # noqa: D301 (click's mark for lines that stay as they are)
    from experiments.scoring import decoders_of, score_files

    try:
        found = score_files(
            model, files, decoders=decoders_of(decoder, model, results), device=device, tagger=tagger, counts=counts
        )
    except SpanlinError as error:
        raise click.ClickException(str(error)) from error
    text = json.dumps(found, ensure_ascii=False, indent=1) + "\n"
    if output is None:
        click.echo(text, nl=False)
    else:
        output.write_text(text, encoding="utf-8")
        click.echo(str(output))


if __name__ == "__main__":
    main(prog_name="python -m experiments")
