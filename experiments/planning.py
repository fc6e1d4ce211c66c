"""What has to be run for some tables: each training once, whichever tables and rows share it."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterable
from dataclasses import dataclass, replace
from pathlib import Path

from experiments import tiny
from experiments.results import read_result, result_path
from experiments.rows import Row, load_row, run_key, training_config
from experiments.tables import TABLES, Table
from experiments.work import Run
from spanlin.config.toml_files import merge_tables
from spanlin.errors import ConfigError, EvaluationError


@dataclass(frozen=True, kw_only=True)
class Setting:
    """Where data, checkpoints, results and predicted tags are, and what to run on.

    No seeds, treebanks or rows: those of each table.
    """

    data: Path
    runs: Path
    results: Path
    tags: Path
    is_tiny: bool = False
    device: str = "cpu"
    jobs: int = 1
    seeds: tuple[int, ...] = ()
    treebanks: tuple[str, ...] = ()
    rows: tuple[str, ...] = ()
    commit: str = ""


def plan(tables: Iterable[Table], setting: Setting) -> list[Run]:
    """Return the runs whose results are missing or were made by another configuration, first seeds first.

    Of a seed, those with more epochs come first: the last ones to end are then short.
    """
    runs: dict[str, Run] = {}
    for table in tables:
        seeds = setting.seeds or (tiny.seeds_of(table.name) if setting.is_tiny else table.seeds)
        treebanks = (tiny.NAME,) if setting.is_tiny else setting.treebanks or table.treebanks
        for treebank in treebanks:
            for name in table.rows:
                if setting.rows and name not in setting.rows:
                    continue
                row = _row(name, setting)
                for seed in seeds:
                    run = _run(row, treebank, seed, setting)
                    if _is_done(run, row):
                        continue
                    same = runs.get(run.key)
                    if same is None:
                        runs[run.key] = run
                    elif run.rows[0] not in same.rows:
                        runs[run.key] = replace(
                            same, rows=(*same.rows, *run.rows), decoders=same.decoders or run.decoders
                        )
    return sorted(runs.values(), key=lambda run: (run.config.seed, -run.config.epochs))


def _row(name: str, setting: Setting) -> Row:
    row = load_row(name)
    if setting.is_tiny:
        row = replace(row, config=merge_tables(row.config, tiny.changes(setting.data, row.config)))
    return row


def _run(row: Row, treebank: str, seed: int, setting: Setting) -> Run:
    folder, tagged = setting.data / treebank, setting.tags / treebank
    train = (tagged if row.predicted_tags else folder) / "train.txt"
    if row.predicted_tags and not train.exists():
        raise ConfigError(
            f"{row.name} reads tags, and {train} is missing: make it by "
            f"`python -m experiments tags {treebank} --data {setting.data}`"
        )
    config = training_config(row, seed=seed, name=treebank, train=train, dev=folder / "dev.txt")
    tagged_dev = tagged / "dev.txt" if row.predicted_tags else None
    key = run_key(config, share=row.share, held_out=row.held_out, decoder=row.decoder, tagged_dev=tagged_dev)
    return Run(
        key=key,
        config=config,
        share=row.share,
        held_out=row.held_out,
        decoder=row.decoder,
        tagged_dev=tagged_dev,
        rows=((row.name, row.title),),
        decoders=any(table.decoders and row.name in table.rows for table in TABLES.values()),
        folder=setting.runs / key,
        results=setting.results,
        device=setting.device,
        threads=max(1, (os.cpu_count() or 1) // setting.jobs),
        commit=setting.commit,
    )


def _is_done(run: Run, row: Row) -> bool:
    path = result_path(run.results, run.treebank, row.name, run.config.seed)
    if not path.exists():
        return False
    try:
        return read_result(path).key == run.key
    except EvaluationError:
        return False


def commit_here() -> str:
    """Return the commit of this checkout, marked if files differ from it; `unknown` outside of one."""
    where = Path(__file__).parent
    try:
        head = subprocess.run(
            ["git", "rev-parse", "--short=12", "HEAD"], cwd=where, capture_output=True, text=True, check=True
        ).stdout.strip()
        changed = subprocess.run(
            ["git", "status", "--porcelain", "--untracked-files=no"], cwd=where, capture_output=True, check=True
        ).stdout
    except (OSError, subprocess.CalledProcessError):
        return "unknown"
    return f"{head}, with changes" if changed else head
