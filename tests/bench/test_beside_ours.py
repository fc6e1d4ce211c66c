from __future__ import annotations

from pathlib import Path

import pytest
import torch
from bench.peers.beside_ours import Parse, our_conllu, rates_in_turn

from generated_treebank import generate_trees
from small_runs import random_dependencies, splits_of, untrained_model
from spanlin.dependencies import parse_conllu
from spanlin.errors import DependencyError
from spanlin.model_folder.lookup import find_model
from spanlin.training.checkpoint import CHECKPOINT, save_model, write_folder
from trees_alone import trees_alone

SENTENCES = [["Dogs", "bark"], ["Yes"]]


def test_parsers_take_turns_and_the_first_pass_does_not_count() -> None:
    calls: list[str] = []
    now = 0.0

    def taking(name: str, *seconds: float) -> Parse:
        left = iter(seconds)

        def parse(sentences: list[list[str]]) -> list[list[str]]:
            nonlocal now
            calls.append(name)
            now += next(left)
            return sentences

        return parse

    parsers = {"peer": taking("peer", 0.1, 4.0, 2.0), "ours": taking("ours", 9.0, 1.0, 3.0)}
    found = rates_in_turn(SENTENCES, parsers, clock=lambda: now, repeats=2)
    assert found == pytest.approx({"peer": 1.0, "ours": 2.0})
    assert calls == ["peer", "ours"] * 3


def test_a_missing_parse_is_an_error() -> None:
    with pytest.raises(ValueError, match="peer: 2 sentences gave 1 parses"):
        rates_in_turn(SENTENCES, {"peer": lambda sentences: sentences[:1]}, clock=lambda: 0.0, repeats=1)


def test_a_folder_without_dependencies_is_refused(tmp_path: Path) -> None:
    with pytest.raises(DependencyError):
        our_conllu(trees_alone(find_model("en"), tmp_path / "en"), threads=1)


def test_ours_goes_from_words_to_conllu(tmp_path: Path) -> None:
    torch.manual_seed(4)
    trees = generate_trees(10, seed=8)
    model = untrained_model(trees, random_dependencies(splits_of(trees), seed=9))
    write_folder(tmp_path / "best", lambda new: save_model(new, model), CHECKPOINT)
    sentences = [list(tree.words) for tree in trees]
    found = [list(parse_conllu(str(text))) for text in our_conllu(tmp_path / "best", threads=1)(sentences)]
    assert [[list(sentence.forms) for sentence in parsed] for parsed in found] == [[words] for words in sentences]
