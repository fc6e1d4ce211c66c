"""CRAFT's labels of text structure, replaced by what the words are: plain text has no HEADING, CAPTION, CIT or TITLE.

- A label over a single constituent goes; a full stop beside that constituent moves into it.
- Words without a phrase are an NP if they end in a noun, a number or a name, else a FRAG.
- A citation in brackets, `(Smith et al. 1999; Jones 2000)`, is a PRN; what is between semicolons is an NP each.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from spanlin.trees.tree import Leaf, Node, Tree

_STRUCTURE = frozenset({"HEADING", "CAPTION", "TITLE"})
_CITATION = "CIT"
_NOMINAL = frozenset({"CD", "FW", "NN", "NNP", "NNPS", "NNS", "SYM"})


def plain_labels(tree: Tree) -> Tree:
    """Return the tree without labels of text structure."""
    children = tuple(plain_labels(child) if isinstance(child, Tree) else child for child in tree.children)
    if tree.label == _CITATION:
        return _citation(children)
    if tree.label in _STRUCTURE:
        return _structure(children)
    return Tree(tree.label, children)


def _structure(children: tuple[Node, ...]) -> Tree:
    first, *rest = children
    if isinstance(first, Tree) and all(isinstance(node, Leaf) and node.tag == "." for node in rest):
        return Tree(first.label, (*first.children, *rest))
    return Tree(_label(children), children)


def _label(children: Sequence[Node]) -> str:
    """Return NP for words that end in a noun, else FRAG."""
    words = [node for node in children if not (isinstance(node, Leaf) and node.tag == ".")]
    plain = all(isinstance(node, Leaf) for node in words)
    last = words[-1] if words else None
    return "NP" if plain and isinstance(last, Leaf) and last.tag in _NOMINAL else "FRAG"


def _citation(children: tuple[Node, ...]) -> Tree:
    tags = [node.tag if isinstance(node, Leaf) else "" for node in children]
    if len(children) < 3 or tags[0] != "-LRB-" or tags[-1] != "-RRB-":
        return _structure(children)
    return Tree("PRN", (children[0], _cited(children[1:-1]), children[-1]))


def _cited(nodes: tuple[Node, ...]) -> Tree:
    """Return an NP of one citation, or of several with what divides them."""
    parts = list(_divided(nodes))
    if len(parts) == 1:
        (only,) = parts
        assert isinstance(only, Tree)
        return only
    return Tree("NP", tuple(parts))


def _divided(nodes: tuple[Node, ...]) -> Iterator[Node]:
    part: list[Node] = []
    for node in nodes:
        if isinstance(node, Leaf) and node.tag == ":":
            yield from _phrase(part)
            yield node
            part = []
        else:
            part.append(node)
    yield from _phrase(part)


def _phrase(nodes: list[Node]) -> Iterator[Tree]:
    if not nodes:
        return
    first = nodes[0]
    if len(nodes) == 1 and isinstance(first, Tree):
        yield first
    elif len(nodes) == 1 and isinstance(first, Leaf) and first.tag == "VBN":
        yield Tree("VP", (first,))
    else:
        yield Tree("NP", tuple(nodes))
