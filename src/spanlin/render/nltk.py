"""Trees and dependencies as NLTK's own kinds."""

from __future__ import annotations

import importlib
from collections.abc import Sequence
from types import ModuleType
from typing import Any

from spanlin.dependencies.heads import Dependencies
from spanlin.errors import MissingExtraError
from spanlin.trees.tree import Leaf, Tree


def nltk_tree(tree: Tree) -> Any:
    """Return a tree as an `nltk.Tree`; as deep as you like, though few of NLTK's methods are."""
    nltk, _ = _import_nltk()
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


def nltk_dependencies(
    words: Sequence[str], dependencies: Dependencies, *, tags: Sequence[str], universal_tags: Sequence[str]
) -> Any:
    """Return heads and relations as an `nltk.parse.DependencyGraph`; `ctag` is the universal tag, `tag` the other."""
    _, nltk = _import_nltk()
    graph = nltk.DependencyGraph(top_relation_label="root")
    columns = zip(words, tags, universal_tags, dependencies.heads, dependencies.relations, strict=True)
    for address, (word, tag, universal_tag, head, relation) in enumerate(columns, start=1):
        graph.nodes[address].update(
            address=address,
            word=word,
            lemma="_",
            ctag=universal_tag,
            tag=tag,
            feats="_",
            head=head,
            rel=relation,
        )
        graph.nodes[head]["deps"][relation].append(address)
        if head == 0:
            graph.root = graph.nodes[address]
    return graph


def _import_nltk() -> tuple[ModuleType, ModuleType]:
    """Return NLTK's modules of trees and of dependencies."""
    try:
        # By name, so that neither mypy nor whoever never calls this needs it.
        return importlib.import_module("nltk.tree"), importlib.import_module("nltk.parse.dependencygraph")
    except ModuleNotFoundError as error:
        raise MissingExtraError("trees of NLTK's kind need NLTK: pip install nltk") from error
