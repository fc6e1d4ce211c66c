"""A tree as NLTK's own kind of tree."""

from __future__ import annotations

import importlib
from typing import Any

from spanlin.errors import MissingExtraError
from spanlin.trees.tree import Leaf, Tree


def nltk_tree(tree: Tree) -> Any:
    """Return a tree as an `nltk.Tree`; as deep as you like, though few of NLTK's methods are."""
    try:
        # By name, so that neither mypy nor whoever never calls this needs it.
        nltk = importlib.import_module("nltk.tree")
    except ModuleNotFoundError as error:
        raise MissingExtraError("trees of NLTK's kind need NLTK: pip install nltk") from error
    root = nltk.Tree(tree.label, [])
    stack: list[tuple[Tree, Any]] = [(tree, root)]
    while stack:
        node, made = stack.pop()
        for child in node.children:
            if isinstance(child, Leaf):
                made.append(nltk.Tree(child.tag, [child.word]))
            else:
                made.append(nltk.Tree(child.label, []))
                stack.append((child, made[-1]))
    return root
