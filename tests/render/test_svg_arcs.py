from __future__ import annotations

import itertools
import re
from collections.abc import Iterator
from xml.etree import ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dependency_trees import head_trees
from spanlin.dependencies import Dependencies
from spanlin.errors import DependencyError
from spanlin.render.characters import visible
from spanlin.render.svg_arcs import arc_levels, svg_arcs
from spanlin.render.svg_text import GAP, text_width

SVG = "{http://www.w3.org/2000/svg}"
WORDS = ("She", "loves", "writing", "code", ".")
TREE = Dependencies((2, 0, 2, 3, 2), ("nsubj", "root", "xcomp", "obj", "punct"))
LINE = re.compile(r"M(\S+) (\S+)V(\S+?)a6 6 0 0 [01] -?6 -6H(\S+?)a6 6 0 0 [01] (-?)6 6V(\S+)")


def tree(*heads: int) -> Dependencies:
    return Dependencies(heads, tuple("dep" if head else "root" for head in heads))


def lines(svg: str) -> Iterator[tuple[int, int, float, float, float]]:
    """For each arc but the root's: word, head, the two ends, and how high it goes."""
    for group in ElementTree.fromstring(svg).iter(f"{SVG}g"):
        match = LINE.fullmatch(group.find(f"{SVG}path").attrib["d"])  # type: ignore[union-attr]
        if match:
            end = float(match[4]) + (-6 if match[5] else 6)
            yield int(group.attrib["data-word"]), int(group.attrib["data-head"]), float(match[1]), end, float(match[3])


@given(head_trees(), st.data())
def test_any_words_are_well_formed_xml_with_each_relation_word_and_tag(
    heads: tuple[int, ...], data: st.DataObject
) -> None:
    texts = st.lists(st.text(max_size=5), min_size=len(heads), max_size=len(heads))
    words, tags, relations = (data.draw(texts) for _ in range(3))
    svg = svg_arcs(words, Dependencies(heads, tuple(relations)), tags=tags)
    found = list(ElementTree.fromstring(svg).iter(f"{SVG}text"))
    for kind, column in (("word", words), ("tag", tags), ("relation", relations)):
        assert [one.text or "" for one in found if one.attrib["class"] == kind] == [visible(text) for text in column]
    assert "\n" not in svg
    svg.encode()


@given(head_trees())
def test_arcs_over_the_same_words_have_heights_of_their_own(heads: tuple[int, ...]) -> None:
    levels = arc_levels(heads)
    arcs = [(min(word, head), max(word, head), levels[word - 1]) for word, head in enumerate(heads, start=1) if head]
    for (left, right, level), (other_left, other_right, other) in itertools.combinations(arcs, 2):
        if max(left, other_left) < min(right, other_right):
            assert level != other
            if left <= other_left and other_right <= right:
                assert level > other
    assert all(level > 0 for level in levels)
    assert levels[heads.index(0)] == max(levels)


@given(head_trees().filter(lambda heads: tree(*heads).is_projective))
def test_no_line_crosses_another_where_no_arcs_do(heads: tuple[int, ...]) -> None:
    found = list(lines(svg_arcs(["word"] * len(heads), tree(*heads))))
    assert len(found) == len(heads) - 1
    for (_, _, *ends, top), (_, _, *other_ends, other_top) in itertools.permutations(found, 2):
        for x in other_ends:  # a vertical line, from the words up to its own arc
            is_under = min(ends) < x < max(ends)
            assert not is_under or other_top > top  # further down
    places = [x for _, _, *ends, _ in found for x in ends]
    assert len(set(places)) == len(places)


@given(head_trees())
def test_arcs_go_from_heads_to_words_and_have_room_for_their_relations(heads: tuple[int, ...]) -> None:
    relations = tuple("a-long-relation" if head else "root" for head in heads)
    svg = svg_arcs(["i"] * len(heads), Dependencies(heads, relations))
    root = ElementTree.fromstring(svg)
    middles = [float(one.attrib["x"]) for one in root.iter(f"{SVG}text") if one.attrib["class"] == "word"]
    assert middles == sorted(middles)
    assert all(0 < x < float(root.attrib["width"]) for x in middles)
    touched = []
    for word, head, start, end, _ in lines(svg):
        assert heads[word - 1] == head
        assert abs(start - end) > text_width("a-long-relation") - GAP
        touched += [(start, head), (end, word)]
    # From left to right, each word has its ends together, in its middle.
    places = [word for _, word in sorted(touched)]
    assert places == sorted(places)
    for word, middle in enumerate(middles, start=1):
        own = [x for x, touched_word in touched if touched_word == word]
        assert not own or min(own) - 7.5 <= middle <= max(own) + 7.5


def test_arcs_tell_words_and_probabilities_and_doubt_is_coloured() -> None:
    root = ElementTree.fromstring(svg_arcs(WORDS, TREE, probabilities=(1.0, 1.0, 0.75, 0.0, 0.995)))
    assert [element.text for element in root.iter(f"{SVG}title")] == [
        "Dependencies of: She loves writing code .",
        "nsubj · She ← loves · 100.0%",
        "root · loves · 100.0%",
        "xcomp · writing ← loves · 75.0%",
        "obj · code ← writing · 0.0%",
        "punct · . ← loves · 99.5%",
    ]
    assert [element.attrib["fill-opacity"] for element in root.iter(f"{SVG}rect")] == ["0.4", "0.8"]


def test_the_picture_is_accessible_takes_the_colour_around_it_and_asks_for_nothing() -> None:
    svg = svg_arcs(WORDS, TREE, tags=["X"] * 5)
    root = ElementTree.fromstring(svg)
    assert root.attrib["role"] == "img"
    assert root.attrib["fill"] == "currentColor"
    assert svg.count("http") == 1  # the name space
    assert not any(word in svg for word in ("href", "url(", "<script", "<style", "<image", "@import"))


@pytest.mark.parametrize(
    ("probabilities", "message"),
    [
        ((1.0,) * 4, "give as many probabilities as there are heads"),
        ((1.0, 1.5, 1.0, 1.0, 1.0), "the arc of word 2 has probability 1.5: give numbers from 0 to 1"),
        ((1.0, float("nan"), 1.0, 1.0, 1.0), "the arc of word 2 has probability nan: give numbers from 0 to 1"),
    ],
)
def test_probabilities_are_one_an_arc_from_0_to_1(probabilities: tuple[float, ...], message: str) -> None:
    with pytest.raises(DependencyError, match=f"^{message}$"):
        svg_arcs(WORDS, TREE, probabilities=probabilities)


def test_a_sentence_of_any_length_is_drawn() -> None:
    assert svg_arcs(["w"] * 3000, tree(*range(3000))).count('class="arc"') == 3000
