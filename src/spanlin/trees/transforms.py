"""Cleaning of treebank trees; unary collapse and right binarization, each beside its inverse."""

from __future__ import annotations

import re

from spanlin.errors import TreeError
from spanlin.trees.tree import Leaf, Node, Tree, rebuild

EMPTY_LABEL = "∅"
"""The label of a span that is not a constituent (Wei et al. 2020, end of sec. 2)."""

UNARY_JOIN = "+"
"""Stands between the labels of a collapsed unary chain, the topmost first: `S+VP`."""

ROOT_LABELS = frozenset({"", "TOP", "ROOT", "S1", "VROOT"})
"""Labels that mark the top of a tree, not a constituent."""

_FUNCTION_TAGS = re.compile(r"^([^-=]+)[-=].*", re.DOTALL)  # not those that start so: -LRB-, -NONE-
_ESCAPED_EMPTY = re.compile(rf"\\*{EMPTY_LABEL}")


def clean_tree(
    tree: Tree,
    *,
    remove_empty_elements: bool = True,
    remove_function_tags: bool = True,
    remove_root: bool = True,
) -> Tree | None:
    """Return the tree as parsers are trained on it, or None if it has no words.

    Empty elements are `-NONE-` leaves and the constituents they leave without words. Function tags and co-indices
    are what follows the first `-` or `=` inside a constituent's label. A root label over a single constituent is
    taken off; over several, or over a bare word, it stays.

    >>> from spanlin.trees.brackets import parse_tree
    >>> print(clean_tree(parse_tree("( (S (NP-SBJ=2 (PRP She)) (VP (VBZ runs) (NP (-NONE- *T*-1)))))")))
    (S (NP (PRP She)) (VP (VBZ runs)))
    """

    def keep_leaf(leaf: Leaf) -> tuple[Leaf, ...]:
        return () if remove_empty_elements and leaf.tag == "-NONE-" else (leaf,)

    def keep_constituent(label: str, children: tuple[Node, ...]) -> tuple[Tree, ...]:
        if not children:
            return ()
        return (Tree(_FUNCTION_TAGS.sub(r"\1", label) if remove_function_tags else label, children),)

    kept = rebuild(tree, leaf=keep_leaf, constituent=keep_constituent)
    if not kept:
        return None
    (cleaned,) = kept
    assert isinstance(cleaned, Tree)
    return strip_root(cleaned) if remove_root else cleaned


def strip_root(tree: Tree) -> Tree:
    """Return the constituent below the root labels, or the tree itself if it has no root label."""
    while tree.label in ROOT_LABELS and len(tree.children) == 1 and isinstance(child := tree.children[0], Tree):
        tree = child
    return tree


def add_root(tree: Tree, *, label: str = "TOP") -> Tree:
    """Return the tree below a root label, or as it is if it has one."""
    return tree if tree.label in ROOT_LABELS else Tree(label, (tree,))


def collapse_unaries(tree: Tree) -> Tree:
    """Return the tree with each chain of constituents over the same words as one constituent, its labels joined.

    Part-of-speech tags are not part of a chain. A `+` or backslash of a label is escaped by a backslash.
    """

    def collapse(label: str, children: tuple[Node, ...]) -> tuple[Tree]:
        label = escape_label(label)
        if len(children) == 1 and isinstance(child := children[0], Tree):
            return (Tree(f"{label}{UNARY_JOIN}{child.label}", child.children),)
        return (Tree(label, children),)

    return _only_tree(rebuild(tree, leaf=lambda leaf: (leaf,), constituent=collapse))


def expand_unaries(tree: Tree) -> Tree:
    """Return the tree whose unary chains were collapsed to this one."""

    def expand(label: str, children: tuple[Node, ...]) -> tuple[Tree]:
        labels = split_chain(label)
        node = Tree(labels[-1], children)
        for upper in reversed(labels[:-1]):
            node = Tree(upper, (node,))
        return (node,)

    return _only_tree(rebuild(tree, leaf=lambda leaf: (leaf,), constituent=expand))


def escape_label(label: str) -> str:
    r"""Return the label as written in a chain, so that nothing in it is taken for a join or for the empty label.

    >>> print(escape_label("NP"), escape_label("A+B"))
    NP A\+B
    """
    if label == EMPTY_LABEL:
        return f"\\{EMPTY_LABEL}"
    return label.replace("\\", "\\\\").replace(UNARY_JOIN, f"\\{UNARY_JOIN}")


def split_chain(label: str) -> list[str]:
    r"""Return the labels of a collapsed chain, the topmost first.

    >>> split_chain(r"S+A\+B")
    ['S', 'A+B']
    """
    if "\\" not in label:
        return label.split(UNARY_JOIN)
    labels = [""]
    escaped = False
    for char in label:
        if escaped or char not in ("\\", UNARY_JOIN):
            labels[-1] += char
            escaped = False
        elif char == "\\":
            escaped = True
        else:
            labels.append("")
    return labels


def label_parts(label: str) -> list[str]:
    """Return the labels that the label of a binary tree's span stands for, the topmost first; none if it is empty.

    >>> label_parts("TOP+S+VP"), label_parts("∅")
    (['TOP', 'S', 'VP'], [])
    """
    return [] if label == EMPTY_LABEL else split_chain(label)


def constituent_labels(label: str) -> list[str]:
    """Return what `label_parts` does but for root labels, which mark no constituent.

    >>> constituent_labels("TOP+S+VP")
    ['S', 'VP']
    """
    return [part for part in label_parts(label) if part not in ROOT_LABELS]


def binarize(tree: Tree) -> Tree:
    """Return the right-binary tree: the rightmost two children are combined under the empty label, again and again.

    A constituent whose own label is the empty one gets a backslash before it.
    """

    def combine(label: str, children: tuple[Node, ...]) -> tuple[Tree]:
        if not children:
            raise TreeError(f"the constituent {label!r} has no children: give it at least one word")
        if _ESCAPED_EMPTY.fullmatch(label):
            label = f"\\{label}"
        if len(children) > 2:
            rest = children[-1]
            for child in reversed(children[1:-1]):
                rest = Tree(EMPTY_LABEL, (child, rest))
            children = (children[0], rest)
        return (Tree(label, children),)

    return _only_tree(rebuild(tree, leaf=lambda leaf: (leaf,), constituent=combine))


def debinarize(tree: Tree) -> Tree:
    """Return the tree that was binarized to this one: constituents with the empty label give way to their children."""

    def dissolve(label: str, children: tuple[Node, ...]) -> tuple[Node, ...]:
        if label == EMPTY_LABEL:
            return children
        return (Tree(label[1:] if _ESCAPED_EMPTY.fullmatch(label) else label, children),)

    return _only_tree(rebuild(tree, leaf=lambda leaf: (leaf,), constituent=dissolve))


def _only_tree(nodes: tuple[Node, ...]) -> Tree:
    if len(nodes) != 1 or not isinstance(nodes[0], Tree):
        raise TreeError(f"the root has the empty label {EMPTY_LABEL}: only inner constituents may")
    return nodes[0]
