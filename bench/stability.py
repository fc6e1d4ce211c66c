"""Whether a sentence gets the same tree and probabilities alone, in any batch and order, and from a busy service."""

from __future__ import annotations

import http.client
import itertools
import json
import random
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, NamedTuple

from bench.peers.protocol import spread
from bench.service import Service
from bench.table import machine
from spanlin.parsed import Parsed
from spanlin.parser import Parser
from spanlin.trees.brackets import read_trees

SIZES = (2, 4, 8, 16, 32, 64, 128, 256, 512)
THREADS = (1, 2)
_REQUEST_SIZES = (1, 2, 5, 16, 32)  # sentences per request, in turn

Words = Sequence[str]
Log = Callable[[str], None]


class StabilityError(Exception):
    """Nothing could be compared; the message is one line."""


class Answer(NamedTuple):
    """What is said of a sentence."""

    brackets: str
    tags: tuple[str, ...]
    probabilities: tuple[float, ...]


@dataclass(frozen=True, kw_only=True)
class Comparison:
    """How the answers of one way to parse differ from those that each sentence gets alone.

    `largest_difference` is of two probabilities of one tag or constituent, over the sentences whose trees are equal.
    """

    way: str
    sentences: int
    different: int
    largest_difference: float
    seconds: float


def read_sentences(folder: Path, treebanks: Sequence[str], count: int) -> dict[str, list[list[str]]]:
    """Return so many dev sentences, from each treebank as many as from another if it has them, spread over its file."""
    found = {name: [list(tree.words) for tree in read_trees(folder / name / "dev.txt")] for name in treebanks}
    if not any(found.values()):
        raise StabilityError(f"{folder}: no sentences")
    shares = even_shares({name: len(sentences) for name, sentences in found.items()}, count)
    return {name: spread(sentences, shares[name]) for name, sentences in found.items()}


def even_shares(available: Mapping[str, int], count: int) -> dict[str, int]:
    """Return how many to take of each: the same number, and where there are not so many, all."""
    shares: dict[str, int] = {}
    for place, (name, size) in enumerate(sorted(available.items(), key=lambda item: item[1])):
        shares[name] = min(size, (count - sum(shares.values())) // (len(available) - place))
    return shares


def compare(way: str, found: Sequence[Answer], alone: Sequence[Answer], seconds: float) -> Comparison:
    """Return by how much answers differ from those to each sentence alone."""
    different, largest = 0, 0.0
    for one, other in zip(found, alone, strict=True):
        if one[:2] != other[:2]:
            different += 1
            continue
        pairs = zip(one.probabilities, other.probabilities, strict=True)
        largest = max([largest, *(abs(first - second) for first, second in pairs)])
    return Comparison(
        way=way, sentences=len(alone), different=different, largest_difference=largest, seconds=round(seconds, 1)
    )


def measure(
    sentences: Sequence[Words], *, model: str, sizes: Sequence[int], orders: int, clients: int, log: Log
) -> Iterator[Comparison]:
    """Yield how each way to parse the sentences compares with each sentence alone, in one thread."""
    parsers = {threads: Parser.load(model, threads=threads) for threads in THREADS}
    start = time.perf_counter()
    alone = [_answer(parsers[1].parse_tokens([words])[0]) for words in sentences]
    log(f"{len(sentences)} sentences alone: {time.perf_counter() - start:.1f} s")
    for threads, parser in parsers.items():
        for size in sizes:
            start = time.perf_counter()
            groups = (sentences[first : first + size] for first in range(0, len(sentences), size))
            found = [_answer(parsed) for group in groups for parsed in parser.parse_tokens(group)]
            yield compare(f"batches of {size}, {threads} threads", found, alone, time.perf_counter() - start)
        for order in range(1, orders + 1):
            start = time.perf_counter()
            places = random.Random(order).sample(range(len(sentences)), len(sentences))
            stream = parser.stream_tokens(sentences[place] for place in places)
            found = [_answer(parsed) for parsed in stream]
            seconds = time.perf_counter() - start
            yield compare(f"order {order}, {threads} threads", found, [alone[place] for place in places], seconds)
    start = time.perf_counter()
    asked = ask_service(sentences, model=model, clients=clients)
    yield compare(f"service, {clients} clients", asked, alone, time.perf_counter() - start)


def ask_service(sentences: Sequence[Words], *, model: str, clients: int) -> list[Answer]:
    """Return what a service says of each sentence while so many clients ask at once, several sentences per request."""
    sizes = itertools.cycle(_REQUEST_SIZES)
    waiting = iter(random.Random(0).sample(range(len(sentences)), len(sentences)))
    requests = []
    while places := list(itertools.islice(waiting, next(sizes))):
        requests.append(places)
    found: list[Answer | None] = [None] * len(sentences)

    def ask(mine: Sequence[list[int]], host: str, port: int) -> None:
        connection = http.client.HTTPConnection(host, port, timeout=600)
        for places in mine:
            body = json.dumps({"tokens": [list(sentences[place]) for place in places]})
            connection.request("POST", "/v1/parse", body, {"Content-Type": "application/json"})
            answer = connection.getresponse()
            content = answer.read()
            if answer.status != http.client.OK:
                raise StabilityError(f"the service answers {answer.status}: {content[:200]!r}")
            for place, result in zip(places, json.loads(content)["results"], strict=True):
                found[place] = _service_answer(result["sentences"][0])
        connection.close()

    with Service(model=model) as service, ThreadPoolExecutor(clients) as pool:
        for future in [
            pool.submit(ask, requests[client::clients], service.host, service.port) for client in range(clients)
        ]:
            future.result()
    return [answer for answer in found if answer is not None]


def _answer(parsed: Parsed) -> Answer:
    probabilities = (*parsed.tag_probabilities, *(found.probability for found in parsed.constituents()))
    return Answer(parsed.brackets(), tuple(parsed.tags), probabilities)


def _service_answer(found: Mapping[str, Any]) -> Answer:
    probabilities = (*found["tag_probabilities"], *(part["probability"] for part in found["constituents"]))
    return Answer(found["brackets"], tuple(found["tags"]), probabilities)


def report(sentences: Mapping[str, Sequence[Words]], model: str, comparisons: Sequence[Comparison]) -> dict[str, Any]:
    """Return all figures as plain values."""
    return {
        "machine": machine(),
        "model": model,
        "sentences": {name: len(found) for name, found in sentences.items()},
        "different": sum(found.different for found in comparisons),
        "largest_difference": max(found.largest_difference for found in comparisons),
        "ways": [asdict(found) for found in comparisons],
    }
