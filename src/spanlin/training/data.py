"""The sentences of a run: training trees, dev trees, and plain sentences for teachers to parse."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from pathlib import Path

from spanlin.config.training import TrainingConfig
from spanlin.errors import TrainingError
from spanlin.training.examples import without_tags
from spanlin.trees.brackets import read_trees
from spanlin.trees.labelled import LabelledSplits, labelled_splits
from spanlin.trees.transforms import strip_root
from spanlin.trees.tree import Tree


@dataclass(frozen=True, kw_only=True)
class Treebank:
    """The trees of one treebank, as the network sees them."""

    name: str
    weight: float
    train: list[LabelledSplits]
    dev: list[LabelledSplits]
    dev_trees: list[Tree]


@dataclass(frozen=True, kw_only=True)
class TrainingData:
    """All that a run reads; `fingerprint` changes with any byte of it."""

    treebanks: list[Treebank]
    unlabelled: list[LabelledSplits]
    fingerprint: str


def load_data(config: TrainingConfig) -> TrainingData:
    """Read all files a configuration names."""
    digest = hashlib.sha256()
    treebanks = []
    for treebank in config.treebanks:
        for path in (treebank.train, treebank.dev):
            if path:
                _add_file(digest, path, f"treebank {treebank.name!r}")
        train = [labelled_splits(strip_root(tree)) for tree in read_trees(treebank.train)]
        dev_trees = list(read_trees(treebank.dev)) if treebank.dev else []
        if config.batch.max_words:
            train = [sentence for sentence in train if len(sentence.words) <= config.batch.max_words]
        if not train:
            raise TrainingError(f"{treebank.train}: no trees to train on")
        treebanks.append(
            Treebank(
                name=treebank.name,
                weight=treebank.weight,
                train=train,
                dev=[labelled_splits(strip_root(tree)) for tree in dev_trees],
                dev_trees=dev_trees,
            )
        )
    unlabelled: list[LabelledSplits] = []
    for path in config.distillation.unlabelled:
        _add_file(digest, path, "distillation.unlabelled")
        with open(path, encoding="utf-8", errors="replace") as stream:
            unlabelled.extend(without_tags(words) for line in stream if (words := line.split()))
    return TrainingData(treebanks=treebanks, unlabelled=unlabelled, fingerprint=digest.hexdigest())


def _add_file(digest: hashlib._Hash, path: str, where: str) -> None:
    try:
        digest.update(hashlib.sha256(Path(path).read_bytes()).digest())
    except OSError as error:
        raise TrainingError(f"{where}: {path}: cannot be read: {error.strerror}") from error
