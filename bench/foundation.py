"""Speed of all that needs no network: reader, writer, linearization, scorer, decoders."""

from __future__ import annotations

import tempfile
from collections import deque
from collections.abc import Iterable
from functools import partial
from pathlib import Path

from bench import decoding
from bench.decoding import best_time
from bench.sample_trees import gold_trees, predicted_trees
from bench.table import Figure
from spanlin.evaluation import score_trees
from spanlin.linearization import delinearize, linearize_tree
from spanlin.trees.brackets import read_trees, write_trees
from spanlin.trees.labelled import labelled_splits, tree_from_splits

TREE_COUNT, WORD_COUNT = 10_000, 25
READER_TARGET = SCORER_TARGET = 10_000.0


def figures() -> list[Figure]:
    """Return every figure of the table."""
    return [*tree_figures(), *decoder_figures()]


def tree_figures() -> list[Figure]:
    """Return what reading, writing, linearizing and scoring cost."""
    gold = gold_trees(TREE_COUNT, word_count=WORD_COUNT, seed=0)
    constituents = sum(1 for tree in gold for _ in tree.constituents()) / TREE_COUNT
    kind = f"trees of {WORD_COUNT} words, {constituents:.1f} constituents"
    with tempfile.TemporaryDirectory() as folder:
        plain, zipped = Path(folder, "trees.txt"), Path(folder, "trees.txt.gz")
        writing = best_time(partial(write_trees, gold, plain))
        write_trees(gold, zipped)
        reading, reading_gzip = (best_time(partial(_read_and_drop, path)) for path in (plain, zipped))
        # As they come from files: two sides that share no string but labels.
        gold = list(read_trees(plain))
        write_trees(predicted_trees(gold, seed=1), plain)
        predicted = list(read_trees(plain))
    f1 = score_trees(gold, predicted).f1
    boundaries = [linearize_tree(tree) for tree in gold]
    splits = [labelled_splits(tree) for tree in gold]
    return [
        _rate(f"reader, {kind}", reading, READER_TARGET),
        _rate("reader, gzip", reading_gzip),
        _rate("writer", writing),
        _rate("linearize", best_time(lambda: _drop(map(linearize_tree, gold)))),
        _rate("delinearize", best_time(lambda: _drop(map(delinearize, boundaries)))),
        _rate("labelled splits", best_time(lambda: _drop(map(labelled_splits, gold)))),
        _rate("tree from labelled splits", best_time(lambda: _drop(map(tree_from_splits, splits)))),
        _rate(
            f"scorer, pairs with F1 {f1:.1f}", best_time(lambda: score_trees(gold, predicted)), SCORER_TARGET, "pairs/s"
        ),
    ]


def decoder_figures() -> list[Figure]:
    """Return what decoding costs, as seconds or as a ratio."""
    return [
        Figure(name.removesuffix(" (ratio)"), measured, "x" if name.endswith(" (ratio)") else "s", target, met)
        for name, measured, target, met in decoding.rows()
    ]


def _read_and_drop(path: Path) -> None:
    _drop(read_trees(path))


def _drop(items: Iterable[object]) -> None:
    deque(items, maxlen=0)


def _rate(name: str, seconds: float, target: float = 0.0, unit: str = "trees/s") -> Figure:
    rate = TREE_COUNT / seconds
    return Figure(name, rate, unit, f">= {target:,.0f}" if target else "", rate >= target)
