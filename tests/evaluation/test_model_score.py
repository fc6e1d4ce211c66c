"""The score of parses, whoever made them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from spanlin.errors import EvaluationError, TreeError, TreeSyntaxError
from spanlin.evaluation.model_score import ModelScore, SentenceParse, check_output, read_gold, score_model
from spanlin.trees.brackets import parse_tree, read_trees
from spanlin.trees.labelled import labelled_splits
from spanlin.trees.tree import Tree

GOLD = [
    parse_tree("(TOP (S (NP (DT the) (NN dog)) (VP (VBZ barks)) (. .)))"),
    parse_tree("(S (NP (PRP she)) (VP (VBZ reads)))"),
]
# The first without its root, which networks never see, and with another tag.
FOUND = [parse_tree("(S (NP (DT the) (NN dog)) (VP (VBZ barks)) (NN .))"), GOLD[1]]
ABOUT: dict[str, Any] = {"model": "m", "decoder": "argmin", "device": "cpu", "precision": "int8", "seconds": 0.5}


def parses(trees: list[Tree], *, tagged: bool = True, legal: bool | None = None) -> list[SentenceParse]:
    return [SentenceParse(labelled_splits(tree), tree.tags if tagged else None, legal) for tree in trees]


def test_tags_of_the_file_can_neither_help_nor_harm() -> None:
    score = score_model(GOLD, parses(FOUND), **ABOUT)
    assert (score.score.f1, score.score.tagging_accuracy) == (100.0, 100.0)
    # One of the model's own tags is wrong: the full stop is not left out, and EVALB sees other words.
    own = score_model(GOLD, parses(FOUND), tags="predicted", **ABOUT)
    assert (score.score.problems, own.score.problems) == ([], [(1, "Length unmatch (3|4)")])
    for found in (score, own):
        assert (found.correct_tags, found.word_count) == (5, 6)
        assert found.tagging_accuracy == 100 * 5 / 6


def test_trees_get_the_root_of_their_gold_tree_and_the_models_tags(tmp_path: Path) -> None:
    output = tmp_path / "trees.txt"
    score = score_model(GOLD, parses(FOUND), output=output, **ABOUT)
    assert list(read_trees(output)) == list(score.trees)
    assert [str(tree) for tree in score.trees] == [f"(TOP {FOUND[0]})", str(GOLD[1])]


def test_figures_that_are_not_known_are_null_and_not_available() -> None:
    bare = score_model(GOLD, parses(FOUND, tagged=False), **ABOUT)
    about = json.loads(bare.to_json())["model"]
    assert (about["correct_tags"], about["tagging_accuracy"], about["legal"]) == (None, None, None)
    assert bare.model_to_text().splitlines() == [
        "Model                         m",
        "decoder                       argmin",
        "tagging accuracy, all words   n/a (no tag head)",
        "legal greedy sequences        n/a (not greedy)",
        "sentences/s                   4 (cpu, int8)",
    ]


def test_legal_sequences_are_counted_for_a_greedy_decoder() -> None:
    mixed = [*parses(FOUND[:1], legal=True), *parses(FOUND[1:], legal=False)]
    score: ModelScore = score_model(GOLD, mixed, **ABOUT)
    assert score.legal == 1
    assert "legal greedy sequences        1 of 2" in score.to_text()
    assert score.sentences_per_second == 4.0


def test_gold_trees_that_are_malformed_are_named_and_none_at_all_is_an_error(tmp_path: Path) -> None:
    path = tmp_path / "gold.txt"
    path.write_text(f"{GOLD[0]}\n(S (NP\n{GOLD[1]}\n")
    bad: list[TreeSyntaxError] = []
    assert read_gold(path, on_bad=bad.append) == GOLD
    assert [error.line for error in bad] == [2]
    path.write_text("\n")
    with pytest.raises(EvaluationError, match=r"gold\.txt: no trees to score against$"):
        read_gold(path)


def test_an_output_that_cannot_be_written_is_a_one_line_error(tmp_path: Path) -> None:
    check_output(None)
    check_output(tmp_path / "new.txt")
    with pytest.raises(EvaluationError, match=r"new\.txt: its folder does not exist: create it first$"):
        check_output(tmp_path / "nowhere" / "new.txt")
    with pytest.raises(TreeError, match=f"^{tmp_path}: cannot be written: Is a directory$"):
        score_model(GOLD, parses(FOUND), output=tmp_path, **ABOUT)
