"""Dependency parsers of others, trained on the same sentences as the rows of experiments/joint.

    PYTHONPATH=peers:.:src python -m experiments.joint_peers --results DIR --minutes 8 [--seed N]... PEER...

Run it where `data/`, `encoders/` and `vectors/` are, with the peers' packages on the path (`python -m bench pack
peers`). Trainings go on side by side, each in a separate process with a log; a peer whose result is there is skipped.
When all are done, each peer's rate is measured by itself; with `--beside`, a model folder of ours takes turns with it.
"""

from __future__ import annotations

import datetime
import json
import os
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click

from experiments.planning import commit_here
from experiments.work import machine
from spanlin.evaluation import score_conllu_files

GRACE = 240
"""Seconds after the minutes of training in which a run must have parsed the dev sentences."""

MEASURING = 900
"""Seconds in which a rate must be measured. A GPU needs few of them, a busy CPU many."""


@dataclass(frozen=True, kw_only=True)
class Peer:
    """A training: the command `bench.peers.train_NAME_dependencies`, its further arguments and its treebanks."""

    name: str
    arguments: tuple[str, ...]
    treebanks: tuple[str, ...] = ("gum", "ewt")


MINILM, MPNET = ("--encoder", "encoders/minilm"), ("--encoder", "encoders/mpnet")

PEERS = {
    "supar-minilm": Peer(name="supar", arguments=MINILM),
    "supar-mpnet": Peer(name="supar", arguments=MPNET),
    "supar-minilm-long": Peer(name="supar", arguments=(*MINILM, "--epochs", "30", "--rate", "1e-4")),
    "supar-mpnet-long": Peer(name="supar", arguments=(*MPNET, "--epochs", "20")),
    "stanza-ewt": Peer(name="stanza", arguments=("--vectors", "vectors/glove"), treebanks=("ewt",)),
    "spacy-ewt": Peer(name="spacy", arguments=(), treebanks=("ewt",)),
    "stanza-minilm": Peer(name="stanza", arguments=MINILM),
}


@dataclass(frozen=True, kw_only=True)
class Run:
    """A peer with a seed. The report and the parses are in the run's own folder until they are scored."""

    row: str
    seed: int
    folder: Path
    results: Path
    device: str
    minutes: float
    data: Path
    beside: Path | None = None

    @property
    def peer(self) -> Peer:
        """What is trained."""
        return PEERS[self.row]

    @property
    def report(self) -> Path:
        """Where the command leaves its report."""
        return self.folder / "report.json"

    @property
    def result(self) -> Path:
        """Where the result goes."""
        return self.results / f"{self.row}-{self.seed}.json"

    def file(self, treebank: str, part: str) -> Path:
        """Return a file of a treebank's dependencies."""
        return self.data / f"{treebank}-dep" / f"{part}.conllu"

    def command(self, *more: str) -> list[str]:
        """Return the command that trains, or with `--measure` the one that measures."""
        treebanks = self.peer.treebanks
        return [
            *(sys.executable, "-m", f"bench.peers.train_{self.peer.name}_dependencies"),
            *("--train", *(str(self.file(name, "train")) for name in treebanks)),
            *("--dev", *(f"{name}={self.file(name, 'dev')}" for name in treebanks)),
            *("--out", str(self.report), "--work", str(self.folder / "work"), "--seed", str(self.seed)),
            *("--minutes", f"{self.minutes:g}", "--device", self.device, *self.peer.arguments, *more),
        ]

    def start(self, *more: str) -> subprocess.Popen[bytes]:
        """Start the command in a separate process; what it says goes to a log in the run's folder."""
        self.folder.mkdir(parents=True, exist_ok=True)
        environment = {
            **os.environ,
            "OMP_NUM_THREADS": "1",
            "PYTHONUTF8": "1",
            "HF_HUB_OFFLINE": "1",
            "TOKENIZERS_PARALLELISM": "false",
        }
        with (self.folder / "log.txt").open("ab") as log:
            return subprocess.Popen(self.command(*more), stdout=log, stderr=subprocess.STDOUT, env=environment)

    def write_result(self) -> dict[str, Any]:
        """Score the parses and write the result, in the form of `joint_rows`."""
        report = json.loads(self.report.read_text(encoding="utf-8"))
        found = {
            "row": self.row,
            "seed": self.seed,
            "command": f"python -m experiments.joint_peers --results DIR --minutes {self.minutes:g} "
            f"--seed {self.seed} {'' if self.device == 'cuda' else f'--device {self.device} '}{self.row}",
            "date": datetime.datetime.now(datetime.UTC).date().isoformat(),
            "commit": commit_here(),
            "machine": machine(self.device),
            "minutes": report["minutes"],
            "dependencies": {name: self.score(name) for name in self.peer.treebanks},
            "parsing": report.get("parsing", {}),
            "report": {key: value for key, value in report.items() if key != "parsing"},
        }
        self.results.mkdir(parents=True, exist_ok=True)
        self.result.write_text(json.dumps(found, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")
        return found

    def score(self, treebank: str) -> dict[str, float | None]:
        """Return what `spanlin evaluate` says of the parses of a dev file."""
        score = score_conllu_files(
            self.file(treebank, "dev"), self.report.with_name(f"{self.report.stem}.{treebank}.conllu")
        )
        return {"uas": score.uas, "las": score.las, "las_with_subtypes": score.others["LAS, with subtypes"].f1}


@click.command()
@click.argument("rows", nargs=-1, required=True, type=click.Choice(list(PEERS)))
@click.option("--seed", "seeds", type=int, multiple=True, default=(1, 2), show_default=True)
@click.option("--results", type=click.Path(path_type=Path), required=True, help="Folder of the JSON files.")
@click.option("--runs", type=click.Path(path_type=Path), default=Path("runs/joint-peers"), show_default=True)
@click.option("--data", type=click.Path(path_type=Path), default=Path("data"), show_default=True)
@click.option("--device", default="cuda", show_default=True)
@click.option("--minutes", type=float, default=20.0, show_default=True, help="End each training after this long.")
@click.option("--rates/--no-rates", default=True, help="Measure how fast each peer parses, one after another.")
@click.option("--beside", type=click.Path(path_type=Path), help="A model folder of ours, measured in turn with each.")
def main(
    *,
    rows: tuple[str, ...],
    seeds: tuple[int, ...],
    results: Path,
    runs: Path,
    data: Path,
    device: str,
    minutes: float,
    rates: bool,
    beside: Path | None,
) -> None:
    """Train and score peers, all at once."""
    wanted = [
        Run(
            row=row,
            seed=seed,
            folder=runs / f"{row}-{seed}",
            results=results,
            device=device,
            minutes=minutes,
            data=data,
            beside=beside,
        )
        for row in rows
        for seed in seeds
    ]
    failed = train_all([run for run in wanted if not run.result.exists()])
    if rates:
        failed += measure_all([run for run in wanted if run.seed == seeds[0] and run.result.exists()])
    if failed:
        raise click.ClickException(f"failed: {', '.join(failed)}; see log.txt in the folders of {runs}")


def train_all(runs: Sequence[Run]) -> list[str]:
    """Train side by side, and score each run when it ends; return the names of those that failed."""
    started = [(run, run.start()) for run in runs]
    failed = []
    for run, process in started:
        if not has_ended_well(process, 60 * run.minutes + GRACE):
            failed.append(run.folder.name)
            continue
        found = run.write_result()
        scores = ", ".join(f"LAS {name} {score['las']:.2f}" for name, score in found["dependencies"].items())
        click.echo(f"{run.folder.name}: {scores}, {found['minutes']} minutes, {found['report']['epochs']} epochs")
    return failed


def measure_all(runs: Sequence[Run]) -> list[str]:
    """Measure rates one after another and add them to the results; return the names of those that failed."""
    failed = []
    for run in runs:
        if json.loads(run.result.read_text(encoding="utf-8"))["parsing"] or not run.report.exists():
            continue
        beside = ("--beside", str(run.beside)) if run.beside else ()
        if not has_ended_well(run.start("--measure", *beside), MEASURING):
            failed.append(f"{run.folder.name}, rate")
            continue
        found = run.write_result()
        click.echo(f"{run.folder.name}: {found['parsing']['sentences_per_second']:.0f} sentences/s")
    return failed


def has_ended_well(process: subprocess.Popen[bytes], seconds: float) -> bool:
    """Wait for a process, end it after these seconds, and return whether it succeeded."""
    try:
        return process.wait(timeout=seconds) == 0
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
        return False


if __name__ == "__main__":
    main()
