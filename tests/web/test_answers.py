"""The npm package answers requests as Python's parser does."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

import pytest
from web.generate.sample_parses import REQUESTS

from node_scripts import run_script
from spanlin import Parser
from spanlin.trees.brackets import read_trees
from varied_sentences import varied_sentences

MODEL = Path(__file__).resolve().parents[2] / "src" / "spanlin" / "models" / "en"
# int8 turns the last bit of a sum, which depends on the processor, into something larger: where two trees are nearly as
# probable as each other, either may come out. In Python a change of one last bit changes 2.5 in 100 trees.
MOST_DIFFERENT = 0.06


def different_trees(sentences: Sequence[Sequence[str]]) -> int:
    """Return how many trees are not Python's."""
    request = {"tokens": [list(words) for words in sentences], "format": "brackets"}
    (answer,) = run_script("answer_requests.mjs", [request], str(MODEL))
    found = [line for result in answer["results"] for line in result["brackets"]]
    wanted = Parser.load(MODEL, threads=1).bracket_lines(sentences)
    return sum(one != other for one, other in zip(found, wanted, strict=True))


def test_errors_are_told_as_the_service_tells_them() -> None:
    (answer,) = run_script("answer_requests.mjs", [{"text": "Dogs bark.", "root_label": "QQ"}], str(MODEL))
    assert answer["error"].startswith("no root label 'QQ': the model knows ")


def test_sample_requests_have_an_answer_each() -> None:
    answers = run_script("answer_requests.mjs", REQUESTS, str(MODEL))
    assert all("results" in answer for answer in answers)


@pytest.mark.slow
def test_trees_are_pythons_but_for_ties() -> None:
    sentences = [words for words in varied_sentences(400) if all(word.isprintable() for word in words)]
    assert different_trees(sentences) <= MOST_DIFFERENT * len(sentences)


@pytest.mark.treebanks
@pytest.mark.skipif("SPANLIN_DATA" not in os.environ, reason="needs SPANLIN_DATA")
def test_trees_of_real_sentences_are_pythons_but_for_ties() -> None:
    data = Path(os.environ["SPANLIN_DATA"])
    names = ("craft", "genia", "gum", "masc")
    sentences = [tree.words for name in names for tree in list(read_trees(data / name / "dev.txt"))[:50]]
    assert different_trees(sentences) <= MOST_DIFFERENT * len(sentences)
