"""What every runner does: load, parse, time, report. Only the standard library, for it runs in each peer's environment.

A runner is `python -m bench.peers.run_NAME train|measure JOB.json`. `train` leaves a model at the job's `model` path;
`measure` loads it in a fresh process, so that start-up time and memory are those of parsing alone.
"""

from __future__ import annotations

import itertools
import json
import os
import resource
import sys
import time
import traceback
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, Protocol

from bench.peers.installed import installed_size, versions

Words = list[str]

LATENCY_WORDS = 25
"""The length whose latency is reported by itself."""


@dataclass(frozen=True, kw_only=True)
class Job:
    """What the runner is asked to do; paths are absolute.

    `sentences` and `dev_sentences` hold one JSON list of words a line. `batches` overrides the runner's own list.
    `started` is the time of day just before the process was started. Training stops early after `train_seconds`, and a
    batch size that has taken `batch_seconds` is not run again.
    """

    output: str
    model: str
    encoder: str
    train: str
    dev: str
    sentences: str
    dev_sentences: str
    threads: int
    device: str
    epochs: int
    train_seconds: float
    repeats: int
    batch_seconds: float
    single_count: int
    started: float
    batches: tuple[int, ...] = ()
    settings: dict[str, Any] = field(default_factory=dict)

    @classmethod
    def read(cls, path: Path) -> Job:
        """Return the job in the file."""
        found = json.loads(path.read_text(encoding="utf-8"))
        return cls(**(found | {"batches": tuple(found["batches"])}))

    def write(self, path: Path) -> None:
        """Write the job where a runner will read it."""
        path.write_text(json.dumps(asdict(self), indent=1), encoding="utf-8")


class Placed(Protocol):
    """Anything that says where a peer may run."""

    @property
    def device(self) -> str:
        """`cpu` or a GPU."""
        ...

    @property
    def threads(self) -> int:
        """How many of the CPU's."""
        ...


class LoadedParser(Protocol):
    """A peer with its model in memory. The unit of a batch is its own: what its users are asked to set."""

    batch_unit: str

    @property
    def batches(self) -> tuple[int, ...]:
        """Sizes worth trying on the job's device."""
        ...

    def single(self, sentence: Words) -> str:
        """Return the bracket string of one sentence."""
        ...

    def many(self, sentences: list[Words], batch: int) -> list[str]:
        """Return the bracket strings, in input order."""
        ...


Figures = dict[str, Any]
Extra = Callable[["Job", LoadedParser, Figures], Figures]
"""Further figures of a loaded parser, given those found so far."""


def main(
    *,
    train: Callable[[Job], str],
    load: Callable[[Job], LoadedParser],
    distributions: Sequence[str],
    device_distributions: Sequence[str] = (),
    extra: Extra | None = None,
) -> None:
    """Do what the command line asks and write one JSON object: the figures, or the reason why there are none.

    `train` returns a line on where the weights come from. `distributions` are what a user installs to parse,
    `device_distributions` what they add for a GPU.
    """
    action, path = sys.argv[1:]
    job = Job.read(Path(path))
    try:
        if action == "train":
            found: Figures = {"weights": train(job)}
        else:
            needed = [*distributions, *(device_distributions if job.device != "cpu" else ())]
            found = measure(job, load, extra) | {"versions": versions(needed)} | installed_size(needed)
    except Exception as error:
        traceback.print_exc()
        found = {"failed": one_line(error)}
    Path(job.output).write_text(json.dumps(found), encoding="utf-8")


def measure(job: Job, load: Callable[[Job], LoadedParser], extra: Extra | None) -> Figures:
    """Return every figure of one loaded parser."""
    parser = load(job)
    load_seconds = time.time() - job.started
    sentences = read_sentences(job.sentences)
    parser.single(sentences[0])
    first_parse_seconds = time.time() - job.started
    memory_loaded = peak_memory()
    batches = sorted(job.batches or parser.batches)
    for sentence in sentences[:10]:
        parser.single(sentence)
    single = latencies(parser, spread(sentences, job.single_count))
    of_25 = latencies(parser, spread([s for s in sentences if len(s) == LATENCY_WORDS] or sentences, 50) * 2)
    rates: dict[int, float] = {}
    peaks: dict[int, int] = {}  # from small batches to large ones: what a large one needs is not laid to a small one
    device_peaks: dict[int, int] = {}
    for batch in batches:
        parser.many(sentences[: min(len(sentences), 200)], batch)
        rates[batch] = len(sentences) / best_seconds(job, parser, sentences, batch)
        peaks[batch], device_peaks[batch] = peak_memory(), peak_device_memory(job.device)
    best = max(rates, key=lambda batch: rates[batch])
    figures: Figures = {
        "sentences": len(sentences),
        "batch_unit": parser.batch_unit,
        "rate_by_batch": {str(batch): rate for batch, rate in rates.items()},
        "best_batch": best,
        "best_rate": rates[best],
        "single_rate": len(single) / sum(single),
        "single_p50_ms": 1000 * quantile(single, 0.5),
        "single_p99_ms": 1000 * quantile(single, 0.99),
        "words25_p50_ms": 1000 * quantile(of_25, 0.5),
        "words25_p99_ms": 1000 * quantile(of_25, 0.99),
        "load_seconds": load_seconds,
        "first_parse_seconds": first_parse_seconds,
        "loaded_memory_bytes": memory_loaded,
        "peak_memory_bytes": peaks[best],
        "peak_memory_by_batch": {str(batch): peak for batch, peak in peaks.items()},
    }
    if device_peaks[best]:
        figures["peak_device_memory_bytes"] = device_peaks[best]
    if extra is not None:
        figures |= extra(job, parser, figures)
    figures["dev_trees"] = parser.many(read_sentences(job.dev_sentences), best)
    return figures


def best_seconds(job: Job, parser: LoadedParser, sentences: list[Words], batch: int) -> float:
    """Return the least seconds of the job's repeats, or of as many as its time for one batch size lets begin."""
    found: list[float] = []
    while len(found) < max(1, job.repeats) and sum(found) <= job.batch_seconds:
        found.append(timed(parser, sentences, batch))
    return min(found)


def timed(parser: LoadedParser, sentences: list[Words], batch: int) -> float:
    """Return the seconds from token lists in memory to bracket strings in memory."""
    start = time.perf_counter()
    trees = parser.many(sentences, batch)
    seconds = time.perf_counter() - start
    if len(trees) != len(sentences) or not all(tree.startswith("(") for tree in trees):
        raise RuntimeError(f"{len(sentences)} sentences gave {sum(t.startswith('(') for t in trees)} bracket strings")
    return seconds


def latencies(parser: LoadedParser, sentences: Iterable[Words]) -> list[float]:
    """Return the seconds of each sentence parsed by itself."""
    found: list[float] = []
    for sentence in sentences:
        start = time.perf_counter()
        parser.single(sentence)
        found.append(time.perf_counter() - start)
    return found


def spread(sentences: list[Words], count: int) -> list[Words]:
    """Return at most this many sentences, evenly spread over the list."""
    if len(sentences) <= count:
        return sentences
    return [sentences[index * len(sentences) // count] for index in range(count)]


def quantile(values: Sequence[float], share: float) -> float:
    """Return the smallest value that at least this share of the values does not exceed."""
    ordered = sorted(values)
    return ordered[max(0, min(len(ordered) - 1, -int(-share * len(ordered) // 1) - 1))]


def peak_memory() -> int:
    """Return the most bytes of memory this process has had resident."""
    status = Path("/proc/self/status")
    if status.exists():
        # Not ru_maxrss, which a process inherits from the one that started it.
        for line in status.read_text().splitlines():
            if line.startswith("VmHWM:"):
                return int(line.split()[1]) * 1024
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak if sys.platform == "darwin" else peak * 1024


def peak_device_memory(device: str) -> int:
    """Return the most bytes that torch has held of the GPU's memory; 0 without one."""
    torch = sys.modules.get("torch")
    if device == "cpu" or torch is None or not torch.cuda.is_available():
        return 0
    # What is held, not what is used at once: the rest is lost to others all the same.
    return int(torch.cuda.max_memory_reserved())


def read_sentences(path: str) -> list[Words]:
    """Return the token lists of a JSON-lines file."""
    with open(path, encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]


def one_line(error: BaseException) -> str:
    """Return the error as one line."""
    text = " ".join(str(error).split())
    return f"{type(error).__name__}: {text}"[:300]


class Until:
    """The items of a sized iterable, none after a moment of the monotonic clock."""

    def __init__(self, items: Any, deadline: float) -> None:
        self.items, self.deadline = items, deadline

    def __iter__(self) -> Iterator[Any]:
        return itertools.takewhile(lambda _: time.monotonic() < self.deadline, self.items)

    def __len__(self) -> int:
        return len(self.items)


def training_note(job: Job, epochs: int, deadline: float) -> str:
    """Return how long a training was that was to end by the deadline."""
    short = f", stopped after {job.train_seconds:g} s" if time.monotonic() >= deadline else ""
    return f"{epochs} epoch{'s' * (epochs != 1)}{short}"


def set_threads(job: Placed) -> Any:
    """Return torch, held to the job's threads; the environment variables are set before the process starts."""
    import importlib

    torch = importlib.import_module("torch")
    torch.set_num_threads(job.threads)
    torch.manual_seed(0)
    return torch


def trust_own_pickles(torch: Any) -> None:
    """Let `torch.load` read the pickles that this run wrote: since torch 2.6 it refuses them by default."""
    plain_load = torch.load

    def load(*arguments: Any, **options: Any) -> Any:
        return plain_load(*arguments, **({"weights_only": False} | options))

    torch.load = load


def hide_devices(job: Placed) -> None:
    """Make peers that take a GPU when they see one stay on the CPU when the job says so; call before torch loads."""
    if job.device == "cpu":
        os.environ["CUDA_VISIBLE_DEVICES"] = ""
