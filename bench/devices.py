"""How fast a model parses on a device, from lines of text to brackets, and how its trees differ from the CPU's."""

from __future__ import annotations

import re
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from bench.table import machine
from spanlin.parser import Parser
from spanlin.text.forms import read_sentence
from spanlin.trees.brackets import parse_tree, read_trees
from spanlin.trees.tree import LabelledSpan

Log = Callable[[str], None]

_LEAF = re.compile(r"\([^\s()]+ ([^\s()]+)\)")


class DeviceError(Exception):
    """Nothing could be measured; the message is one line."""


@dataclass(frozen=True, kw_only=True)
class Difference:
    """How the trees of one treebank's sentences differ between the device and the CPU.

    `different` counts trees with other constituents or tags, `other_constituents` those with other constituents;
    `f1` is of the device's constituents against the CPU's.
    """

    treebank: str
    sentences: int
    different: int
    other_constituents: int
    f1: float


def read_lines(files: Iterable[Path], *, known: Iterable[str] = ()) -> list[str]:
    """Return the sentences of files of trees as lines of words, none twice and none of the known ones."""
    seen = set(known)
    found = []
    for file in files:
        for tree in read_trees(file):
            line = " ".join(tree.words)
            if line not in seen:
                seen.add(line)
                found.append(line)
    return found


def measure(
    data: Path, treebanks: Sequence[str], *, model: str, device: str, threads: int, torch_cpu: bool, log: Log
) -> dict[str, Any]:
    """Return the rates of a device over distinct sentences and the trees that differ, as plain values.

    Rates are of one pass over dev sentences, after the parser has seen those of train.txt, and over the latter.
    """
    dev = {name: read_lines([data / name / "dev.txt"]) for name in treebanks}
    lines = list(dict.fromkeys(line for own in dev.values() for line in own))
    if not lines:
        raise DeviceError(f"{data}: no sentences")
    files = (data / name / "train.txt" for name in treebanks)
    train = read_lines((file for file in files if file.exists()), known=lines)
    log(f"{len(lines)} distinct dev sentences, {len(train)} others to warm up with")
    parser = Parser.load(model, device=device)
    rates = {}
    if train:
        half = len(train) // 2
        _timed(parser, _from_lines(train[:half]))
        rates["train, from lines"] = _rate(parser, _from_lines(train[half:]), len(train) - half)
    found, seconds = _timed(parser, _from_lines(lines))
    rates["dev, from lines"] = len(lines) / seconds
    words = list(_from_lines(lines))
    rates["dev, from tokens"] = _rate(parser, iter(words), len(words))  # the second pass: its words are known
    for name, rate in rates.items():
        log(f"{device}: {name}: {rate:,.0f} sentences/s")
    cpu = Parser.load(model, threads=threads)
    trees, seconds = _timed(cpu, _from_lines(lines))
    rates["dev, from lines, cpu"] = len(lines) / seconds
    sides = {"onnxruntime on the CPU": trees}
    if torch_cpu:
        sides["torch on the CPU, fp32"] = _timed(Parser.load(model, device="cpu"), iter(words))[0]
    return {
        "machine": machine() | {"device": device_name(device)},
        "model": model,
        "device": device,
        "sentences": len(lines),
        "sentences_per_second": {name: round(rate, 1) for name, rate in rates.items()},
        "different_from": {
            side: [asdict(difference) for difference in compare(dev, dict(zip(lines, found, strict=True)), own)]
            for side, own in ((side, dict(zip(lines, own, strict=True))) for side, own in sides.items())
        },
    }


def compare(dev: dict[str, list[str]], found: dict[str, str], expected: dict[str, str]) -> list[Difference]:
    """Return the differences for each treebank; the trees are by the line that they are of."""
    differences = []
    for name, lines in dev.items():
        pairs = [(found[line], expected[line]) for line in lines]
        ours, theirs = ([_constituents(pair[side]) for pair in pairs] for side in (0, 1))
        common = sum((one & other).total() for one, other in zip(ours, theirs, strict=True))
        total = sum(one.total() for one in (*ours, *theirs))
        differences.append(
            Difference(
                treebank=name,
                sentences=len(lines),
                different=sum(one != other for one, other in pairs),
                other_constituents=sum(_LEAF.sub(r"\1", one) != _LEAF.sub(r"\1", other) for one, other in pairs),
                f1=round(200.0 * common / total, 3),
            )
        )
    return differences


def _constituents(brackets: str) -> Counter[LabelledSpan]:
    return Counter(parse_tree(brackets).constituents())


def _from_lines(lines: Iterable[str]) -> Iterator[Sequence[str]]:
    return (read_sentence(line, "lines").words for line in lines)


def _timed(parser: Parser, sentences: Iterable[Sequence[str]]) -> tuple[list[str], float]:
    start = time.perf_counter()
    found = list(parser.bracket_lines(sentences))
    return found, time.perf_counter() - start


def _rate(parser: Parser, sentences: Iterable[Sequence[str]], count: int) -> float:
    return count / _timed(parser, sentences)[1]


def device_name(device: str) -> str:
    """Return what a device is called: the name of a GPU."""
    if not device.startswith("cuda"):
        return device
    import torch

    return torch.cuda.get_device_name(device)
