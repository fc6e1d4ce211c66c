"""Bring treebanks with one tree per line closer to the Penn Treebank's guidelines, as `en` is to follow them.

python -m experiments.models.en.penn_style data/unlabelled/sentences.txt data/unlabelled/joined.txt

Trees are restyled by `prepare.py`, which calls this module:

- Labels of text structure become plain ones (plain_labels.py) and tags Penn's (penn_tags.py). "to" is tagged TO, the
  preposition too; "about" and "around" before a number are IN.
- A wh-pronoun alone at the head of a clause is a WHNP. gum's trees, another parser's, have NP where it is a subject.
- `join_hyphens` joins hyphenated words that are split (`well - known`), as older treebanks and many tokenizers do.
"""

from __future__ import annotations

import argparse
import re
from collections.abc import Iterator
from pathlib import Path

from experiments.models.en.penn_tags import penn_tags
from experiments.models.en.plain_labels import plain_labels

from spanlin.trees.tree import Leaf, Node, Tree

_CLAUSES = {"SBAR", "SBARQ"}
_NOUN_PHRASES = {"NP", "NML", "NX", "WHNP"}
_MODIFIERS = {"ADJP", "NML", "UCP", "QP"}
_NUMBERS = {"CD", "$", "QP"}


def penn_style(tree: Tree) -> Tree:
    """Return the tree with Penn's tags, WHNPs and labels."""
    tree = plain_labels(tree)
    return _restyled(_with_tags(tree, iter(penn_tags(tree.words, tree.tags))))


def _with_tags(tree: Tree, tags: Iterator[str]) -> Tree:
    children = (
        _with_tags(child, tags) if isinstance(child, Tree) else Leaf(next(tags), child.word) for child in tree.children
    )
    return Tree(tree.label, tuple(children))


def _restyled(tree: Tree) -> Tree:
    children: list[Node] = []
    for place, child in enumerate(tree.children):
        following = tree.children[place + 1] if place + 1 < len(tree.children) else None
        if isinstance(child, Leaf):
            children.append(Leaf(_tag(child, following), child.word))
            continue
        changed = _restyled(child)
        if tree.label in _CLAUSES and place == 0 and changed.label == "NP" and _is_wh_pronoun(changed):
            changed = Tree("WHNP", changed.children)
        children.append(changed)
    return Tree(tree.label, tuple(children))


def _tag(leaf: Leaf, following: Node | None) -> str:
    word = leaf.word.lower()
    if word in {"about", "around"} and leaf.tag == "RB" and following is not None:
        kind = following.tag if isinstance(following, Leaf) else following.label
        return "IN" if kind in _NUMBERS else leaf.tag
    return leaf.tag


def _is_wh_pronoun(tree: Tree) -> bool:
    child = tree.children[0]
    return len(tree.children) == 1 and isinstance(child, Leaf) and child.tag in {"WDT", "WP"}


def join_hyphens(tree: Tree) -> Tree:
    """Return the tree with words joined that a hyphen divides, where no constituent begins or ends between them."""
    children: list[Node] = []
    rest = list(tree.children)
    while rest:
        joined = [rest.pop(0)]
        while isinstance(joined[-1], Leaf) and len(rest) > 1 and _is_hyphen(rest[0]) and _is_word(rest[1]):
            joined += [rest.pop(0), rest.pop(0)]
        leaves = [child for child in joined if isinstance(child, Leaf)]
        if len(joined) > 1:
            is_head = tree.label in _NOUN_PHRASES and not rest
            children.append(Leaf(_joined_tag(leaves, tree.label, is_head), "".join(leaf.word for leaf in leaves)))
        elif isinstance(joined[0], Leaf):
            children.append(joined[0])
        else:
            children.append(_unwrapped(join_hyphens(joined[0]), tree.label, before=joined[0]))
    return Tree(tree.label, tuple(children))


def _is_hyphen(node: Node) -> bool:
    return isinstance(node, Leaf) and node.tag == "HYPH"


def _is_word(node: Node) -> bool:
    return isinstance(node, Leaf) and any(char.isalnum() for char in node.word)


def _joined_tag(leaves: list[Leaf], label: str, is_head: bool) -> str:
    first, last = leaves[0].tag, leaves[-1].tag
    if last.startswith("NNP") or last == "CD":
        return last
    if is_head:
        return "NN" if last == "VBG" else last
    return last if last in {"NN", "NNS"} and label != "ADJP" and first != "CD" else "JJ"


def _unwrapped(tree: Tree, parent: str, *, before: Tree) -> Node:
    """Return what the phrase holds if joining left it one word that stands before a noun."""
    child = tree.children[0]
    shrunk = len(tree.children) == 1 and len(before.children) > 1 and isinstance(child, Leaf)
    return child if shrunk and parent in _NOUN_PHRASES and tree.label in _MODIFIERS else tree


_SPLIT_WORD = re.compile(r"(?<=[a-z0-9]) - (?=[a-z0-9])", re.IGNORECASE)


def join_hyphens_in_line(line: str) -> str:
    """Return a line of tokens with those joined that a hyphen divides.

    >>> join_hyphens_in_line("A well - known writer -- of sorts -")
    'A well-known writer -- of sorts -'
    """
    return _SPLIT_WORD.sub("-", line)


def main() -> None:
    """Write the lines of tokens in which hyphenated words are split, with these joined."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("source", type=Path)
    parser.add_argument("out", type=Path)
    arguments = parser.parse_args()
    arguments.out.parent.mkdir(parents=True, exist_ok=True)
    print(f"{arguments.out}: {write_joined(arguments.source, arguments.out)} lines")


def write_joined(source: Path, out: Path) -> int:
    """Write those lines of a file of tokens that joining changes, changed; return how many there are."""
    count = 0
    with source.open(encoding="utf-8") as lines, out.open("w", encoding="utf-8") as stream:
        for line in lines:
            joined = join_hyphens_in_line(line)
            if joined != line:
                stream.write(joined)
                count += 1
    return count


if __name__ == "__main__":
    main()
