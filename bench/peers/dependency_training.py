"""What every training command of a dependency parser does: arguments, CoNLL-U in and out, the report, the rate.

Only the standard library, for it runs in each peer's environment. `python -m bench.peers.train_NAME_dependencies
--train FILE... --dev NAME=FILE... --out REPORT.json --work FOLDER` trains by the peer's own code, parses the words of
the dev files and writes `REPORT.NAME.conllu` for each. With `--measure`, it loads what was trained and adds to the
report how fast that parses, which wants a device to itself; with `--beside`, also how fast a model folder of ours does,
which wants ours in the same environment.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

from bench.peers.beside_ours import our_conllu, rates_in_turn
from bench.peers.installed import versions
from bench.peers.training import add_common_arguments, command_line, device_name

Words = list[str]
Arcs = list[tuple[int, str]]
"""The head (0 for the root) and relation of each word."""

Item = TypeVar("Item")

BATCHES = (5_000, 20_000, 50_000)
"""Words a batch that are tried when a rate is measured."""

REPEATS = 3
TURNS = 10
"""Passes of a peer's parser and of ours in turn."""


@dataclass(frozen=True, kw_only=True)
class DependencyTask:
    """The arguments of a training command; 0 for a number means the peer's own. `started`: of the monotonic clock."""

    train: list[Path]
    dev: dict[str, Path]
    out: Path
    work: Path
    seed: int
    minutes: float
    epochs: int
    batch: int
    rate: float
    device: str
    threads: int
    vectors: Path | None
    encoder: Path | None
    measure: bool
    beside: Path | None
    started: float

    @property
    def deadline(self) -> float:
        """Return when training must end, on the monotonic clock; reading the files counts."""
        return self.started + 60 * self.minutes

    @property
    def is_late(self) -> bool:
        """Return whether training must end now."""
        return time.monotonic() >= self.deadline

    def say(self, text: str) -> None:
        """Print a line of progress."""
        print(f"{time.monotonic() - self.started:7.1f} s  {text}", flush=True)


def read_task(about: str | None) -> DependencyTask:
    """Return the task that the command line gives; its folders are made."""
    started = time.monotonic()
    parser = argparse.ArgumentParser(description=about)
    parser.add_argument("--train", type=Path, nargs="+", required=True, help="CoNLL-U files, learned together")
    parser.add_argument("--dev", type=named_file, nargs="+", required=True, help="NAME=FILE: what is parsed and scored")
    parser.add_argument("--out", type=Path, required=True, help="the report; parses go beside it")
    parser.add_argument("--minutes", type=float, default=20.0, help="training ends after these, done or not")
    parser.add_argument("--epochs", type=int, default=0, help="0: as published")
    parser.add_argument("--batch", type=int, default=0, help="words; 0: as published")
    parser.add_argument("--threads", type=int, default=1)
    add_common_arguments(parser)
    parser.add_argument("--measure", action="store_true", help="only add the rate of the trained parser to the report")
    parser.add_argument("--beside", type=Path, help="with --measure: a model folder of ours, measured in turn with it")
    found = vars(parser.parse_args())
    task = DependencyTask(**(found | {"dev": dict(found["dev"])}), started=started)
    task.work.mkdir(parents=True, exist_ok=True)
    task.out.parent.mkdir(parents=True, exist_ok=True)
    return task


def named_file(text: str) -> tuple[str, Path]:
    """Return the two parts of NAME=FILE."""
    name, equals, path = text.partition("=")
    if not equals:
        raise argparse.ArgumentTypeError(f"{text!r} is not NAME=FILE")
    return name, Path(path)


def sentence_lines(path: Path) -> Iterator[list[str]]:
    """Yield the lines of each sentence of a CoNLL-U file."""
    waiting: list[str] = []
    # Not splitlines, which would also break at the rarer line ends that a form may have.
    for line in path.read_text(encoding="utf-8").split("\n"):
        if line:
            waiting.append(line)
        elif waiting:
            yield waiting
            waiting = []
    if waiting:
        yield waiting


def is_word(line: str) -> bool:
    """Return whether a line is a word's: not a comment, nor the line of a multi-word token or an empty node."""
    return line.partition("\t")[0].isdecimal()


def forms(path: Path) -> list[Words]:
    """Return the words of each sentence."""
    return [[line.split("\t")[1] for line in lines if is_word(line)] for lines in sentence_lines(path)]


def arcs_of(path: Path) -> list[Arcs]:
    """Return the gold heads and relations of each sentence."""
    return [
        [(int(columns[6]), columns[7]) for columns in (line.split("\t") for line in lines if is_word(line))]
        for lines in sentence_lines(path)
    ]


def write_plain(paths: Iterable[Path], out: Path) -> Path:
    """Write words, heads and relations alone, of all files after one another: no tag that a peer could learn from."""
    with out.open("w", encoding="utf-8", newline="\n") as stream:
        for path in paths:
            for lines in sentence_lines(path):
                for line in filter(is_word, lines):
                    number, form, *_, head, relation, _, _ = line.split("\t")
                    stream.write("\t".join([number, form, "_", "_", "_", "_", head, relation, "_", "_"]) + "\n")
                stream.write("\n")
    return out


def write_parses(gold: Path, parses: Sequence[Arcs], out: Path) -> Path:
    """Write a file with the tokens of the gold one and the heads and relations of the parses, in order."""
    with out.open("w", encoding="utf-8", newline="\n") as stream:
        for lines, arcs in zip(sentence_lines(gold), parses, strict=True):
            if len(arcs) != sum(map(is_word, lines)):
                raise ValueError(f"{gold}: {len(arcs)} heads for {sum(map(is_word, lines))} words")
            rest = iter(arcs)
            for line in lines:
                columns = line.split("\t")
                if is_word(line):
                    head, relation = next(rest)
                    columns[2:] = ["_", "_", "_", "_", str(head), relation, "_", columns[9]]
                    stream.write("\t".join(columns) + "\n")
                elif line.startswith("#") or "-" in columns[0]:
                    stream.write(line + "\n")
            stream.write("\n")
    return out


def parses_path(report: Path, name: str) -> Path:
    """Return where the parses of a dev file are, beside the report."""
    return report.with_name(f"{report.stem}.{name}.conllu")


def write_result(
    task: DependencyTask,
    peer: str,
    parses: dict[str, list[Arcs]],
    *,
    trained: float,
    epochs: float,
    is_cut: bool,
    notes: str,
    settings: dict[str, Any],
) -> None:
    """Write the parses and the report. `trained`: when training ended; `is_cut`: the minutes did not suffice."""
    for name, found in parses.items():
        write_parses(task.dev[name], found, parses_path(task.out, name))
    report = {
        "peer": peer,
        "seed": task.seed,
        "command": command_line(),
        "device": device_name(task.device),
        "train": [str(path) for path in task.train],
        "minutes": round((trained - task.started) / 60, 2),
        "asked_minutes": task.minutes,
        "cut_short": is_cut,
        "epochs": round(epochs, 2),
        "encoder": task.encoder.name if task.encoder else "",
        "vectors": task.vectors.name if task.vectors else "",
        "notes": notes,
        "settings": settings,
        "versions": versions((peer,)),
    }
    task.out.write_text(json.dumps(report, indent=1, default=str) + "\n", encoding="utf-8")
    task.say(f"report in {task.out}")


def add_rate(task: DependencyTask, parse: Callable[[list[Words], int], list[Arcs]]) -> None:
    """Add to the report how fast the dev sentences are parsed, and how fast by ours, if a folder of ours is given.

    The time of a single thread is that of the processor, which others may be using.
    """
    sentences = [words for path in task.dev.values() for words in forms(path)]
    report = json.loads(task.out.read_text(encoding="utf-8"))
    clock = time.process_time if task.device == "cpu" and task.threads == 1 else time.perf_counter
    found = measured_rate(sentences, parse, clock=clock)
    if task.beside is not None:
        parsers = {
            report["peer"]: lambda sentences: parse(sentences, found["batch_words"]),
            "spanlin": our_conllu(task.beside, threads=task.threads),
        }
        found["in_turn"] = rates_in_turn(sentences, parsers, clock=clock, repeats=TURNS)
        found["beside"] = task.beside.name
    report["parsing"] = found | {"threads": task.threads, "device": device_name(task.device), "clock": clock.__name__}
    task.out.write_text(json.dumps(report, indent=1) + "\n", encoding="utf-8")
    task.say(f"{report['parsing']['sentences_per_second']:.0f} sentences/s")


def measured_rate(
    sentences: list[Item],
    parse: Callable[[list[Item], int], Sequence[object]],
    batches: Sequence[int] = BATCHES,
    *,
    clock: Callable[[], float] = time.perf_counter,
) -> dict[str, Any]:
    """Return how many sentences a second are parsed, from words to heads and relations in memory.

    Each count of words a batch is tried after a warm-up, and the best of its repeats counts.
    """
    rates: dict[int, float] = {}
    for batch in batches:
        parse(sentences, batch)
        seconds = []
        for _ in range(REPEATS):
            start = clock()
            found = parse(sentences, batch)
            seconds.append(clock() - start)
            if len(found) != len(sentences):
                raise ValueError(f"{len(sentences)} sentences gave {len(found)} parses")
        rates[batch] = len(sentences) / min(seconds)
    best = max(rates, key=lambda batch: rates[batch])
    return {
        "sentences": len(sentences),
        "sentences_per_second": rates[best],
        "batch_words": best,
        "by_batch_words": {str(batch): rate for batch, rate in rates.items()},
    }
