from __future__ import annotations

import json
from pathlib import Path

import pytest
from experiments.models.everyday import SHARES, Everyday, parse_everyday, read_everyday, shares

from spanlin import Parser, parse_tree


def sentence(*wanted: str) -> Everyday:
    return Everyday(kind="any", words=("Go", "home", "!"), wanted=wanted)


@pytest.mark.parametrize(
    ("wanted", "is_right"),
    [
        ("VP Go home", True),
        ("VP Go home [!]", True),
        ("S Go home [!]", True),
        ("S Go home", False),
        ("NP Go home / NP home", True),
        ("NP Go / NP Go home", False),
        ("not NP home", False),
        ("not NP Go", True),
        ("plain", True),
        ("not PP+PP", True),
    ],
)
def test_a_tree_is_right_if_it_has_what_is_wanted(wanted: str, is_right: bool) -> None:
    tree = parse_tree("(S (VP (VB Go) (NP (NN home))) (. !))")
    assert sentence(wanted).is_right(tree) is is_right


def test_every_line_must_hold() -> None:
    tree = parse_tree("(S (VP (VB Go) (NP (NN home))) (. !))")
    assert not sentence("VP Go home", "S Go home").is_right(tree)


def test_labels_of_one_treebank_are_not_plain() -> None:
    assert not sentence("plain").is_right(parse_tree("(HEADING (VB Go) (NP (NN home)) (. !))"))


def test_a_phrase_of_nothing_but_prepositional_phrases_is_a_chain() -> None:
    chain = parse_tree("(S (PP (PP (VB Go)) (PP (NN home))) (. !))")
    assert not sentence("not PP+PP").is_right(chain)


def test_words_that_the_sentence_does_not_have_are_an_error() -> None:
    with pytest.raises(ValueError, match="does not have the words of 'NP away'"):
        sentence("NP away").is_right(parse_tree("(S (VB Go) (NN home) (. !))"))


def test_the_file_asks_something_of_every_sentence(tmp_path: Path) -> None:
    path = tmp_path / "sentences.txt"
    path.write_text("# how\n\n== short\nGo !\n  VP Go\n== long\nGo home !\n  VP Go home\n  plain\n", encoding="utf-8")
    assert read_everyday(path) == [
        Everyday(kind="short", words=("Go", "!"), wanted=("VP Go",)),
        Everyday(kind="long", words=("Go", "home", "!"), wanted=("VP Go home", "plain")),
    ]
    assert all(one.kind and one.wanted for one in read_everyday())


def test_no_kind_of_everyday_sentence_gets_worse() -> None:
    before = json.loads(SHARES.read_text(encoding="utf-8"))
    sentences = read_everyday()
    found = shares(sentences, parse_everyday(Parser.load(before["model"]), sentences))
    assert found.keys() == before["kinds"].keys()
    for kind, count in before["kinds"].items():
        assert found[kind]["sentences"] == count["sentences"], f"{kind}: python -m experiments.models.everyday --json"
        assert found[kind]["right"] >= count["right"], kind
