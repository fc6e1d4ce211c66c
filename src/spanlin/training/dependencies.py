"""The dependencies of a treebank, as a network learns them."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import zip_longest
from pathlib import Path
from typing import NamedTuple

from spanlin.dependencies.conllu import read_conllu
from spanlin.errors import TrainingError
from spanlin.trees.labelled import LabelledSplits


class KnownDependencies(NamedTuple):
    """What is known of the words of a sentence; heads count words from 1, and 0 is the root.

    A head of -1, a relation or a tag of "" is not known.
    """

    heads: tuple[int, ...]
    relations: tuple[str, ...]
    universal_tags: tuple[str, ...]


class DependencySentences(NamedTuple):
    """The sentences of a CoNLL-U file: their words and tags without trees, and their dependencies."""

    sentences: list[LabelledSplits]
    dependencies: list[KnownDependencies]


def read_dependencies(path: str | Path) -> DependencySentences:
    """Return the sentences of a CoNLL-U file."""
    found = DependencySentences([], [])
    for number, sentence in enumerate(read_conllu(path), start=1):
        words = sentence.words
        for place, word in enumerate(words, start=1):
            if word.head is not None and word.head > len(words):
                raise TrainingError(
                    f"{path}: sentence {number}: the head of word {place} is {word.head}: expected 0 to {len(words)}"
                )
        forms = tuple(word.form for word in words)
        found.sentences.append(LabelledSplits(forms, tuple(_known(word.xpos) for word in words), (), (), ()))
        found.dependencies.append(
            KnownDependencies(
                heads=tuple(-1 if word.head is None else word.head for word in words),
                relations=tuple(_known(word.deprel) for word in words),
                universal_tags=tuple(_known(word.upos) for word in words),
            )
        )
    if not found.sentences:
        raise TrainingError(f"{path}: no sentences to train on")
    return found


def require_same_words(
    trees: Sequence[LabelledSplits], sentences: Sequence[LabelledSplits], tree_file: str, dependency_file: str
) -> None:
    """Raise a TrainingError if the trees and the dependencies of a treebank are not of the same sentences."""
    for number, (tree, sentence) in enumerate(zip_longest(trees, sentences), start=1):
        if tree is None or sentence is None or tree.words != sentence.words:
            raise TrainingError(
                f"{dependency_file}: sentence {number} is not that of {tree_file}: both must hold the same sentences "
                "in the same order; if they are different texts, name them as two treebanks"
            )


def _known(value: str) -> str:
    return "" if value == "_" else value
