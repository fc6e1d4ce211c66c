from __future__ import annotations

from xml.etree import ElementTree

import pytest
from hypothesis import given

from spanlin.errors import TreeError
from spanlin.render.characters import visible
from spanlin.render.svg import svg_tree
from spanlin.trees.brackets import parse_tree
from spanlin.trees.tree import LabelledSpan, Leaf, Tree
from strategies import trees

SVG = "{http://www.w3.org/2000/svg}"
CATS = parse_tree("(S (NP (JJ Old) (NNS cats)) (VP (VBP sleep) (NP (DT all) (NN day))))")


def texts(svg: str) -> list[str]:
    return [element.text or "" for element in ElementTree.fromstring(svg).iter(f"{SVG}text")]


@given(trees)
def test_any_tree_is_well_formed_xml_with_every_label_tag_and_word_in_order(tree: Tree) -> None:
    expected = []
    for node in tree.preorder():
        expected += [node.tag, node.word] if isinstance(node, Leaf) else [node.label]
    svg = svg_tree(tree)
    assert texts(svg) == [visible(text) for text in expected]
    assert "\n" not in svg
    svg.encode()


@given(trees)
def test_words_stand_in_order_on_one_line_inside_the_picture(tree: Tree) -> None:
    root = ElementTree.fromstring(svg_tree(tree))
    width, height = float(root.attrib["width"]), float(root.attrib["height"])
    words = [element for element in root.iter(f"{SVG}text") if element.attrib["class"] == "word"]
    places = [float(word.attrib["x"]) for word in words]
    assert len(set(places)) == len(places)
    assert places == sorted(places)
    assert len({word.attrib["y"] for word in words}) == 1
    for element in root.iter(f"{SVG}text"):
        assert 0 < float(element.attrib["x"]) < width
        assert 0 < float(element.attrib["y"]) < height


def test_a_parent_stands_above_the_middle_of_what_it_covers_and_over_its_children() -> None:
    root = ElementTree.fromstring(svg_tree(CATS))
    found = {element.text: element.attrib for element in root.iter(f"{SVG}text")}
    assert float(found["JJ"]["x"]) < float(found["NNS"]["x"]) < float(found["S"]["x"]) < float(found["day"]["x"])
    assert float(found["S"]["y"]) < float(found["VP"]["y"]) < float(found["DT"]["y"]) < float(found["all"]["y"])


def test_wide_characters_and_long_labels_are_given_room() -> None:
    def width(tree: Tree) -> float:
        return float(ElementTree.fromstring(svg_tree(tree)).attrib["width"])

    narrow = Tree("S", (Leaf("X", "iiii"),))
    assert width(narrow) < width(Tree("S", (Leaf("X", "aaaa"),))) < width(Tree("S", (Leaf("X", "犬犬犬犬"),)))
    assert width(narrow) < width(Tree("WHADVP-TMP", (Leaf("X", "iiii"),)))


def test_probabilities_are_told_and_coloured() -> None:
    sure, unsure = LabelledSpan(0, 2, "NP"), LabelledSpan(3, 5, "NP")
    root = ElementTree.fromstring(svg_tree(CATS, {sure: 1.0, unsure: 0.75, LabelledSpan(2, 5, "VP"): 0.0}))
    titles = [element.text for element in root.iter(f"{SVG}title")]
    assert titles[0] == "Tree of: Old cats sleep all day"
    assert "NP · Old cats · 100.0%" in titles
    assert "NP · all day · 75.0%" in titles
    assert "S · Old cats sleep all day" in titles
    assert [element.attrib["fill-opacity"] for element in root.iter(f"{SVG}rect")] == ["0.8", "0.4"]


def test_the_picture_is_accessible_takes_the_colour_around_it_and_asks_for_nothing() -> None:
    svg = svg_tree(CATS, {LabelledSpan(0, 5, "S"): 0.5})
    root = ElementTree.fromstring(svg)
    assert root.attrib["role"] == "img"
    assert root[0].tag == f"{SVG}title"
    assert root.attrib["fill"] == "currentColor"
    assert svg.count("http") == 1  # the name space
    assert not any(word in svg for word in ("href", "url(", "<script", "<style", "<image", "@import"))


def test_markup_in_words_stays_text() -> None:
    assert texts(svg_tree(parse_tree("(S&P (<b> </svg><script>alert`1`\"'\x00]]>))"))) == [
        *("S&P", "<b>", "</svg><script>alert`1`\"'␀]]>")
    ]


def test_a_long_constituent_is_told_by_its_first_words() -> None:
    tree = Tree("S", tuple(Leaf("X", f"w{number}") for number in range(9)))
    assert "<title>S · w0 w1 w2 w3 w4 w5 w6 w7 …</title>" in svg_tree(tree)
    assert "<title>S · w0 w1 w2 w3 w4 w5 w6 w7</title>" in svg_tree(Tree("S", tree.children[:8]))


def test_depth_has_no_limit() -> None:
    tree = Tree("A", (Leaf("X", "x"),))
    for _ in range(5000):
        tree = Tree("A", (Leaf("X", "x"), tree))
    assert svg_tree(tree).count("<text ") == 3 * 5001


def test_a_probability_outside_0_to_1_is_named() -> None:
    for wrong in (1.5, -0.1, float("nan")):
        with pytest.raises(TreeError, match=r"'NP' over words 0 to 2 has probability .*: give numbers from 0 to 1"):
            svg_tree(CATS, {LabelledSpan(0, 2, "NP"): wrong})


def test_a_constituent_without_children_is_named() -> None:
    with pytest.raises(TreeError, match="the constituent 'NP' has no children"):
        svg_tree(Tree("S", (Tree("NP", ()),)))
