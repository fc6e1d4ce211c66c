"""Ours beside the peers: the same sentences, machine, encoder and protocol, one process for each measurement."""

from __future__ import annotations

import hashlib
import itertools
import json
import os
import shutil
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from bench.corpus import dev_f1, first_trees, read_token_lists, take
from bench.peers import environments
from bench.peers.protocol import Job, one_line
from bench.table import machine
from spanlin.trees.tree import Tree

REPOSITORY = Path(__file__).resolve().parents[1]

Result = dict[str, Any]


@dataclass(frozen=True, kw_only=True)
class Contestant:
    """One row of the comparison. `model` is set for ours, which comes trained."""

    name: str
    runner: str
    settings: dict[str, Any] = field(default_factory=dict)
    model: Path | None = None


PEERS = {
    "benepar": Contestant(name="benepar", runner="benepar"),
    "supar": Contestant(name="SuPar CRF", runner="supar"),
    "supar-no-mbr": Contestant(name="SuPar CRF, no MBR", runner="supar", settings={"mbr": False}),
    "stanza": Contestant(name="Stanza", runner="stanza"),
}
OWN_NETWORK = ("supar", "supar-no-mbr")
"""Peers that also have a network of their own, without a pretrained encoder."""


@dataclass(frozen=True, kw_only=True)
class Comparison:
    """What to measure, on what, how often. Without an encoder, each parser has a network of its own."""

    encoder: Path | None = None
    train: Path
    dev: Path
    sentences: Path
    envs: Path
    device: str = "cpu"
    threads: tuple[int, ...] = (1,)
    train_count: int = 400
    dev_count: int = 100
    count: int = 500
    peer_count: int = 500
    max_words: int = 150
    epochs: int = 2
    train_seconds: float = 600.0
    repeats: int = 2
    batch_seconds: float = 60.0
    single_count: int = 100
    timeout: int = 1800
    pythons: dict[str, Path] = field(default_factory=dict)
    paths: dict[str, Path] = field(default_factory=dict)

    def pins(self, runner: str) -> list[str]:
        """Return the versions of a peer's packages: those in the folder it is run from, else those pinned."""
        if runner in self.paths:
            return environments.packed(self.paths[runner])
        return [*environments.COMMON_PINS, *environments.PINS[runner]]


def compare(comparison: Comparison, contestants: Sequence[Contestant], log: Callable[[str], None]) -> Iterator[Result]:
    """Yield the machine, the settings and all results so far, failures included, after each contestant.

    Everything found so far comes each time, so that a run that is broken off leaves what it had.
    """
    results: list[Result] = []
    with tempfile.TemporaryDirectory(prefix="spanlin-bench-") as folder:
        jobs = JobMaker(comparison, Path(folder))
        settings = {
            "device": comparison.device,
            "encoder": comparison.encoder.name if comparison.encoder else "",
            "sentences": jobs.corpus,
            "training": f"{comparison.train_count} trees of {comparison.train.name}",
            "peer_pins": {name: comparison.pins(name) for name in environments.PINS},
        }
        today = time.strftime("%Y-%m-%d")
        about = {"date": today, "machine": machine() | device_name(comparison), "settings": settings}
        for threads, contestant in itertools.product(comparison.threads, contestants):
            log(f"{contestant.name}, {threads} thread{'s' * (threads > 1)}")
            result = run_contestant(comparison, contestant, jobs, threads)
            result = {"name": contestant.name, "ours": contestant.model is not None, "threads": threads} | result
            result["load_average_after"] = round(os.getloadavg()[0], 2)
            log(f"  failed: {result['failed']}" if "failed" in result else f"  {result['best_rate']:.1f} sentences/s")
            results.append(result)
            yield about | {"results": list(results), "ratios": ratios(results)}


class JobMaker:
    """Writes the files that all runners read, once."""

    def __init__(self, comparison: Comparison, folder: Path) -> None:
        self.comparison, self.folder = comparison, folder
        self.train = self._write_trees("train", first_trees(comparison.train, comparison.train_count))
        self.gold = first_trees(comparison.dev, comparison.dev_count)
        self.dev = self._write_trees("dev", self.gold)
        self.dev_sentences = self._write_sentences("dev", [list(tree.words) for tree in self.gold])
        found = [words for words in read_token_lists(comparison.sentences) if 0 < len(words) <= comparison.max_words]
        self.ours = self._write_sentences("ours", take(found, comparison.count))
        peers = take(found, min(comparison.count, comparison.peer_count))
        self.peers = self._write_sentences("peers", peers)
        self.corpus = {
            "file": f"{comparison.sentences.parent.name}/{comparison.sentences.name}",
            "ours": comparison.count,
            "peers": len(peers),
            "mean_words": round(sum(map(len, peers)) / len(peers), 2),
            "longest_words": max(map(len, peers)),
        }

    def make(self, contestant: Contestant, threads: int) -> Job:
        """Return the contestant's job; a peer's model is kept for later runs with the same training."""
        comparison = self.comparison
        model = contestant.model
        if model is None:
            content = [
                comparison.pins(contestant.runner),
                self.train.read_text(encoding="utf-8"),
                str(comparison.encoder or ""),
                comparison.epochs,
                comparison.train_seconds,
            ]
            key = hashlib.sha256(json.dumps(content).encode()).hexdigest()[:12]
            model = comparison.envs / "models" / f"{contestant.runner}-{key}" / "model"
            model.parent.mkdir(parents=True, exist_ok=True)
        return Job(
            output=str(self.folder / "output.json"),
            model=str(model.resolve()),
            encoder=str(comparison.encoder.resolve()) if comparison.encoder else "",
            train=str(self.train),
            dev=str(self.dev),
            sentences=str(self.ours if contestant.model else self.peers),
            dev_sentences=str(self.dev_sentences),
            threads=threads,
            device=comparison.device,
            epochs=comparison.epochs,
            train_seconds=comparison.train_seconds,
            repeats=comparison.repeats,
            batch_seconds=comparison.batch_seconds,
            single_count=comparison.single_count,
            started=0.0,
            settings=contestant.settings,
        )

    def _write_trees(self, name: str, trees: Iterable[Tree]) -> Path:
        path = self.folder / f"{name}.txt"
        path.write_text("".join(f"(TOP {tree})\n" for tree in trees), encoding="utf-8")
        return path

    def _write_sentences(self, name: str, sentences: Iterable[list[str]]) -> Path:
        path = self.folder / f"{name}.jsonl"
        path.write_text("".join(f"{json.dumps(words)}\n" for words in sentences), encoding="utf-8")
        return path


def run_contestant(comparison: Comparison, contestant: Contestant, jobs: JobMaker, threads: int) -> Result:
    """Return the contestant's figures, or the stage and the reason of its failure."""
    stage = "install"
    try:
        python = find_python(comparison, contestant)
        stage = "train"
        job = jobs.make(contestant, threads)
        weights = train_once(comparison, contestant, job, python)
        stage = "measure"
        found = call_runner(comparison, contestant, "measure", job, python)
    except RunnerError as error:
        return {"failed": f"{stage}: {error}"}
    except (environments.InstallError, OSError) as error:
        return {"failed": f"{stage}: {one_line(error)}"}
    return {"weights": weights, "dev_f1": dev_f1(jobs.gold, found.pop("dev_trees"))} | found


class RunnerError(Exception):
    """A runner gave no figures; the message is one line."""


def find_python(comparison: Comparison, contestant: Contestant) -> Path:
    """Return the interpreter asked for, else our own for ours and for a carried peer, else the peer's environment's."""
    if contestant.runner in comparison.pythons:
        return comparison.pythons[contestant.runner]
    carried = comparison.paths.get(contestant.runner)
    if carried is not None and not carried.is_dir():
        raise RunnerError(f"{carried}: no such folder")
    if carried is not None or contestant.model is not None:
        return environments.own_python()
    return environments.python_of(contestant.runner, comparison.envs)


def train_once(comparison: Comparison, contestant: Contestant, job: Job, python: Path) -> str:
    """Return where the weights come from; a model that an earlier run left is taken as it is."""
    if contestant.model is not None:
        return "trained by its own code beforehand"
    note = Path(job.model).parent / "weights.txt"
    if not note.exists():
        # All cores for the training, whatever the measurement is held to.
        training = replace(job, threads=os.cpu_count() or 1)
        found = call_runner(comparison, contestant, "train", training, python)
        note.write_text(found["weights"], encoding="utf-8")
    return note.read_text(encoding="utf-8")


def call_runner(comparison: Comparison, contestant: Contestant, action: str, job: Job, python: Path) -> Result:
    """Return what the runner wrote; its own output goes to a log that is shown only by its last line on failure."""
    output, job_file = Path(job.output), Path(job.output).with_suffix(".job")
    output.unlink(missing_ok=True)
    threads = str(job.threads)
    carried = [comparison.paths[contestant.runner].resolve()] if contestant.runner in comparison.paths else []
    places = [*map(str, (REPOSITORY, REPOSITORY / "src", *carried)), os.environ.get("PYTHONPATH", "")]
    environment = os.environ | {
        "PYTHONPATH": os.pathsep.join(place for place in places if place),
        "OMP_NUM_THREADS": threads,
        "MKL_NUM_THREADS": threads,
        "OPENBLAS_NUM_THREADS": threads,
        "RAYON_NUM_THREADS": threads,
        "TOKENIZERS_PARALLELISM": "false",
        # Nothing may be fetched: a peer that would like to is to fail at once.
        "HF_HUB_OFFLINE": "1",
        "TRANSFORMERS_OFFLINE": "1",
    }
    command = [str(python), "-m", f"bench.peers.run_{contestant.runner}", action, str(job_file)]
    replace(job, started=time.time()).write(job_file)
    try:
        done = subprocess.run(
            command, env=environment, cwd=REPOSITORY, capture_output=True, text=True, check=False,
            timeout=comparison.timeout,
        )  # fmt: skip
    except subprocess.TimeoutExpired as error:
        raise RunnerError(f"no result after {comparison.timeout} s") from error
    if not output.exists():
        last = [line for line in done.stderr.splitlines() if line.strip()][-1:] or [""]
        raise RunnerError(f"exit status {done.returncode}: {last[0][:200]}")
    found: Result = json.loads(output.read_text(encoding="utf-8"))
    if "failed" in found:
        raise RunnerError(found["failed"])
    return found


def ratios(results: Sequence[Result]) -> list[Result]:
    """Return, for each of ours and each peer at the same threads, how many times faster ours is."""
    measured = [result for result in results if "failed" not in result]
    return [
        {
            "ours": ours["name"],
            "peer": peer["name"],
            "threads": ours["threads"],
            "best_rate": ours["best_rate"] / peer["best_rate"],
            "single_rate": ours["single_rate"] / peer["single_rate"],
            "words25_p50": peer["words25_p50_ms"] / ours["words25_p50_ms"],
        }
        for ours in measured
        if ours["ours"]
        for peer in measured
        if not peer["ours"] and peer["threads"] == ours["threads"]
    ]


def device_name(comparison: Comparison) -> dict[str, str]:
    """Return the GPU's name where one is measured."""
    tool = shutil.which("nvidia-smi")
    if comparison.device == "cpu" or tool is None:
        return {}
    command = [tool, "--query-gpu=name", "--format=csv,noheader"]
    names = subprocess.run(command, capture_output=True, text=True, check=False).stdout.splitlines()
    return {"gpu": names[0].strip()} if names else {}
