"""Whether cost grows linearly: rate and memory over more and more sentences, and the cost of long ones."""

from __future__ import annotations

import itertools
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from bench.corpus import read_token_lists
from bench.peers.protocol import one_line, peak_device_memory, peak_memory, read_sentences
from bench.table import machine

REPOSITORY = Path(__file__).resolve().parents[1]
SHORT, LONG = 25, 400
"""Words of the sentences whose cost is compared."""

Result = dict[str, Any]


@dataclass(frozen=True, kw_only=True)
class Measurement:
    """What one fresh process parses: the sentences of a JSON-lines file over and over, `count` in all."""

    model: str
    sentences: str
    count: int
    batch: int
    threads: int
    device: str
    repeats: int


class ScalingError(Exception):
    """A measurement gave no figures; the message is one line."""


def scaling(
    model: Path,
    sentences: Path,
    *,
    counts: Sequence[int],
    batch: int,
    threads: int,
    device: str,
    repeats: int,
    length_count: int,
    log: Callable[[str], None],
) -> Result:
    """Return rate and peak memory for each count, and the milliseconds of a sentence of 25 and of 400 words."""
    found = [words for words in read_token_lists(sentences) if words]
    if not found:
        raise ScalingError(f"{sentences}: no sentences")
    with tempfile.TemporaryDirectory(prefix="spanlin-scaling-") as name:
        folder = Path(name)

        def measure(corpus: Iterable[Sequence[str]], count: int) -> Result:
            path = folder / "sentences.jsonl"
            path.write_text("".join(f"{json.dumps(words)}\n" for words in corpus), encoding="utf-8")
            job = Measurement(
                model=str(model.resolve()),
                sentences=str(path),
                count=count,
                batch=batch,
                threads=threads,
                device=device,
                repeats=repeats,
            )
            return in_fresh_process(job, folder)

        by_count: list[Result] = []
        for count in counts:
            by_count.append(measure(found, count))
            log(f"{count:,} sentences: {by_count[-1]['rate']:,.1f} a second")
        by_length: list[Result] = []
        for words in (SHORT, LONG):
            measured = measure(itertools.islice(of_length(found, words), length_count), length_count)
            by_length.append({"words": words, "milliseconds": 1000 / measured["rate"]} | measured)
            log(f"{words} words: {by_length[-1]['milliseconds']:.2f} ms a sentence")
    rates = [result["rate"] for result in by_count]
    peaks = [result["peak_memory_bytes"] for result in by_count]
    return {
        "date": time.strftime("%Y-%m-%d"),
        "machine": machine(),
        "settings": {
            "model": model.name,
            "sentences": f"{sentences.parent.name}/{sentences.name}",
            "batch": batch,
            "threads": threads,
            "device": device,
        },
        "by_count": by_count,
        "by_length": by_length,
        "rate_spread": max(rates) / min(rates) - 1,
        "memory_growth": peaks[-1] / peaks[0] - 1,
        "cost_ratio": by_length[1]["milliseconds"] / by_length[0]["milliseconds"],
    }


def of_length(sentences: Sequence[Sequence[str]], word_count: int) -> Iterator[list[str]]:
    """Yield sentences of exactly this many words, cut from the running text, without end."""
    words = itertools.cycle(itertools.chain.from_iterable(sentences))
    while True:
        yield list(itertools.islice(words, word_count))


def in_fresh_process(job: Measurement, folder: Path) -> Result:
    """Return what a new Python finds, so that no earlier measurement's memory counts."""
    places = [str(REPOSITORY), str(REPOSITORY / "src"), os.environ.get("PYTHONPATH", "")]
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(place for place in places if place)}
    path = folder / "job.json"
    path.write_text(json.dumps(asdict(job)), encoding="utf-8")
    command = [sys.executable, "-m", "bench.scaling", str(path)]
    done = subprocess.run(command, env=environment, cwd=REPOSITORY, capture_output=True, text=True, check=False)
    if done.returncode:
        lines = [line for line in done.stderr.splitlines() if line.strip()] or [f"exit status {done.returncode}"]
        raise ScalingError(lines[-1][:300])
    result: Result = json.loads(done.stdout.splitlines()[-1])
    return result


def run(job: Measurement) -> Result:
    """Return the best rate of some passes over the sentences, streamed, and the most memory this process has had."""
    from spanlin.parser import Parser

    options: dict[str, Any] = {} if job.device == "cpu" else {"device": job.device}
    parser = Parser.load(job.model, threads=job.threads, **options)
    sentences = read_sentences(job.sentences)

    def seconds(count: int) -> float:
        start = time.perf_counter()
        parsed = sum(1 for _ in parser.bracket_lines(repeated(sentences, count), batch_tokens=job.batch))
        assert parsed == count
        return time.perf_counter() - start

    seconds(min(job.count, 1000))
    found: list[float] = []
    # Short passes are repeated, for they are the noisy ones.
    while len(found) < job.repeats and sum(found) < 20.0:
        found.append(seconds(job.count))
    return {
        "sentences": job.count,
        "rate": job.count / min(found),
        "passes": len(found),
        "peak_memory_bytes": peak_memory(),
        "peak_device_memory_bytes": peak_device_memory(job.device),
    }


def repeated(sentences: Sequence[Sequence[str]], count: int) -> Iterator[Sequence[str]]:
    """Yield this many sentences, starting over after the last."""
    return itertools.islice(itertools.cycle(sentences), count)


def to_markdown(found: Result) -> str:
    """Return the two tables, what they show, and what they were measured on."""
    settings, hardware = found["settings"], found["machine"]
    lines = ["| sentences | sentences/s | peak memory, MB |", "| ---: | ---: | ---: |"]
    lines += [
        f"| {one['sentences']:,} | {one['rate']:,.0f} | {one['peak_memory_bytes'] / 1e6:,.0f} |"
        for one in found["by_count"]
    ]
    lines += ["", "| words | ms a sentence |", "| ---: | ---: |"]
    lines += [f"| {one['words']} | {one['milliseconds']:.2f} |" for one in found["by_length"]]
    lines += [
        "",
        f"The fastest and the slowest rate differ by {found['rate_spread']:.1%}, the memory of the most and the fewest "
        f"sentences by {found['memory_growth']:.1%}; {LONG} words cost {found['cost_ratio']:.1f} times {SHORT}. "
        f"Model {settings['model']} on {settings['sentences']}, {settings['device']}, {settings['threads'] or 'all'} "
        f"threads, {hardware['cpu']}, {hardware['cores']} cores, {found['date']}.",
    ]
    return "\n".join(lines) + "\n"


def main() -> None:
    """Run the measurement that a file describes and print its result as JSON; a failure is one line on stderr."""
    job = Measurement(**json.loads(Path(sys.argv[1]).read_text(encoding="utf-8")))
    try:
        print(json.dumps(run(job)))
    except Exception as error:
        sys.exit(one_line(error))


if __name__ == "__main__":
    main()
