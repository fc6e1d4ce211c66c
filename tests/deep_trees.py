"""A tree that no walk by recursion survives."""

from __future__ import annotations

from spanlin.trees.tree import Leaf, Node, Tree


def deep_tree(depth: int) -> Tree:
    """Return so many constituents NP, one inside the other; each ends with the word `side`, and `bottom` is in all."""
    node: Node = Leaf("NN", "bottom")
    for _ in range(depth):
        node = Tree("NP", (node, Leaf("NN", "side")))
    assert isinstance(node, Tree)
    return node
