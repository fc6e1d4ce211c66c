"""What dependencies cost beside trees: the same network with and without them, in turn, in one process."""

from __future__ import annotations

import copy
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any, cast

import numpy as np

from bench.devices import device_name
from bench.table import machine
from spanlin.config.by_size import settle
from spanlin.config.training import TrainingConfig
from spanlin.decoding.heads import are_trees
from spanlin.parser import Parser
from spanlin.runtime.backend import TREE, Arrays, Backend, IntArray
from spanlin.runtime.batch_runner import BatchRunner
from spanlin.runtime.folder_features import features_of
from spanlin.runtime.input_rows import InputRows
from spanlin.runtime.sentences import RunBatch
from spanlin.training.checkpoint import CHECKPOINT, Model, new_model, save_model, write_folder
from spanlin.training.dependencies import KnownDependencies
from spanlin.training.export import export_model
from spanlin.training.vocabulary import Vocabulary, build_vocabularies
from spanlin.trees.labelled import labelled_splits
from spanlin.trees.transforms import strip_root
from spanlin.trees.tree import Tree

Log = Callable[[str], None]
Words = Sequence[str]

_RELATION_COUNT, _UNIVERSAL_TAG_COUNT = 50, 17  # as in treebanks of English
AGAIN = 0.03
"""The share of sentences whose best heads are not a tree, where the weights are random."""
_BLOCK = 50  # sentences


class DependencyBenchError(Exception):
    """Nothing could be measured; the message is one line."""


@dataclass(frozen=True, kw_only=True)
class Row:
    """Seconds with and without dependencies, the fastest pass of each block of sentences, and the median of ratios."""

    output: str
    trees: float
    both: float
    ratio: float


def random_model(config: TrainingConfig, trees: Sequence[Tree]) -> Model:
    """Return an untrained model over its encoder, with the labels of these trees and as many relations as UD has."""
    sentences = [labelled_splits(strip_root(tree)) for tree in trees]
    relations = ("root", *(f"relation{number}" for number in range(1, _RELATION_COUNT)))
    tags = tuple(f"TAG{number % _UNIVERSAL_TAG_COUNT}" for number in range(_RELATION_COUNT))
    known = [KnownDependencies((0,) * len(tags), relations, tags)]
    config = settle(config, tokens=sum(len(sentence.words) for sentence in sentences))
    return new_model(config, build_vocabularies(sentences, dependencies=known, min_word_count=1))


class TreeHeads:
    """A backend whose best heads are a tree in nearly all sentences, as a trained network's are and random ones never.

    Those heads are made up, and all else is its own.
    """

    def __init__(self, backend: Backend) -> None:
        self._backend = backend
        self._seen = 0

    def __getattr__(self, name: str) -> Any:
        return getattr(self._backend, name)

    def run(self, rows: InputRows, word_counts: IntArray, outputs: Sequence[str] = TREE) -> Arrays:
        """Return the outputs asked for."""
        found = self._backend.run(rows, word_counts, outputs)
        if "heads" in found:
            numbers = np.arange(self._seen, self._seen + len(word_counts))
            self._seen += len(word_counts)
            heads = np.ones_like(found["heads"])
            heads[:, 0] = 0
            is_own = (numbers + 1) * AGAIN // 1 > numbers * AGAIN // 1
            found["heads"] = np.where(is_own[:, np.newaxis], found["heads"], heads)
        return found


def without_dependencies(model: Model) -> Model:
    """Return the same network with trees alone."""
    network = copy.deepcopy(model.network)
    network.dependencies = None
    none = Vocabulary([], special=False)
    return replace(
        model, network=network, vocabularies=replace(model.vocabularies, relations=none, universal_tags=none)
    )


def load_parsers(model: Model, folder: Path, *, device: str, is_trained: bool, log: Log) -> dict[str, Parser]:
    """Return the parsers of trees alone and of both: int8 in onnxruntime on a CPU, else checkpoints in torch."""
    found = {}
    for name, one in (("trees", without_dependencies(model)), ("both", model)):
        path = folder / name
        if device == "cpu":
            log(f"{name}: exported in int8")
            parser = Parser.load(export_model(one, path, precision="int8"), threads=1)
        else:
            write_folder(path, partial(save_model, model=one), CHECKPOINT)
            parser = Parser.load(path, device=device)
        if not is_trained:
            workers = 1 if device == "cpu" else 4  # as `Parser.load` has them
            backend = cast(Backend, TreeHeads(parser.backend))
            parser = Parser(parser.folder, backend, workers=workers, features=features_of(parser.folder))
        found[name] = parser
    return found


def measure(
    parsers: Mapping[str, Parser], sentences: Sequence[Words], *, device: str, repeats: int, log: Log
) -> dict[str, Any]:
    """Return what dependencies add to the time of each kind of output, as plain values.

    Passes with and without them take turns: on a CPU, which others may be using, block by block, and the time is that
    of the processor; on a GPU, over all sentences, and the time is that of a clock.
    """
    if not sentences:
        raise DependencyBenchError("no sentences")
    clock = time.process_time if device == "cpu" else time.perf_counter
    size = _BLOCK if device == "cpu" else len(sentences)
    blocks = [sentences[start : start + size] for start in range(0, len(sentences), size)]
    rows = []
    for output, read in _OUTPUTS.items():
        seconds = {name: np.zeros((repeats + 1, len(blocks))) for name in parsers}
        for turn in range(repeats + 1):
            for number, block in enumerate(blocks):
                for name in list(parsers)[:: 1 if turn % 2 else -1]:
                    started = clock()
                    for _ in read(parsers[name], block):
                        pass
                    seconds[name][turn, number] = clock() - started
        trees, both = (seconds[name][1:] for name in ("trees", "both"))  # the first pass warms up
        row = Row(
            output=output,
            trees=round(float(trees.min(axis=0).sum()), 4),
            both=round(float(both.min(axis=0).sum()), 4),
            ratio=round(float(np.median(both / trees)), 4),
        )
        log(f"{output}: {row.trees:.2f} s, with dependencies {row.both:.2f} s, ratio {row.ratio:.3f}")
        rows.append(row)
    return {
        "machine": machine() | {"device": device_name(device)},
        "precision": parsers["both"].backend.precision,
        "sentences": len(sentences),
        "words": sum(map(len, sentences)),
        "repeats": repeats,
        "decoded_again": round(share_decoded_again(parsers["both"], sentences), 4),
        "rows": [asdict(row) for row in rows],
    }


def _brackets(parser: Parser, sentences: Sequence[Words]) -> Iterator[object]:
    return parser.bracket_lines(sentences)


def _parses(parser: Parser, sentences: Sequence[Words]) -> Iterator[object]:
    for parsed in parser.stream_tokens(sentences):
        yield parsed.brackets(), parsed.heads, parsed.relations


def _files(parser: Parser, sentences: Sequence[Words]) -> Iterator[object]:
    for parsed in parser.stream_tokens(sentences):
        yield parsed.to_conllu() if parser.has_dependencies else parsed.brackets()


_OUTPUTS: dict[str, Callable[[Parser, Sequence[Words]], Iterator[object]]] = {
    "brackets alone": _brackets,
    "parses, with heads": _parses,
    "brackets from parses, or CoNLL-U": _files,
}


def share_decoded_again(parser: Parser, sentences: Sequence[Words]) -> float:
    """Return the share of sentences in which the best heads of the words are not a tree."""

    def check(batch: RunBatch[Words]) -> list[bool]:
        return [bool(one) for one in are_trees(batch.found["heads"], batch.counts)]

    runner = BatchRunner(features_of(parser.folder), parser.backend, workers=1)
    found = [is_tree for _, is_tree in runner.run(sentences, lambda words: words, ("heads",), check)]
    return found.count(False) / len(found)


def to_markdown(figures: Mapping[str, Any]) -> Iterator[str]:
    """Yield the lines of a table."""
    yield "| output | trees alone, s | with dependencies, s | ratio |"
    yield "|---|--:|--:|--:|"
    for row in figures["rows"]:
        yield f"| {row['output']} | {row['trees']:.2f} | {row['both']:.2f} | {row['ratio']:.3f} |"
