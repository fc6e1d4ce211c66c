from __future__ import annotations

import itertools

from hypothesis import given
from hypothesis import strategies as st

from spanlin.render.characters import display_width, visible
from spanlin.render.pretty import pretty_tree
from spanlin.trees.brackets import parse_tree
from spanlin.trees.tree import Leaf, Tree
from strategies import trees

SHAPES = st.recursive(
    st.builds(Leaf, st.sampled_from(["NN", "名", "e\u0301", ""]), st.sampled_from(["dog", "犬", "n\u0303a", ""])),
    lambda nodes: st.builds(
        Tree, st.sampled_from(["S", "NP", "名詞", "A\u030a", ""]), st.lists(nodes, min_size=1, max_size=4).map(tuple)
    ),
    max_leaves=15,
).filter(lambda node: isinstance(node, Tree))


def by_column(line: str) -> dict[int, str]:
    """The characters of a line by the column of a terminal in which they start."""
    found: dict[int, str] = {}
    column = 0
    for char in line:
        if display_width(char):
            found[column] = char
        column += display_width(char)
    return found


@given(trees)
def test_every_label_tag_and_word_is_there_in_order_one_line_a_word(tree: Tree) -> None:
    drawn = pretty_tree(tree)
    assert len(drawn.split("\n")) == len(tree.leaves)
    place = 0
    for node in tree.preorder():
        for text in (node.tag, node.word) if isinstance(node, Leaf) else (node.label,):
            place = drawn.index(visible(text), place) + len(visible(text))


@given(SHAPES)
def test_every_branch_hangs_on_the_line_above_it(tree: Tree) -> None:
    lines = [by_column(line) for line in pretty_tree(tree).split("\n")]
    for above, below in itertools.pairwise(lines):
        hanging = {column for column, char in below.items() if char in "├└│"}
        assert hanging
        assert all(above[column] in "┬├│" for column in hanging)
        assert {column for column, char in above.items() if char in "┬├│"} == hanging


def test_a_sentence_is_drawn_on_its_side() -> None:
    tree = parse_tree(
        "(TOP (S (NP (PRP She)) (VP (VBZ loves) (S (VP (VBG writing) (NP (NN code))))) (. .)))",
    )
    assert pretty_tree(tree).split("\n") == [
        "TOP─S┬─NP─PRP  She",
        "     ├─VP┬─VBZ  loves",
        "     │   └─S─VP┬─VBG  writing",
        "     │         └─NP─NN  code",
        "     └─.  .",
    ]


def test_wide_labels_take_two_columns_and_accents_none() -> None:
    tree = parse_tree("(名詞 (A\u030a (N a) (N b)) (C 猫))")
    assert pretty_tree(tree).split("\n") == ["名詞┬─A\u030a┬─N  a", "    │  └─N  b", "    └─C  猫"]


def test_control_characters_do_not_reach_the_terminal() -> None:
    tree = Tree("S", (Leaf("X", "\x1b[2Jno\r\n"), Leaf("Y", "\u202eabc\x7f\ud800")))
    assert pretty_tree(tree) == "S┬─X  ␛[2Jno␍␊\n └─Y  \ufffdabc␡\ufffd"


def test_depth_has_no_limit() -> None:
    chain = Tree("A", (Leaf("X", "x"),))
    for _ in range(10_000):
        chain = Tree("A", (chain,))
    assert pretty_tree(chain) == "A─" * 10_001 + "X  x"
    comb = Tree("A", (Leaf("X", "x"),))
    for _ in range(1500):
        comb = Tree("A", (Leaf("X", "x"), comb))
    assert len(pretty_tree(comb).split("\n")) == 1501
