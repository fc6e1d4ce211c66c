from __future__ import annotations

import json
import sys
from xml.etree import ElementTree

import pytest

from spanlin.errors import MissingExtraError, SpanlinError
from spanlin.parsed import Parsed


def cats(**changes: object) -> Parsed:
    given = {
        "words": ("Old", "cats", "sleep"),
        "tags": ("JJ", "NNS", "VBP"),
        "tag_probabilities": (0.5, 0.25, 0.123456789),
        "brackets": "(TOP (S (NP (JJ Old) (NNS cats)) (VP (VBP sleep))))",
        "spans": (("S", 0, 3, 1.0), ("NP", 0, 2, 0.75), ("VP", 2, 3, 0.987654321)),
        "offsets": ((0, 3), (4, 8), (9, 14)),
    }
    return Parsed(**{**given, **changes})  # type: ignore[arg-type]


FIELDS = ("label", "left", "right", "probability", "start", "end", "text")
EMPTY = Parsed(words=(), tags=(), tag_probabilities=(), brackets="", spans=())


def test_json_holds_everything_and_comes_back_from_text() -> None:
    found = cats().to_json()
    assert json.loads(json.dumps(found)) == found
    assert found == {
        "words": ["Old", "cats", "sleep"],
        "tags": ["JJ", "NNS", "VBP"],
        "tag_probabilities": [0.5, 0.25, 0.123457],
        "offsets": [[0, 3], [4, 8], [9, 14]],
        "brackets": "(TOP (S (NP (JJ Old) (NNS cats)) (VP (VBP sleep))))",
        "constituents": [
            dict(zip(FIELDS, ("S", 0, 3, 1.0, 0, 14, "Old cats sleep"), strict=True)),
            dict(zip(FIELDS, ("NP", 0, 2, 0.75, 0, 8, "Old cats"), strict=True)),
            dict(zip(FIELDS, ("VP", 2, 3, 0.987654, 9, 14, "sleep"), strict=True)),
        ],
    }


def test_json_of_given_words_has_no_offsets() -> None:
    found = cats(offsets=None).to_json()
    assert found["offsets"] is None
    assert {(one["start"], one["end"]) for one in found["constituents"]} == {(-1, -1)}


def test_json_of_a_sentence_without_words_is_empty_lists() -> None:
    assert EMPTY.to_json() == {
        "words": [],
        "tags": [],
        "tag_probabilities": [],
        "offsets": None,
        "brackets": "",
        "constituents": [],
    }


def test_drawings_are_those_of_the_tree() -> None:
    assert cats().pretty().split("\n") == ["TOP─S┬─NP┬─JJ  Old", "     │   └─NNS  cats", "     └─VP─VBP  sleep"]
    assert cats().latex().startswith("\\begin{forest}\n[{TOP} [{S}\n")
    assert "\\Tree [.{TOP} [.{S}\n" in cats().latex(style="tikz-qtree")
    assert cats().columns().split("\n")[1] == "cats\tNNS\t*)"


def test_the_svg_tells_probabilities() -> None:
    titles = [element.text for element in ElementTree.fromstring(cats().svg()).iter() if element.tag.endswith("title")]
    assert titles[1:] == [
        "TOP · Old cats sleep",
        "S · Old cats sleep · 100.0%",
        "NP · Old cats · 75.0%",
        "VP · sleep · 98.8%",
    ]


@pytest.mark.parametrize("method", ["pretty", "svg", "latex", "columns"])
def test_a_sentence_without_words_cannot_be_drawn(method: str) -> None:
    with pytest.raises(SpanlinError, match="a sentence without words has no tree"):
        getattr(EMPTY, method)()


def test_nltk_gets_the_same_tree() -> None:
    nltk_tree = pytest.importorskip("nltk.tree")
    parsed = cats(brackets="(TOP (S (NP (JJ Old) (NNS -LRB-)) (VP (VBP sleep))))")
    found = parsed.to_nltk()
    assert isinstance(found, nltk_tree.Tree)
    assert found.leaves() == ["Old", "(", "sleep"]
    assert found.pos() == [("Old", "JJ"), ("(", "NNS"), ("sleep", "VBP")]
    assert [tree.label() for tree in found.subtrees()] == ["TOP", "S", "NP", "JJ", "NNS", "VP", "VBP"]


def test_nltk_gets_trees_of_any_depth() -> None:
    pytest.importorskip("nltk.tree")
    found = cats(brackets="(A " * 5000 + "(X x)" + ")" * 5000).to_nltk()
    for _ in range(5000):
        assert found.label() == "A"
        (found,) = found
    assert (found.label(), list(found)) == ("X", ["x"])


def test_without_nltk_the_error_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "nltk", None)
    monkeypatch.setitem(sys.modules, "nltk.tree", None)
    with pytest.raises(MissingExtraError, match="trees of NLTK's kind need NLTK: pip install nltk"):
        cats().to_nltk()
