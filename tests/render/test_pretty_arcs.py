from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dependency_trees import head_trees
from spanlin.dependencies import Dependencies
from spanlin.errors import DependencyError
from spanlin.render.characters import display_width
from spanlin.render.pretty_arcs import pretty_arcs

UPWARDS, DOWNWARDS = "└├┴┼│", "┌├┬┼│"


def tree(*heads: int) -> Dependencies:
    return Dependencies(heads, tuple("dep" if head else "root" for head in heads))


def read_heads(drawn: str) -> tuple[int, ...]:
    """The heads as an eye finds them: from an arrow along its vertical line to the joint without one."""
    lines = [line.rpartition(" w")[0] for line in drawn.split("\n")]
    found = []
    for row, line in enumerate(lines):
        place = line.find("►") - 1
        if place < 0:
            found.append(0)
            continue
        ends = []
        for step, signs in ((-1, UPWARDS), (1, DOWNWARDS)):
            at = row
            while lines[at][place] in signs:
                at += step
                if lines[at][place] != "│" and lines[at][place + 1] == "─":
                    ends.append(at + 1)
        (head,) = ends
        found.append(head)
    return tuple(found)


@given(head_trees())
def test_heads_can_be_read_off_the_drawing_of_any_tree(heads: tuple[int, ...]) -> None:
    words = [f"w{number}" for number in range(len(heads))]
    assert read_heads(pretty_arcs(words, tree(*heads))) == heads


@given(head_trees().filter(lambda heads: tree(*heads).is_projective))
def test_no_line_passes_another_where_no_arcs_cross(heads: tuple[int, ...]) -> None:
    drawn = pretty_arcs(["w"] * len(heads), tree(*heads))
    assert "│─" not in drawn


@given(head_trees(), st.data())
def test_words_tags_and_relations_stand_in_columns(heads: tuple[int, ...], data: st.DataObject) -> None:
    texts = st.lists(st.text(max_size=5), min_size=len(heads), max_size=len(heads))
    words, tags = data.draw(texts), data.draw(texts)
    lines = pretty_arcs(words, tree(*heads), tags=tags).split("\n")
    assert len(lines) == len(heads)
    ends = {line.rpartition("  ")[2] for line in lines}
    assert ends <= {"dep", "root"}
    assert len({display_width(line.rpartition("  ")[0]) for line in lines}) == 1


def test_arcs_that_cross_pass_under_each_other() -> None:
    assert pretty_arcs("abcd", tree(3, 0, 2, 2)).split("\n") == [
        "  ┌► a  dep",
        "┌─│─ b  root",
        "├►┴─ c  dep",
        "└►── d  dep",
    ]


def test_a_single_word_has_no_arcs() -> None:
    assert pretty_arcs(["Yes"], tree(0)) == "Yes  root"


def test_a_sentence_of_any_length_is_drawn() -> None:
    chain = pretty_arcs(["w"] * 1500, tree(*range(1500)))
    assert len(chain.split("\n")) == 1500


@pytest.mark.parametrize(
    ("words", "heads", "message"),
    [
        ("ab", (2, 1), "only a dependency tree with one root can be drawn: word 1 is its own ancestor"),
        ("ab", (0, 0), "only a dependency tree with one root can be drawn: words 1 and 2 are both roots"),
        ("", (), "only a dependency tree with one root can be drawn: no word is the root"),
        ("abc", (0, 1), "give as many words, and tags, as there are heads"),
    ],
)
def test_what_is_no_tree_cannot_be_drawn(words: str, heads: tuple[int, ...], message: str) -> None:
    with pytest.raises(DependencyError, match=f"^{message}$"):
        pretty_arcs(words, tree(*heads))
