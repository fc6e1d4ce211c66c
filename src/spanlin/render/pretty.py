"""Trees for a terminal, on their side: the root at the left, one line a word."""

from __future__ import annotations

from spanlin.render.characters import display_width, visible
from spanlin.trees.tree import Leaf, Node, Tree

_ONLY, _FIRST, _MIDDLE, _LAST = "─", "┬─", "├─", "└─"
_BELOW = {"": "", _ONLY: " ", _FIRST: "│ ", _MIDDLE: "│ ", _LAST: "  "}
"""What stands under each connector on the lines that follow."""


def pretty_tree(tree: Tree) -> str:
    """Return the tree drawn with box characters, a word at the end of each line.

    Sentences run down the page, so that a long one is no wider than a short one of the same depth.

    >>> from spanlin.trees.brackets import parse_tree
    >>> print(pretty_tree(parse_tree("(S (NP (JJ Old) (NNS cats)) (VP (VBP sleep) (NP (DT all) (NN day))))")))
    S┬─NP┬─JJ  Old
     │   └─NNS  cats
     └─VP┬─VBP  sleep
         └─NP┬─DT  all
             └─NN  day
    """
    lines: list[str] = []
    line: list[str] = []
    stack: list[tuple[Node, str, str]] = [(tree, "", "")]  # with what stands left of its connector, and that
    while stack:
        node, indent, connector = stack.pop()
        if connector in (_MIDDLE, _LAST):
            lines.append("".join(line))
            line = [indent]
        line.append(connector)
        if isinstance(node, Leaf):
            line.append(f"{visible(node.tag)}  {visible(node.word)}")
            continue
        label = visible(node.label)
        line.append(label)
        below = indent + _BELOW[connector] + " " * display_width(label)
        connectors = _connectors(len(node.children))
        stack.extend((child, below, mark) for child, mark in zip(reversed(node.children), connectors, strict=True))
    return "\n".join([*lines, "".join(line)])


def _connectors(count: int) -> list[str]:
    """Return the connectors of so many children, the last one's first."""
    return [_ONLY] * count if count < 2 else [_LAST, *[_MIDDLE] * (count - 2), _FIRST]
