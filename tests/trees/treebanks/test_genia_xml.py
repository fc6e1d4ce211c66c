from __future__ import annotations

import tempfile
from pathlib import Path
from xml.sax.saxutils import escape, quoteattr

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spanlin.errors import TreeSyntaxError
from spanlin.trees.tree import Leaf, Node, Tree
from spanlin.trees.treebanks.genia_xml import read_genia_xml
from spanlin.trees.treebanks.preparation import clean_with_root
from spanlin.trees.treebanks.treebank import Remarks
from trees.treebanks.genia_samples import SLEEP, TITLE, TITLE_TREE, abstract


def read(text: str, *, bad: list[TreeSyntaxError] | None = None, remarks: Remarks | None = None) -> list[Tree]:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "1.xml"
        path.write_text(text, encoding="utf-8")
        on_bad = None if bad is None else bad.append
        return list(read_genia_xml(path, on_bad=on_bad, remarks=remarks or Remarks()))


# What XML 1.0 can hold, without what GENIA cannot: a word with white space at its edges or doubled within.
xml_words = st.text(
    st.characters(min_codepoint=33, exclude_categories=["Cs", "Cc", "Cn", "Zs", "Zl", "Zp"]), min_size=1
)
leaves = st.builds(Leaf, st.sampled_from(["NN", "VB", "JJ"]), xml_words)
empty = st.just(Tree("NP", ()))
nodes: st.SearchStrategy[Node] = st.recursive(
    st.one_of(leaves, empty),
    lambda children: st.builds(Tree, st.sampled_from(["NP", "VP", "S"]), st.lists(children, max_size=3).map(tuple)),
    max_leaves=10,
)


def to_xml(node: Node) -> str:
    if isinstance(node, Leaf):
        return f"<tok cat={quoteattr(node.tag)}>{escape(node.word)}</tok>"
    return f"<cons cat={quoteattr(node.label)}>{' '.join(map(to_xml, node.children))}</cons>"


@given(st.lists(st.lists(nodes, max_size=3), min_size=1, max_size=4))
def test_xml_gives_the_tree_without_what_has_no_words(sentences: list[list[Node]]) -> None:
    texts = [f"<sentence id='s'>{''.join(map(to_xml, children))}</sentence>" for children in sentences]
    remarks = Remarks()
    found = read(abstract(*texts), remarks=remarks)
    expected = [clean_with_root(Tree("TOP", tuple(children))) for children in sentences]
    assert [clean_with_root(tree) for tree in found] == expected
    assert remarks.lines() == ()


def test_penn_tags_are_restored_and_null_elements_dropped() -> None:
    assert [str(clean_with_root(tree)) for tree in read(abstract(TITLE, SLEEP))] == [
        TITLE_TREE,
        "(TOP (S (VP (VBP sleep))))",
    ]


def test_a_file_longer_than_one_chunk_is_read_whole() -> None:
    assert len(read(abstract(*[TITLE] * 500))) == 500


def test_constituents_ten_thousand_levels_deep_are_read() -> None:
    deep = '<cons cat="X">' * 10_000 + '<tok cat="NN">dog</tok>' + "</cons>" * 10_000
    (tree,) = read(abstract(f"<sentence>{deep}</sentence>"))
    assert tree.height == 10_001


def test_text_and_elements_that_the_format_does_not_know_are_reported() -> None:
    remarks = Remarks()
    text = abstract(SLEEP.replace("<tok", "well <odd><tok", 1).replace("</tok>", "</tok></odd>", 1), SLEEP)
    assert [tree.words for tree in read(text, remarks=remarks)] == [("sleep",), ("sleep",)]
    first, second = remarks.lines()
    assert first.startswith("text outside <tok>, left out: 1, first in ")
    assert first.endswith("'well'")
    assert second.startswith("element <odd> inside a sentence, only its words kept: 1, first in ")


@pytest.mark.parametrize(
    ("broken", "message"),
    [
        ("<sentence><cons><tok cat='NN'>dog</tok></cons></sentence>", r"1\.xml:4:34: a <cons> without its cat"),
        ("<sentence><tok cat='NN'>a<tok cat='NN'>b</tok></tok></sentence>", "a <tok> inside a <tok>"),
        ("<sentence><sentence><tok cat='NN'>a</tok></sentence></sentence>", "a <sentence> inside a <sentence>"),
    ],
)
def test_a_broken_sentence_is_an_error_or_skipped(broken: str, message: str) -> None:
    with pytest.raises(TreeSyntaxError, match=message):
        read(abstract(broken, SLEEP))
    bad: list[TreeSyntaxError] = []
    trees = read(abstract(TITLE, broken, SLEEP), bad=bad)
    assert len(bad) == 1
    assert trees[0].words[0] == "Cats"
    assert trees[-1].words == ("sleep",)


def test_xml_that_is_not_well_formed_names_its_place_and_ends_the_file() -> None:
    text = abstract(TITLE, SLEEP).replace("</cons></cons></sentence></Abs", "</cons></sentence></Abs")
    with pytest.raises(
        TreeSyntaxError, match=r"1\.xml:5:\d+: not well-formed XML: mismatched tag; the rest of the file"
    ):
        read(text)
    bad: list[TreeSyntaxError] = []
    assert len(read(text, bad=bad)) == 1
    assert len(bad) == 1
