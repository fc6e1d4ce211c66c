"""How fast a model parses here: a short, honest measurement that `spanlin bench` prints.

The full comparison with other parsers, with batch sizes and devices, is the repository's `bench/`.
"""

from __future__ import annotations

import json
import os
import platform
import statistics
import subprocess
import sys
import time
from collections.abc import Sequence
from contextlib import closing
from dataclasses import asdict, dataclass
from importlib.util import find_spec
from itertools import cycle, islice
from pathlib import Path

from spanlin.errors import SpanlinError
from spanlin.parser import Parser
from spanlin.text import tokenize

SAMPLE = """\
The committee will meet again on Thursday. Nobody knows why the older of the two bridges was closed before the new \
one had been opened to traffic. When the rain stopped, the children ran out into the garden and began to look for \
the ball that their cousin had thrown over the wall the day before. Prices rose by 3.4 percent in March, the \
largest increase in more than two years, while wages hardly changed. "I have never seen anything like it," said the \
captain, who has sailed these waters since 1987. She loves writing code. The cells were washed twice, placed in \
fresh medium and kept at 37 degrees for 48 hours, after which the number of living cells was counted under a \
microscope. Please send the signed form to the address below, and keep a copy for your own records. Although the \
results of the first trial were promising, the authors warn that the sample was small, that it was not drawn at \
random, and that no conclusion about other groups of patients should be based on it. What did you think of the \
film? The new law, which was passed by a narrow majority late on Friday night, gives small towns the right to \
decide for themselves how much they want to spend on schools, roads and public transport. He put the letter back \
into the drawer without reading it. It is easy to forget how long people lived without electric light, and how much \
of what we now do in the evening was simply not possible. Most of the money comes from donations; the rest is paid \
by the state. The river rises in the hills north of the village, runs through three lakes and a gorge that is \
famous for its rare plants, and reaches the sea some ninety kilometres further south. Don't worry. In the second \
half of the century, many of those who had left the country for political reasons returned, often with wives, \
husbands and children who had never seen it and did not speak its language. To start the engine, turn the key to \
the right and press the green button until you hear a click. The company, based in Toronto, said that it expected \
sales of about $40 million this year, up from $31 million last year. Some of the proteins that bind to this region \
are also found in yeast, which suggests that the mechanism is very old. There were only a few people left in the \
hall when the band finally began to play. If you want to know what a word means, look at how it is used."""


@dataclass(frozen=True, kw_only=True)
class Benchmark:
    """What was measured, on what. Rates count sentences per second from words to bracket strings."""

    model: str
    precision: str
    device: str
    threads: int
    """How many parse on a CPU."""
    machine: str
    sentences: int
    mean_words: float
    rate: float
    """Sentences per second, many at a time."""
    rate_one_by_one: float
    latency_p50: float
    """Milliseconds for a sentence by itself; half of them take less."""
    latency_p99: float
    start_seconds: float
    """From the start of a fresh process to its first tree."""
    start_memory_mb: float | None
    """Peak memory of that process; None if the system does not report it."""
    peak_memory_mb: float | None
    """Peak memory of the measuring process."""
    load_before: float | None
    """What else the machine was doing: the load average, in cores."""

    def to_json(self) -> str:
        """Return the figures as one JSON object."""
        return json.dumps(asdict(self), ensure_ascii=False, indent=2)

    def to_text(self) -> str:
        """Return the figures as a short table."""
        threads = f"{self.threads} thread{'s' * (self.threads > 1)}"
        rows = {
            "model": f"{self.model}, {self.precision}",
            "machine": self.machine,
            "sentences": f"{self.sentences:,}, {self.mean_words:.1f} words on average",
            "many at a time": f"{self.rate:,.0f} sentences/s on {threads if self.device == 'cpu' else self.device}",
            "one by one": f"{self.rate_one_by_one:,.0f} sentences/s; p50 {self.latency_p50:.1f} ms, "
            f"p99 {self.latency_p99:.1f} ms",
            "start to first tree": f"{self.start_seconds:.2f} s{_in_megabytes(self.start_memory_mb)}",
            "peak memory": _in_megabytes(self.peak_memory_mb).lstrip(", ") or "not reported by this system",
        }
        if self.load_before is not None and self.load_before > 0.5:
            rows["note"] = f"the machine was busy before (load {self.load_before:.1f}): expect more when it is not"
        return "\n".join(f"{name:<21}{value}" for name, value in rows.items())


def measure(
    model: str | Path = "en",
    *,
    sentences: Sequence[Sequence[str]] = (),
    threads: int = 0,
    device: str = "",
    seconds: float = 6.0,
) -> Benchmark:
    """Return the figures of a model; with no sentences given, on a few of ours, over and over.

    `seconds` is about how long each of the two rates is measured, after a warm-up.
    """
    from spanlin.runtime.onnx import available_cores

    load_before = os.getloadavg()[0] if hasattr(os, "getloadavg") else None
    found = [list(words) for words in sentences] or [list(found.words) for found in tokenize(SAMPLE)]
    found = [words for words in found if words]
    if not found:
        raise SpanlinError("there is no sentence with words to measure on: give some")
    with closing(Parser.load(model, threads=threads, device=device)) as parser:
        # By its path: the same folder, whatever names there are.
        start_seconds, start_memory = _start(parser.folder.path.absolute(), threads, device)
        rate, count = _rate(parser, found, seconds)
        latencies = _latencies(parser, found, seconds)
    return Benchmark(
        model=parser.folder.path.resolve().name,
        precision=parser.backend.precision,
        device=parser.backend.device,
        threads=threads or available_cores(),
        machine=f"{_processor()}, {available_cores()} cores, {platform.system()}",
        sentences=count,
        mean_words=statistics.fmean(map(len, found)),
        rate=rate,
        rate_one_by_one=1000 / statistics.fmean(latencies),
        latency_p50=_quantile(latencies, 0.50),
        latency_p99=_quantile(latencies, 0.99),
        start_seconds=start_seconds,
        start_memory_mb=start_memory,
        peak_memory_mb=peak_memory_mb(),
        load_before=load_before,
    )


def peak_memory_mb() -> float | None:
    """Return the most memory this process has had, in MB; None if the system does not report it."""
    if sys.platform == "win32" or find_spec("resource") is None:
        return None
    import resource

    unit = 1 if sys.platform == "darwin" else 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit / 1e6


_START = """\
import sys
from spanlin.benchmark import peak_memory_mb
from spanlin.parser import Parser
model, threads, device = sys.argv[1:]
list(Parser.load(model, threads=int(threads), device=device).bracket_lines([["She", "loves", "writing", "code", "."]]))
print(peak_memory_mb() or "")
"""


def _start(model: Path, threads: int, device: str) -> tuple[float, float | None]:
    """Return the seconds from a process's start to the end after its first tree, and its peak memory."""
    command = [sys.executable, "-c", _START, str(model), str(threads), device]
    taken = []
    memory = ""
    for _ in range(2):  # the first one reads the files from disk for both
        began = time.perf_counter()
        ended = subprocess.run(command, capture_output=True, encoding="utf-8", errors="replace", check=False)
        taken.append(time.perf_counter() - began)
        if ended.returncode:
            reason = (ended.stderr.strip().splitlines() or ["no reason given"])[-1]
            raise SpanlinError(f"{model}: it cannot be started: {reason}")
        memory = ended.stdout.strip()
    return min(taken), float(memory) if memory else None


def _rate(parser: Parser, sentences: Sequence[Sequence[str]], seconds: float) -> tuple[float, int]:
    """Return the rate over one long stream, and how many sentences it had."""
    began = time.perf_counter()
    warm_up = max(200, len(sentences))
    for _ in parser.bracket_lines(islice(cycle(sentences), warm_up)):
        pass
    # A stream as long as it takes, in one call, so that its end is not counted many times.
    count = max(len(sentences), round(seconds * warm_up / (time.perf_counter() - began)))
    began = time.perf_counter()
    for _ in parser.bracket_lines(islice(cycle(sentences), count)):
        pass
    return count / (time.perf_counter() - began), count


def _latencies(parser: Parser, sentences: Sequence[Sequence[str]], seconds: float) -> list[float]:
    """Return the milliseconds of each of at least 100 sentences, one by one."""
    list(parser.bracket_lines(sentences[:1]))
    found: list[float] = []
    began = time.perf_counter()
    for words in cycle(sentences):
        start = time.perf_counter()
        list(parser.bracket_lines([words]))
        end = time.perf_counter()
        found.append(1000 * (end - start))
        if len(found) >= 100 and end - began > seconds:
            break
    return found


def _processor() -> str:
    """Return the processor's name; Linux has it only in a file."""
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        lines = []
    names = [line.split(":", 1)[1].strip() for line in lines if line.startswith("model name")]
    return (names or [platform.processor() or platform.machine()])[0]


def _quantile(values: Sequence[float], share: float) -> float:
    return sorted(values)[min(len(values) - 1, int(share * len(values)))]


def _in_megabytes(memory: float | None) -> str:
    return "" if memory is None else f", {memory:,.0f} MB"
