"""The sentences of a run: training trees, dev trees, and plain sentences for teachers to parse."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from pathlib import Path

from spanlin.config.training import TrainingConfig
from spanlin.errors import TrainingError
from spanlin.training.dependencies import KnownDependencies, read_dependencies, require_same_words
from spanlin.training.examples import without_tags
from spanlin.trees.brackets import read_trees
from spanlin.trees.labelled import LabelledSplits, labelled_splits
from spanlin.trees.transforms import strip_root
from spanlin.trees.tree import Tree


@dataclass(frozen=True, kw_only=True)
class Part:
    """Sentences of a treebank as the network sees them, with trees, with dependencies, or with both."""

    sentences: list[LabelledSplits]
    trees: list[Tree]
    dependencies: list[KnownDependencies]

    def __len__(self) -> int:
        return len(self.sentences)

    @property
    def has_trees(self) -> bool:
        """Whether the sentences have trees."""
        return bool(self.trees)

    def up_to(self, most_words: int) -> Part:
        """Return the sentences that have at most so many words."""
        kept = [number for number, sentence in enumerate(self.sentences) if len(sentence.words) <= most_words]
        return Part(
            sentences=[self.sentences[number] for number in kept],
            trees=[self.trees[number] for number in kept] if self.trees else [],
            dependencies=[self.dependencies[number] for number in kept] if self.dependencies else [],
        )


@dataclass(frozen=True, kw_only=True)
class Treebank:
    """One treebank."""

    name: str
    weight: float
    train: Part
    dev: Part


@dataclass(frozen=True, kw_only=True)
class TrainingData:
    """All that a run reads. `fingerprint` changes with any byte of it; an epoch passes over `tokens` words."""

    treebanks: list[Treebank]
    unlabelled: list[LabelledSplits]
    tokens: int
    fingerprint: str


def load_data(config: TrainingConfig) -> TrainingData:
    """Read all files a configuration names."""
    digest = hashlib.sha256()
    treebanks = []
    for treebank in config.treebanks:
        for path in (treebank.train, treebank.dev, treebank.train_dependencies, treebank.dev_dependencies):
            if path:
                _add_file(digest, path, f"treebank {treebank.name!r}")
        train = _read_part(treebank.train, treebank.train_dependencies)
        if config.batch.max_words:
            train = train.up_to(config.batch.max_words)
        if treebank.train and not train.trees:
            raise TrainingError(f"{treebank.train}: no trees to train on")
        if not len(train):
            raise TrainingError(f"{treebank.train_dependencies}: no sentences to train on")
        dev = _read_part(treebank.dev, treebank.dev_dependencies)
        if treebank.dev and not dev.trees:
            raise TrainingError(f"{treebank.dev}: no trees to score on")
        treebanks.append(Treebank(name=treebank.name, weight=treebank.weight, train=train, dev=dev))
    unlabelled: list[LabelledSplits] = []
    for path in config.distillation.unlabelled:
        _add_file(digest, path, "distillation.unlabelled")
        with open(path, encoding="utf-8", errors="replace") as stream:
            unlabelled.extend(without_tags(words) for line in stream if (words := line.split()))
    tokens = sum(one.weight * _word_count(one.train.sentences) for one in treebanks)
    tokens += config.distillation.unlabelled_weight * _word_count(unlabelled)
    return TrainingData(
        treebanks=treebanks, unlabelled=unlabelled, tokens=max(1, round(tokens)), fingerprint=digest.hexdigest()
    )


def _word_count(sentences: list[LabelledSplits]) -> int:
    return sum(len(sentence.words) for sentence in sentences)


def _read_part(tree_file: str, dependency_file: str) -> Part:
    trees = list(read_trees(tree_file)) if tree_file else []
    sentences = [labelled_splits(strip_root(tree)) for tree in trees]
    dependencies: list[KnownDependencies] = []
    if dependency_file:
        found = read_dependencies(dependency_file)
        dependencies = found.dependencies
        if trees:
            require_same_words(sentences, found.sentences, tree_file, dependency_file)
        else:
            sentences = found.sentences
    return Part(sentences=sentences, trees=trees, dependencies=dependencies)


def _add_file(digest: hashlib._Hash, path: str, where: str) -> None:
    try:
        digest.update(hashlib.sha256(Path(path).read_bytes()).digest())
    except OSError as error:
        raise TrainingError(f"{where}: {path}: cannot be read: {error.strerror}") from error
