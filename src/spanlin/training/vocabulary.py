"""Vocabularies: what ids stand for. They are built from the training trees and kept as JSON."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from spanlin.errors import CheckpointError
from spanlin.network.network import VocabularySizes
from spanlin.runtime.backend import ROOT_RELATION
from spanlin.runtime.lexicon import SPECIAL_IDS, UNKNOWN
from spanlin.training.dependencies import KnownDependencies
from spanlin.trees.labelled import LabelledSplits
from spanlin.trees.transforms import EMPTY_LABEL


class Vocabulary:
    """Items and their ids; what is not in it has the id of the unknown item, if it keeps one."""

    def __init__(self, items: Sequence[str], *, special: bool) -> None:
        self.items = tuple(items)
        self.special = special
        first = len(SPECIAL_IDS) if special else 0
        self._ids = {item: number for number, item in enumerate(self.items, start=first)}

    def __len__(self) -> int:
        return len(self.items) + (len(SPECIAL_IDS) if self.special else 0)

    def id(self, item: str) -> int:
        """Return the id of an item; -1 where there is no such item and no unknown one."""
        return self._ids.get(item, UNKNOWN if self.special else -1)


@dataclass(frozen=True, kw_only=True)
class Vocabularies:
    """All vocabularies of a network. Label 0 is the empty one."""

    words: Vocabulary
    word_counts: tuple[int, ...]
    chars: Vocabulary
    input_tags: Vocabulary
    labels: Vocabulary
    tags: Vocabulary
    treebanks: Vocabulary
    relations: Vocabulary
    universal_tags: Vocabulary

    @property
    def sizes(self) -> VocabularySizes:
        """How many ids of each kind there are."""
        return VocabularySizes(
            words=len(self.words),
            chars=len(self.chars),
            input_tags=len(self.input_tags),
            labels=len(self.labels),
            tags=len(self.tags),
            treebanks=len(self.treebanks),
            relations=len(self.relations),
            universal_tags=len(self.universal_tags),
            root_relation=self.relations.id(ROOT_RELATION),
        )

    def unknown_rates(self, z: float) -> NDArray[np.float32]:
        """Return, for each word id, the probability z / (z + c) of hiding it in training; 0 for the special ones."""
        counts = np.asarray(self.word_counts, dtype=np.float64)
        rates = np.zeros(len(self.words), dtype=np.float32)
        if z > 0:
            rates[len(SPECIAL_IDS) :] = z / (z + counts)
        return rates

    def to_table(self) -> dict[str, Any]:
        """Return what `from_table` reads."""
        return {
            "words": list(self.words.items),
            "word_counts": list(self.word_counts),
            "chars": list(self.chars.items),
            "input_tags": list(self.input_tags.items),
            "labels": list(self.labels.items),
            "tags": list(self.tags.items),
            "treebanks": list(self.treebanks.items),
            "relations": list(self.relations.items),
            "universal_tags": list(self.universal_tags.items),
        }

    @classmethod
    def from_table(cls, table: dict[str, Any]) -> Vocabularies:
        """Return the vocabularies kept in a table."""
        return cls(
            words=Vocabulary(table["words"], special=True),
            word_counts=tuple(table["word_counts"]),
            chars=Vocabulary(table["chars"], special=True),
            input_tags=Vocabulary(table["input_tags"], special=True),
            labels=Vocabulary(table["labels"], special=False),
            tags=Vocabulary(table["tags"], special=False),
            treebanks=Vocabulary(table["treebanks"], special=False),
            relations=Vocabulary(table.get("relations", []), special=False),
            universal_tags=Vocabulary(table.get("universal_tags", []), special=False),
        )

    def save(self, path: Path) -> None:
        """Write JSON, in ASCII: a word may hold what UTF-8 cannot, such as half a surrogate pair."""
        path.write_text(json.dumps(self.to_table()), encoding="utf-8")

    @classmethod
    def load(cls, path: Path) -> Vocabularies:
        """Read what `save` wrote."""
        try:
            return cls.from_table(json.loads(path.read_text(encoding="utf-8")))
        except OSError as error:
            raise CheckpointError(f"{path}: cannot be read: {error.strerror}") from error
        except (ValueError, KeyError, TypeError) as error:
            raise CheckpointError(f"{path}: not the vocabularies of a checkpoint: {error}") from error


def build_vocabularies(
    sentences: Iterable[LabelledSplits],
    *,
    dependencies: Iterable[KnownDependencies] = (),
    min_word_count: int,
    treebanks: Sequence[str] = (),
) -> Vocabularies:
    """Return the vocabularies of training trees and dependencies, each in order of frequency."""
    words: Counter[str] = Counter()
    chars: Counter[str] = Counter()
    tags: Counter[str] = Counter()
    labels: Counter[str] = Counter()
    relations: Counter[str] = Counter()
    universal_tags: Counter[str] = Counter()
    for known in dependencies:
        relations.update(filter(None, known.relations))
        universal_tags.update(filter(None, known.universal_tags))
    for sentence in sentences:
        words.update(sentence.words)
        tags.update(sentence.tags)
        labels.update(sentence.split_labels)
        labels.update(sentence.word_labels)
    del tags[""]  # unknown
    for word, count in words.items():
        for char in word:
            chars[char] += count
    del labels[EMPTY_LABEL]
    kept = [(word, count) for word, count in _by_frequency(words) if count >= min_word_count]
    tag_items = [tag for tag, _ in _by_frequency(tags)]
    return Vocabularies(
        words=Vocabulary([word for word, _ in kept], special=True),
        word_counts=tuple(count for _, count in kept),
        chars=Vocabulary([char for char, _ in _by_frequency(chars)], special=True),
        input_tags=Vocabulary(tag_items, special=True),
        labels=Vocabulary([EMPTY_LABEL, *(label for label, _ in _by_frequency(labels))], special=False),
        tags=Vocabulary(tag_items, special=False),
        treebanks=Vocabulary(treebanks, special=False),
        relations=Vocabulary([relation for relation, _ in _by_frequency(relations)], special=False),
        universal_tags=Vocabulary([tag for tag, _ in _by_frequency(universal_tags)], special=False),
    )


def _by_frequency(counts: Counter[str]) -> list[tuple[str, int]]:
    """Most frequent first; ties in code-point order, so that the ids depend on the data alone."""
    return sorted(counts.items(), key=lambda item: (-item[1], item[0]))
