"""All round trips on every tree of real treebanks, one tree a line: SPANLIN_DATA/TREEBANK/{train,dev,test}.txt."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from spanlin.linearization import (
    delinearize,
    delinearize_right,
    is_legal,
    is_legal_right,
    linearize_tree,
    linearize_tree_right,
)
from spanlin.trees.brackets import read_trees
from spanlin.trees.labelled import labelled_splits, tree_from_splits
from spanlin.trees.transforms import binarize, collapse_unaries, debinarize, expand_unaries
from spanlin.trees.tree import Span, Tree

DATA = os.environ.get("SPANLIN_DATA")
FILES = [path for path in sorted(Path(DATA).glob("*/*.txt")) if path.stem in {"train", "dev", "test"}] if DATA else []

pytestmark = [pytest.mark.treebanks, pytest.mark.skipif(not FILES, reason="SPANLIN_DATA names no folder of treebanks")]


def check_round_trips(tree: Tree) -> None:
    binary = binarize(collapse_unaries(tree))
    assert expand_unaries(debinarize(binary)) == tree
    splits = labelled_splits(tree)
    assert tree_from_splits(splits) == tree

    one_word_spans = {Span(left, left + 1) for left in range(len(tree.leaves))}
    spans = one_word_spans | {Span(left, right) for left, right, _ in binary.constituents()}
    assert len(spans) == 2 * len(one_word_spans) - 1

    left_boundaries = linearize_tree(tree)
    assert left_boundaries == splits.left_boundaries
    assert is_legal(left_boundaries)
    assert delinearize(left_boundaries) == spans

    right_boundaries = linearize_tree_right(tree)
    assert right_boundaries == splits.right_boundaries
    assert is_legal_right(right_boundaries)
    assert delinearize_right(right_boundaries) == spans


@pytest.mark.parametrize("path", FILES, ids=[f"{path.parent.name}-{path.stem}" for path in FILES])
def test_every_tree_of_a_treebank_survives_every_round_trip(path: Path) -> None:
    lines = path.read_bytes().decode().removesuffix("\n").split("\n")
    count = 0
    for count, (line, tree) in enumerate(zip(lines, read_trees(path), strict=True), start=1):
        assert str(tree) == line, f"{path}:{count}"
        try:
            check_round_trips(tree)
        except AssertionError as error:
            raise AssertionError(f"{path}:{count}: {tree}") from error
    assert count == len(lines)
    print(f"{path.parent.name} {path.stem}: {count} trees")  # shown by pytest -s
