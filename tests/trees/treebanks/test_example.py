from __future__ import annotations

from pathlib import Path

from spanlin.trees.brackets import read_trees
from spanlin.trees.treebanks import find_example, prepare_treebank
from spanlin.trees.treebanks.example import generate_trees


def test_the_example_is_the_same_every_time_and_has_all_splits(tmp_path: Path) -> None:
    first = prepare_treebank(find_example(), tmp_path / "first")
    second = prepare_treebank(find_example(), tmp_path / "second")
    assert {split.name: split.sentences for split in first.splits} == {"train": 400, "dev": 60, "test": 60}
    assert first.splits == second.splits
    assert not first.warnings()


def test_sentences_begin_with_a_capital_letter_and_differ_from_split_to_split(tmp_path: Path) -> None:
    prepare_treebank(find_example(), tmp_path)
    trees = {split: list(read_trees(tmp_path / f"{split}.txt")) for split in ("train", "dev", "test")}
    assert all(tree.words[0][0].isupper() for split in trees.values() for tree in split)
    known = {tree.words for tree in trees["train"]}
    for split in ("dev", "test"):
        assert sum(tree.words in known for tree in trees[split]) < 10
        assert len({tree.words for tree in trees[split]}) > 50


def test_a_seed_gives_its_trees() -> None:
    assert generate_trees(5, seed=3) == generate_trees(5, seed=3)
    assert generate_trees(5, seed=3) != generate_trees(5, seed=4)
