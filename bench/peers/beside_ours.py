"""How fast a peer's dependency parser and one of ours parse the same sentences, in turn, in one process.

The rates of the table are a GPU's. A peer that runs on a CPU is compared by this instead.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

Words = list[str]
Parse = Callable[[list[Words]], Sequence[object]]


def our_conllu(folder: Path, *, threads: int) -> Parse:
    """Return what parses words to sentences in CoNLL-U by a model folder of ours, as `spanlin parse` does."""
    parser = importlib.import_module("spanlin").Parser.load(folder, threads=threads)
    parser.check_dependencies()
    return lambda sentences: [parsed.to_conllu() for parsed in parser.stream_tokens(sentences)]


def rates_in_turn(
    sentences: list[Words], parsers: Mapping[str, Parse], *, clock: Callable[[], float], repeats: int
) -> dict[str, float]:
    """Return how many sentences a second each parser parses: its best pass, of passes that take turns after a first."""
    seconds: dict[str, list[float]] = {name: [] for name in parsers}
    for _ in range(repeats + 1):
        for name, parse in parsers.items():
            start = clock()
            found = parse(sentences)
            seconds[name].append(clock() - start)
            if len(found) != len(sentences):
                raise ValueError(f"{name}: {len(sentences)} sentences gave {len(found)} parses")
    return {name: len(sentences) / min(passes[1:]) for name, passes in seconds.items()}
