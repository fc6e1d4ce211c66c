"""`python -m bench.service SENTENCES`: the service under load beside the plain parser, on the same sentences.

Clients over real connections send requests one after the other, each as soon as it has the answer to the last. The
plain parser, tokens in and brackets out, runs alone in a process of its own, before and after every round of load, so
that what else the machine does meets both alike.
"""

from __future__ import annotations

import asyncio
import contextlib
import itertools
import json
import os
import re
import signal
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

import click

from bench.corpus import read_token_lists
from bench.table import machine

_PASS = 1000  # sentences that the plain parser gets at a time
REPOSITORY = Path(__file__).resolve().parents[1]
_LENGTH = re.compile(rb"content-length: (\d+)", re.IGNORECASE)
_CPU = re.compile(r"^process_cpu_seconds_total (\S+)$", re.MULTILINE)
_ADDRESS = re.compile(r"http://([^:]+):(\d+)")


class ServiceError(Exception):
    """The service could not be measured; the message is one line."""


@dataclass(kw_only=True)
class Load:
    """What clients saw of a service."""

    clients: int
    size: int
    seconds: float = 0.0
    requests: int = 0
    failures: int = 0
    latencies: list[float] = field(default_factory=list, repr=False)

    @property
    def rate(self) -> float:
        """Sentences a second."""
        return self.requests * self.size / self.seconds

    def percentile(self, share: float) -> float:
        """Return the latency that such a share of the requests is below, in milliseconds."""
        ordered = sorted(self.latencies)
        return 1000 * ordered[min(len(ordered) - 1, int(share * len(ordered)))] if ordered else float("nan")


def make_requests(sentences: Sequence[Sequence[str]], size: int, *, output: str) -> list[bytes]:
    """Return whole HTTP requests that have all sentences, `size` in each."""
    around = itertools.cycle(sentences)
    found = []
    for _ in range(max(1, len(sentences) // size)):
        body = json.dumps({"tokens": list(itertools.islice(around, size)), "format": output}).encode()
        head = (
            f"POST /v1/parse HTTP/1.1\r\nHost: bench\r\nContent-Type: application/json\r\nContent-Length: {len(body)}"
        )
        found.append(f"{head}\r\n\r\n".encode() + body)
    return found


async def put_load(host: str, port: int, requests: Sequence[bytes], *, load: Load, seconds: float) -> None:
    """Add what the clients see to the load; a request that was begun in time is waited for."""
    waiting = itertools.cycle(requests)
    start = time.perf_counter()
    await asyncio.gather(*(_client(host, port, waiting, load, start + seconds) for _ in range(load.clients)))
    load.seconds += time.perf_counter() - start


async def _client(host: str, port: int, requests: Iterator[bytes], load: Load, end: float) -> None:
    reader, writer = await asyncio.open_connection(host, port)
    try:
        while time.perf_counter() < end:
            start = time.perf_counter()
            writer.write(next(requests))
            head = await reader.readuntil(b"\r\n\r\n")
            length = _LENGTH.search(head)
            body = await reader.readexactly(int(length[1]) if length else 0)
            load.latencies.append(time.perf_counter() - start)
            if head.startswith(b"HTTP/1.1 200 ") and body.endswith(b"]}]}"):
                load.requests += 1
            else:
                load.failures += 1
    except (OSError, asyncio.IncompleteReadError):
        load.failures += 1
    finally:
        writer.close()


class Plain(NamedTuple):
    """What a parser does without a service: sentences a second, and processor time a sentence."""

    rate: float
    cpu_ms: float


class PlainParser:
    """A parser without a service, in a process of its own, for a `with` statement."""

    def __init__(self, sentences: Path, *, model: str) -> None:
        command = [sys.executable, "-m", "bench.service", "--plain", "--model", model, str(sentences)]
        pipe = subprocess.PIPE
        self._process = subprocess.Popen(
            command, env=_environment(), cwd=REPOSITORY, stdin=pipe, stdout=pipe, stderr=pipe, text=True
        )

    def run(self, seconds: float) -> Plain:
        """Return the figures of this many seconds, or a little more."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        with contextlib.suppress(BrokenPipeError):
            print(seconds, file=self._process.stdin, flush=True)
        line = self._process.stdout.readline()
        if not line:
            reasons = self._process.communicate()[1].splitlines()
            raise ServiceError(f"the plain parser failed: {(reasons or ['no reason'])[-1]}")
        return Plain(*json.loads(line))

    def __enter__(self) -> PlainParser:
        return self

    def __exit__(self, *_: object) -> None:
        self._process.communicate(timeout=60)


def _run_plain(sentences: Sequence[Sequence[str]], *, model: str) -> None:
    """Parse for as many seconds as each line of standard input says, and print the figures."""
    from spanlin.parser import Parser

    parser = Parser.load(model)
    sentences = sentences[:_PASS]
    list(parser.bracket_lines(sentences))  # every word is split once, here and there
    for line in sys.stdin:
        seconds = float(line)
        count = 0
        start, cpu = time.perf_counter(), time.process_time()
        while time.perf_counter() - start < seconds:
            count += len(list(parser.bracket_lines(sentences)))
        rate = count / (time.perf_counter() - start)
        print(json.dumps(Plain(rate, 1000 * (time.process_time() - cpu) / count)), flush=True)


class Service:
    """A service in a process of its own, for a `with` statement."""

    def __init__(self, *, model: str, options: Sequence[str] = ()) -> None:
        command = [sys.executable, "-m", "spanlin", "serve", "--model", model, "--port", "0", *options]
        self.process = subprocess.Popen(command, env=_environment(), stderr=subprocess.PIPE, text=True)
        assert self.process.stderr is not None
        line = self.process.stderr.readline()
        found = _ADDRESS.search(line)
        if found is None:
            self.process.kill()
            raise ServiceError(f"the service did not start: {line.strip()}")
        self.host, self.port = found[1], int(found[2])

    def cpu_seconds(self) -> float:
        """Return the processor time that the service has used."""
        with urllib.request.urlopen(f"http://{self.host}:{self.port}/metrics", timeout=60) as answer:
            found = _CPU.search(answer.read().decode())
        return float(found[1]) if found else float("nan")

    def __enter__(self) -> Service:
        return self

    def __exit__(self, *_: object) -> None:
        self.process.send_signal(signal.SIGTERM)
        self.process.communicate(timeout=60)


def _environment() -> dict[str, str]:
    places = [str(REPOSITORY), str(REPOSITORY / "src"), os.environ.get("PYTHONPATH", "")]
    return os.environ | {"PYTHONPATH": os.pathsep.join(place for place in places if place)}


def measure(
    sentences: Path, *, model: str, clients: int, seconds: float, rounds: int, sizes: Sequence[int], output: str
) -> Iterator[dict[str, Any]]:
    """Yield the figures for each number of sentences a request."""
    words = _read(sentences)
    part = seconds / rounds
    with PlainParser(sentences, model=model) as plain:
        for size in sizes:
            requests = make_requests(words, size, output=output)
            load = Load(clients=clients, size=size)
            alone = [plain.run(part / 2)]
            with Service(model=model) as service:
                address = (service.host, service.port, requests)
                asyncio.run(put_load(*address, load=Load(clients=clients, size=size), seconds=min(2.0, seconds)))
                cpu = 0.0
                for _ in range(rounds):
                    before = service.cpu_seconds()
                    asyncio.run(put_load(*address, load=load, seconds=part))
                    cpu += service.cpu_seconds() - before
                    alone.append(plain.run(part / 2))
            rate = sum(found.rate for found in alone) / len(alone)
            yield {
                **{name: value for name, value in asdict(load).items() if name != "latencies"},
                "format": output,
                "rate": round(load.rate, 1),
                "p50_ms": round(load.percentile(0.5), 1),
                "p99_ms": round(load.percentile(0.99), 1),
                "cpu_ms": round(1000 * cpu / max(1, load.requests * size), 3),
                "plain_rates": [round(found.rate, 1) for found in alone],
                "plain_cpu_ms": round(sum(found.cpu_ms for found in alone) / len(alone), 3),
                "ratio": round(load.rate / rate, 3),
            }


def _read(path: Path) -> list[list[str]]:
    found = [words for words in read_token_lists(path) if words]
    if not found:
        raise ServiceError(f"{path}: no sentences")
    return found


@click.command()
@click.argument("sentences", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.option("--model", default="en", show_default=True)
@click.option("--clients", default=32, show_default=True)
@click.option("--seconds", default=60.0, show_default=True, help="For each size.")
@click.option("--size", "sizes", type=int, multiple=True, default=(1, 8, 32), help="Sentences a request.")
@click.option("--format", "output", type=click.Choice(["json", "brackets"]), default="json", show_default=True)
@click.option("--rounds", default=1, show_default=True, help="Parts of the load, with the plain parser in between.")
@click.option("--plain", is_flag=True, hidden=True, help="Be the plain parser.")
def main(
    *,
    sentences: Path,
    model: str,
    clients: int,
    seconds: float,
    rounds: int,
    sizes: tuple[int, ...],
    output: str,
    plain: bool,
) -> None:
    """Put load on a service over SENTENCES (trees, or JSON lists of words) and compare it with the plain parser."""
    try:
        if plain:
            _run_plain(_read(sentences), model=model)
            return
        click.echo(json.dumps(machine()))
        for figures in measure(
            sentences, model=model, clients=clients, seconds=seconds, rounds=rounds, sizes=sizes, output=output
        ):
            click.echo(json.dumps(figures))
    except ServiceError as error:
        raise click.ClickException(str(error)) from error


if __name__ == "__main__":
    main()
