"""Trees in a notebook: what Jupyter and its kin show when a cell ends with a tree."""

from __future__ import annotations

from collections.abc import Mapping

from spanlin.errors import TreeError
from spanlin.render.svg import svg_tree
from spanlin.trees.tree import LabelledSpan, Tree


def notebook_svg(tree: Tree, probabilities: Mapping[LabelledSpan, float] | None = None) -> str | None:
    """Return the tree as SVG; None if it cannot be drawn, and a notebook then shows what `repr` says."""
    try:
        return svg_tree(tree, probabilities)
    except TreeError:
        return None


def notebook_html(tree: Tree, probabilities: Mapping[LabelledSpan, float] | None = None) -> str | None:
    """Return the same in an element that scrolls, so that a long sentence keeps its size.

    As part of the page, unlike a picture on it, the drawing has the colour of the page's text, be it light or dark.
    """
    drawn = notebook_svg(tree, probabilities)
    return drawn and f'<div style="overflow-x: auto">{drawn}</div>'
