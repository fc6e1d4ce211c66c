from __future__ import annotations

from xml.etree import ElementTree

from spanlin.render.notebook import notebook_html, notebook_svg
from spanlin.render.svg import svg_tree
from spanlin.trees.brackets import parse_tree
from spanlin.trees.tree import LabelledSpan, Tree

TREE = parse_tree("(NP (DT a) (NN <b>&amp;))")


def test_a_drawing_is_svg_or_html_that_scrolls() -> None:
    assert notebook_svg(TREE) == svg_tree(TREE)
    html = notebook_html(TREE)
    assert html is not None
    element = ElementTree.fromstring(html)
    assert (element.tag, element.attrib) == ("div", {"style": "overflow-x: auto"})
    assert [child.tag for child in element] == ["{http://www.w3.org/2000/svg}svg"]


def test_probabilities_are_shown() -> None:
    probabilities = {LabelledSpan(0, 2, "NP"): 0.5}
    for drawn in (notebook_svg(TREE, probabilities), notebook_html(TREE, probabilities)):
        assert drawn is not None
        assert "50.0%" in drawn


def test_what_cannot_be_drawn_is_none() -> None:
    assert notebook_svg(Tree("NP", ())) is None
    assert notebook_html(Tree("NP", ())) is None
