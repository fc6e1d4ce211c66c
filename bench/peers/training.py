"""What every training command of a peer does: arguments, the clock, trees as text, the report.

Only the standard library and NumPy, for it runs in each peer's environment. A command is `python -m
bench.peers.train_NAME --train TREES --dev TREES --out PREDICTED ...`; it trains by the peer's own code, parses the
words of the dev trees and writes one tree per line, in order, with a report beside it (the same name, `.json`). A
peer with several ways to decode writes a file and a report for each.
"""

from __future__ import annotations

import argparse
import importlib
import json
import random
import re
import shlex
import sys
import time
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy

from bench.peers.installed import versions

SAMPLE = 300
"""How many dev trees are parsed to choose among epochs: the peers' own scorers are too slow for all at every epoch."""

LEAF = re.compile(r"\(([^ ()]+) ([^ ()]+)\)")


@dataclass(frozen=True, kw_only=True)
class Task:
    """The arguments of a training command. `started` is of the monotonic clock."""

    train: Path
    dev: Path
    out: Path
    work: Path
    seed: int
    minutes: float
    anneal: float
    patience: int
    batch: int
    rate: float
    device: str
    threads: int
    vectors: Path | None
    encoder: Path | None
    started: float

    @property
    def deadline(self) -> float:
        """Return when training must end, on the monotonic clock; reading the trees counts."""
        return self.started + 60 * self.minutes

    def rate_factor(self) -> float:
        """Return what the learning rate is multiplied by: 1, and to 0 over the last `anneal` of the time."""
        left = (self.deadline - time.monotonic()) / (60 * self.minutes)
        return 1.0 if left >= self.anneal else max(0.0, left / self.anneal)

    def say(self, text: str) -> None:
        """Print a line of progress."""
        print(f"{time.monotonic() - self.started:7.1f} s  {text}", flush=True)


def read_task(about: str) -> Task:
    """Return the task that the command line gives; its work folder is made."""
    started = time.monotonic()
    parser = argparse.ArgumentParser(description=about)
    parser.add_argument("--train", type=Path, required=True, help="one tree per line")
    parser.add_argument("--dev", type=Path, required=True, help="one tree per line")
    parser.add_argument("--out", type=Path, required=True, help="the parses of the dev sentences")
    parser.add_argument("--minutes", type=float, default=20.0, help="of reading and training; parsing comes after")
    parser.add_argument("--anneal", type=float, default=0.0, help="last share of the time in which the rate goes to 0")
    parser.add_argument("--patience", type=int, default=0, help="epochs without a gain that end it; 0: as published")
    parser.add_argument("--batch", type=int, default=0, help="in the peer's unit; 0: as published")
    parser.add_argument("--threads", type=int, default=2)
    add_common_arguments(parser)
    task = Task(**vars(parser.parse_args()), started=started)
    task.work.mkdir(parents=True, exist_ok=True)
    task.out.parent.mkdir(parents=True, exist_ok=True)
    return task


def add_common_arguments(parser: argparse.ArgumentParser) -> None:
    """Add what every training command takes, of trees or of dependencies."""
    parser.add_argument("--work", type=Path, required=True, help="a folder for models and the like")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--rate", type=float, default=0.0, help="learning rate; 0: as published")
    parser.add_argument("--device", default="cpu", help="cpu or cuda")
    parser.add_argument("--vectors", type=Path, help="GloVe's text file, or a folder with words.txt and vectors.npy")
    parser.add_argument("--encoder", type=Path, help="a transformers folder")


def with_asked(published: dict[str, Any], asked: dict[str, float]) -> dict[str, Any]:
    """Return published settings with those that were asked for in their place; 0 asks for nothing."""
    return published | {name: value for name, value in asked.items() if value}


def set_seed(seed: int) -> Any:
    """Return torch, with every generator of random numbers seeded and matrix products in TF32 where there is a GPU."""
    torch = importlib.import_module("torch")
    random.seed(seed)
    numpy.random.seed(seed)
    torch.manual_seed(seed)
    torch.set_float32_matmul_precision("high")
    return torch


def read_lines(path: Path) -> list[str]:
    """Return the trees of a file with one tree per line."""
    return [line for line in path.read_text(encoding="utf-8").split("\n") if line.strip()]


def sample(lines: Sequence[str]) -> list[str]:
    """Return at most `SAMPLE` trees, evenly spread."""
    count = min(SAMPLE, len(lines))
    return [lines[index * len(lines) // count] for index in range(count)]


def words_of(line: str) -> list[str]:
    """Return the words of a tree, as they are spelled there."""
    return [word for _, word in LEAF.findall(line)]


def with_leaves_of(gold: str, predicted: str) -> str:
    """Return the predicted brackets over the gold words and tags, so that no tag or escape counts in a score."""
    leaves = iter(LEAF.findall(gold))
    text, count = LEAF.subn(lambda _: "({} {})".format(*next(leaves, ("", ""))), " ".join(predicted.split()))
    if count != len(LEAF.findall(gold)):
        raise ValueError(f"{count} words in the parse of {' '.join(words_of(gold))[:80]!r}")
    return text


def flat_tree(gold: str) -> str:
    """Return the gold words under one S: the parse of a sentence that a peer can not parse."""
    return f"(TOP (S {' '.join(found.group() for found in LEAF.finditer(gold))}))"


def constituents(line: str) -> Counter[tuple[str, int, int]]:
    """Return the label and edges of every constituent below the root."""
    found: Counter[tuple[str, int, int]] = Counter()
    waiting: list[tuple[str, int]] = []
    place = 0
    for leaf, label, closed in re.findall(r"(\([^ ()]+ [^ ()]+\))|\(([^ ()]*)|(\))", line):
        if leaf:
            place += 1
        elif closed:
            name, left = waiting.pop()
            if waiting:
                found[name, left, place] += 1
        else:
            waiting.append((label, place))
    return found


def labelled_f1(gold: Iterable[str], predicted: Iterable[str]) -> float:
    """Return the share of constituents found, 0 to 1: to choose among epochs, not to report."""
    matched = total = 0
    for gold_line, line in zip(gold, predicted, strict=True):
        wanted, given = constituents(gold_line), constituents(line)
        matched += (wanted & given).total()
        total += wanted.total() + given.total()
    return 2 * matched / max(1, total)


def read_vectors(path: Path) -> tuple[list[str], Any]:
    """Return words and their vectors ([words, width]) as our own trainer reads them."""
    if path.is_dir():
        words = (path / "words.txt").read_text(encoding="utf-8").rstrip("\n").split("\n")
        return words, numpy.load(path / "vectors.npy", allow_pickle=False).astype("float32")
    rows = [line.split(" ") for line in read_lines(path)]
    return [row[0] for row in rows], numpy.array([row[1:] for row in rows], dtype="float32")


def write_vectors(words: Iterable[str], table: Iterable[Any], path: Path, *, width: int = 0) -> Path:
    """Write GloVe's text format, each vector followed by zeros up to the width; return where."""
    with path.open("w", encoding="utf-8") as stream:
        for word, row in zip(words, table, strict=True):
            numbers = [f"{number:.5g}" for number in row] + ["0"] * (width - len(row))
            stream.write(f"{word} {' '.join(numbers)}\n")
    return path


@dataclass(frozen=True, kw_only=True)
class Training:
    """How a training went: when it ended, on the monotonic clock, after how many epochs, and why.

    `curve` has the score on the sample of dev trees, in per cent, after each epoch.
    """

    ended: float
    epochs: float
    ended_by: str
    curve: list[float]
    settings: dict[str, Any]


PATIENCE, SCHEDULE, CLOCK = "patience", "schedule", "clock"
"""Why a training ended: no gain for long; its rate had come to 0; its time was up before either."""


def reason(task: Task, *, is_late: bool) -> str:
    """Return why a training ended."""
    return PATIENCE if not is_late else SCHEDULE if task.anneal else CLOCK


def write_result(
    task: Task, peer: str, trees: Sequence[str], training: Training, *, decoding: str, notes: str, suffix: str = ""
) -> None:
    """Write the parses and the report; with a suffix, `.argmax` for example, under names that have it."""
    gold = read_lines(task.dev)
    parses = [with_leaves_of(wanted, found) for wanted, found in zip(gold, trees, strict=True)]
    out = task.out.with_name(f"{task.out.stem}{suffix}{task.out.suffix}")
    out.write_text("".join(f"{line}\n" for line in parses), encoding="utf-8")
    report = {
        "peer": peer,
        "seed": task.seed,
        "command": command_line(),
        "decoding": decoding,
        "device": device_name(task.device),
        "train": str(task.train),
        "dev": str(task.dev),
        "train_trees": len(read_lines(task.train)),
        "dev_trees": len(gold),
        "asked_minutes": task.minutes,
        "minutes": (training.ended - task.started) / 60,
        "epochs": training.epochs,
        "ended_by": training.ended_by,
        "curve": training.curve,
        "anneal": task.anneal,
        "vectors": task.vectors.name if task.vectors else "",
        "encoder": task.encoder.name if task.encoder else "",
        "notes": notes,
        "settings": training.settings,
        "versions": versions((peer,)),
        "dev_sample_f1": labelled_f1(sample(gold), sample(parses)),
    }
    out.with_suffix(".json").write_text(json.dumps(report, indent=1, default=str) + "\n", encoding="utf-8")
    task.say(f"{len(parses)} parses in {out}")


def command_line() -> str:
    """Return the command that runs, as it could be typed."""
    return f"python -m bench.peers.{Path(sys.argv[0]).stem} {shlex.join(sys.argv[1:])}"


def device_name(device: str) -> str:
    """Return what the GPU calls itself, or `cpu`."""
    torch = importlib.import_module("torch")
    return str(torch.cuda.get_device_name()) if device != "cpu" and torch.cuda.is_available() else "cpu"
