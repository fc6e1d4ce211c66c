"""Sentences that models are measured on, to be left out of the unlabelled text wherever they turn up."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from pathlib import Path

from experiments.models.everyday import read_everyday

from spanlin.dependencies.conllu import read_conllu
from spanlin.trees.brackets import read_trees

_SHORTEST = 5  # words; shorter sentences are anybody's


def key_of(tokens: Iterable[str]) -> str:
    """Return what two copies of a sentence have in common."""
    return re.sub(r"[^a-z0-9]", "", "".join(tokens).lower())


def sentences_to_exclude(path: Path) -> Iterator[list[str]]:
    """Yield the words of each sentence of a file: CoNLL-U, bracketed trees, or plain lines."""
    if path.suffix == ".conllu":
        for sentence in read_conllu(path):
            yield list(sentence.forms)
            yield sentence.text.split()  # joined differently where words are contracted
        return
    with path.open(encoding="utf-8") as stream:
        is_trees = stream.read(1) == "("
    if is_trees:
        yield from (list(tree.words) for tree in read_trees(path))
    else:
        yield from (line.split() for line in path.read_text(encoding="utf-8").splitlines())


def excluded_keys(paths: Iterable[Path]) -> set[str]:
    """Return what is known of the sentences that must not be in the text; very short ones are anybody's."""
    found = {key_of(words) for path in paths for words in sentences_to_exclude(path) if len(words) >= _SHORTEST}
    return found | {key_of(sentence.words) for sentence in read_everyday()}
