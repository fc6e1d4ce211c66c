from __future__ import annotations

import json
import pickle
import sys
from dataclasses import replace
from xml.etree import ElementTree

import numpy as np
import pytest

from spanlin.errors import DependencyError, MissingExtraError, SpanlinError
from spanlin.parsed import Parsed
from spanlin.parsed_dependencies import ParsedDependencies
from spanlin.text import Sentence

OLD_CATS = Sentence(("Old", "cats", "sleep"), (0, 4, 9), (3, 8, 14), "Old cats\nsleep")


CATS_HEADS = ParsedDependencies(
    heads=(2, 3, 0),
    relations=("amod", "nsubj", "root"),
    universal_tags=("ADJ", "NOUN", "VERB"),
    arc_probabilities=(0.5, 0.987654321, 1.0),
    certified=True,
)


def cats(**changes: object) -> Parsed:
    given = {
        "words": ("Old", "cats", "sleep"),
        "tags": ("JJ", "NNS", "VBP"),
        "tag_probabilities": (0.5, 0.25, 0.123456789),
        "brackets": "(TOP (S (NP (JJ Old) (NNS cats)) (VP (VBP sleep))))",
        "spans": (("S", 0, 3, 1.0), ("NP", 0, 2, 0.75), ("VP", 2, 3, 0.987654321)),
        "sentence": OLD_CATS,
        "certified": True,
        "calibrated": True,
        "left_boundaries": (0, 0, 0),
    }
    return Parsed(**{**given, **changes})  # type: ignore[arg-type]


FIELDS = ("label", "left", "right", "probability", "start", "end", "text")
EMPTY = Parsed(words=(), tags=(), tag_probabilities=(), brackets="", spans=())


def test_json_holds_everything_and_comes_back_from_text() -> None:
    found = cats().to_json()
    assert json.loads(json.dumps(found)) == found
    assert found == {
        "text": "Old cats\nsleep",
        "words": ["Old", "cats", "sleep"],
        "tags": ["JJ", "NNS", "VBP"],
        "tag_probabilities": [0.5, 0.25, 0.123457],
        "offsets": [[0, 3], [4, 8], [9, 14]],
        "brackets": "(TOP (S (NP (JJ Old) (NNS cats)) (VP (VBP sleep))))",
        "constituents": [
            dict(zip(FIELDS, ("S", 0, 3, 1.0, 0, 14, "Old cats\nsleep"), strict=True)),
            dict(zip(FIELDS, ("NP", 0, 2, 0.75, 0, 8, "Old cats"), strict=True)),
            dict(zip(FIELDS, ("VP", 2, 3, 0.987654, 9, 14, "sleep"), strict=True)),
        ],
        "calibrated": True,
        "decoder": "argmin",
        "certified": True,
        "left_boundaries": [0, 0, 0],
        "right_boundaries": None,
    }


def test_json_has_what_was_asked_for() -> None:
    scores = np.array([[0.0, -np.inf], [-0.5, -2.0]])
    marginals = np.array([[0, 1, 1, 0.9], [0, 0, 1, 0.0004], [0, 0, 0, 1], [0, 0, 0, 0]])
    found = cats(
        probability=0.87654321,
        log_probability=-0.123456789,
        splits=((0, 2), (0, 3)),
        left_boundary_log_probs=scores,
        right_boundary_log_probs=scores.T,
        marginals=marginals,
        alternatives=(cats(log_probability=-1.0, certified=False),),
    ).to_json()
    assert json.loads(json.dumps(found, allow_nan=False)) == found
    assert (found["probability"], found["log_probability"]) == (0.876543, -0.123457)
    assert found["left_log_probs"] == [[0.0, None], [-0.5, -2.0]]
    assert found["right_log_probs"] == [[0.0, -0.5], [None, -2.0]]
    assert found["splits"] == [[0, 2], [0, 3]]
    assert found["marginals"] == [[0, 1, 1.0], [0, 2, 1.0], [0, 3, 0.9], [1, 2, 1.0], [2, 3, 1.0]]
    (other,) = found["alternatives"]
    assert (other["log_probability"], other["certified"]) == (-1.0, False)
    assert not {"alternatives", "marginals", "splits", "left_log_probs", "right_log_probs"} & other.keys()


def everything() -> Parsed:
    scores = np.array([[0.0, -np.inf, -np.inf], [-0.5, -2.0, -np.inf], [-1.0, -1.0, -1.5]])
    return cats(
        probability=0.5,
        log_probability=-0.25,
        splits=((0, 2), (0, 3)),
        left_boundary_log_probs=scores,
        right_boundary_log_probs=scores.T,
        marginals=np.array([[0, 1, 1, 0.5], [0, 0, 1, 0], [0, 0, 0, 1], [0, 0, 0, 0]]),
        right_boundaries=(2, 3, 3),
        alternatives=(cats(log_probability=-1.0, certified=False),),
    )


def test_json_has_dependencies_where_the_parser_has() -> None:
    found = cats(dependencies=CATS_HEADS).to_json()
    assert {key: value for key, value in found.items() if key not in cats().to_json()} == {
        "heads": [2, 3, 0],
        "relations": ["amod", "nsubj", "root"],
        "universal_tags": ["ADJ", "NOUN", "VERB"],
        "arc_probabilities": [0.5, 0.987654, 1.0],
        "dependencies_certified": True,
        "dependencies_calibrated": False,
    }


def test_dependencies_are_none_or_all_there() -> None:
    names = ("heads", "relations", "universal_tags", "arc_probabilities")
    assert [getattr(cats(), name) for name in names] == [None] * 4
    parsed = cats(dependencies=CATS_HEADS)
    assert [getattr(parsed, name) for name in names] == [getattr(CATS_HEADS, name) for name in names]


@pytest.mark.parametrize("parsed", [cats(), cats(sentence=None), cats(dependencies=CATS_HEADS), EMPTY, everything()])
def test_a_parse_comes_back_from_json(parsed: Parsed) -> None:
    again = Parsed.from_json(json.loads(json.dumps(parsed.to_json())))
    assert again == parsed
    assert (again.calibrated, again.certified) == (parsed.calibrated, parsed.certified)
    assert again.to_json() == parsed.to_json() == Parsed.from_json(parsed.to_json_line()).to_json()
    assert (again.dependencies is None) == (parsed.dependencies is None)
    assert (again.alternatives, again.splits) == (parsed.alternatives, parsed.splits)
    assert (again.left_boundaries, again.right_boundaries) == (parsed.left_boundaries, parsed.right_boundaries)
    for name in ("left_boundary_log_probs", "right_boundary_log_probs", "marginals"):
        assert np.array_equal(getattr(again, name), getattr(parsed, name))


@pytest.mark.parametrize(
    "wrong",
    [
        {},
        None,
        {**cats().to_json(), "constituents": 3},
        {**cats().to_json(), "offsets": [[1]]},
        {**everything().to_json(), "left_log_probs": [[1], [2], [3]]},
        {**everything().to_json(), "marginals": [[7, 9, 1.0]]},
        {**everything().to_json(), "alternatives": [{}]},
        {**cats().to_json(), "heads": [2, 3, 0]},
        {**cats(dependencies=CATS_HEADS).to_json(), "heads": [2, 1, 0]},
    ],
)
def test_json_of_something_else_is_a_one_line_error(wrong: dict[str, object]) -> None:
    with pytest.raises(SpanlinError, match=r"^not a sentence as Parsed\.to_json gives it: .{1,80}$"):
        Parsed.from_json(wrong)


def test_a_line_that_is_no_json_is_a_one_line_error() -> None:
    with pytest.raises(SpanlinError, match=r"^not a sentence as Parsed\.to_json_line gives it: .{1,80}$"):
        Parsed.from_json("(S (A a))")


def test_alternatives_stand_where_the_first_tree_does() -> None:
    parsed = cats(alternatives=(cats(sentence=None),))
    assert parsed.alternatives[0].offsets == parsed.offsets == ((0, 3), (4, 8), (9, 14))
    parsed.sentence = replace(OLD_CATS, starts=(1, 5, 10), ends=(4, 9, 15))
    assert parsed.alternatives[0].offsets == parsed.offsets == ((1, 4), (5, 9), (10, 15))


def test_json_of_given_words_has_no_offsets() -> None:
    found = cats(sentence=None).to_json()
    assert found["offsets"] is None
    assert [found["text"], found["constituents"][0]["text"]] == ["Old cats sleep"] * 2
    assert {(one["start"], one["end"]) for one in found["constituents"]} == {(-1, -1)}


def test_json_of_a_sentence_without_words_is_empty_lists() -> None:
    assert EMPTY.to_json() == {
        "text": "",
        "words": [],
        "tags": [],
        "tag_probabilities": [],
        "offsets": None,
        "brackets": "",
        "constituents": [],
        "calibrated": False,
        "decoder": "argmin",
        "certified": False,
        "left_boundaries": None,
        "right_boundaries": None,
    }


def test_parses_of_the_same_words_at_the_same_place_with_the_same_tree_are_equal() -> None:
    surer = cats(tag_probabilities=(1.0, 1.0, 1.0), decoder="cky", marginals=np.zeros((4, 4)))
    assert cats() == surer
    assert len({cats(), surer, pickle.loads(pickle.dumps(surer))}) == 1
    others = [
        cats(words=("Old", "dogs", "sleep")),
        cats(brackets="(TOP (S (NP (JJ Old) (NNP cats)) (VP (VBP sleep))))"),
        cats(sentence=None),
        cats(sentence=replace(OLD_CATS, starts=(1, 5, 10), ends=(4, 9, 15))),
        cats(sentence=replace(OLD_CATS, text="Old cats sleep")),
    ]
    for other in others:
        assert cats() != other
    with_heads = cats(dependencies=CATS_HEADS)
    assert with_heads == cats(dependencies=replace(CATS_HEADS, arc_probabilities=(1.0,) * 3, certified=False))
    assert with_heads != cats()
    assert with_heads != cats(dependencies=replace(CATS_HEADS, relations=("dep", "nsubj", "root")))
    assert pickle.loads(pickle.dumps(with_heads)).heads == (2, 3, 0)
    assert cats() != cats().brackets()
    assert Parsed(words=(), tags=(), tag_probabilities=(), brackets="", spans=()) == EMPTY


def test_a_parse_is_written_as_its_tree() -> None:
    assert str(cats()) == cats().brackets() == "(TOP (S (NP (JJ Old) (NNS cats)) (VP (VBP sleep))))"
    assert repr(cats()) == f"<Parsed {cats()}>"


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


def test_arcs_are_drawn_with_universal_tags_and_probabilities() -> None:
    parsed = cats(dependencies=CATS_HEADS)
    assert parsed.pretty_arcs().split("\n") == [
        "  ┌► Old    ADJ   amod",
        "┌►┴─ cats   NOUN  nsubj",
        "└─── sleep  VERB  root",
    ]
    root = ElementTree.fromstring(parsed.svg_arcs())
    titles = [element.text for element in root.iter() if element.tag.endswith("title")]
    assert titles[1:] == ["amod · Old ← cats · 50.0%", "nsubj · cats ← sleep · 98.8%", "root · sleep · 100.0%"]
    for draw in (cats().pretty_arcs, cats().svg_arcs):
        with pytest.raises(DependencyError, match=r"^this parse has no dependencies"):
            draw()


@pytest.mark.parametrize("method", ["pretty", "svg", "latex", "columns"])
def test_a_sentence_without_words_cannot_be_drawn(method: str) -> None:
    with pytest.raises(SpanlinError, match="a sentence without words has no tree"):
        getattr(EMPTY, method)()


def test_a_notebook_shows_the_drawing_with_its_probabilities() -> None:
    assert cats()._repr_svg_() == cats().svg()
    assert cats()._repr_html_() == f'<div style="overflow-x: auto">{cats().svg()}</div>'
    assert EMPTY._repr_svg_() is EMPTY._repr_html_() is None


def test_nltk_gets_the_same_tree() -> None:
    nltk_tree = pytest.importorskip("nltk.tree")
    parsed = cats(brackets="(TOP (S (NP (JJ Old) (NNS -LRB-)) (VP (VBP sleep))))")
    found = parsed.to_nltk()
    assert isinstance(found, nltk_tree.Tree)
    assert found.leaves() == ["Old", "(", "sleep"]
    assert found.pos() == [("Old", "JJ"), ("(", "NNS"), ("sleep", "VBP")]
    assert [tree.label() for tree in found.subtrees()] == ["TOP", "S", "NP", "JJ", "NNS", "VP", "VBP"]


def test_nltk_gets_the_same_dependencies() -> None:
    pytest.importorskip("nltk.parse.dependencygraph")
    found = cats(dependencies=CATS_HEADS).to_nltk_dependencies()
    assert str(found.tree()) == "(sleep (cats Old))"
    assert list(found.triples()) == [
        (("sleep", "VERB"), "nsubj", ("cats", "NOUN")),
        (("cats", "NOUN"), "amod", ("Old", "ADJ")),
    ]
    assert not found.contains_cycle()
    assert found.to_conll(10).splitlines()[0] == "1\tOld\t_\tADJ\tJJ\t_\t2\tamod\t_\t_"
    with pytest.raises(DependencyError, match=r"^this parse has no dependencies"):
        cats().to_nltk_dependencies()


def test_without_nltk_there_are_no_dependencies_of_its_kind(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "nltk.parse.dependencygraph", None)
    with pytest.raises(MissingExtraError, match="trees of NLTK's kind need NLTK: pip install nltk"):
        cats(dependencies=CATS_HEADS).to_nltk_dependencies()
