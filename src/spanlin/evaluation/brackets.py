"""What EVALB compares of one tree: its words, tags and labelled spans once the deleted ones are gone.

EVALB deletes twice, by two rules. A word goes if its tag, letter for letter, is a deleted label; spans count the
words that stay. A constituent goes if it has no word left, or if its label, cut at the first - or =, is a deleted
label or equals one by EQ_LABEL.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from spanlin.evaluation.parameters import Parameters
from spanlin.trees.tree import Leaf, Tree

Bracket = tuple[int, int, str]  # left, right, label; a plain tuple, for it is made for every constituent


class Sentence(NamedTuple):
    """The words, tags and brackets of one tree that stay; brackets come children first."""

    words: list[str]
    tags: list[str]
    brackets: list[Bracket]
    deleted_tags: list[str]


EMPTY = Sentence([], [], [], [])


class Rules:
    """Parameters in the form the inner loops want them."""

    def __init__(self, parameters: Parameters) -> None:
        self.parameters = parameters
        self.deleted_tags = frozenset(parameters.deleted_labels)
        self.quote_tags = frozenset(parameters.quote_labels)
        self.labels_without_length = frozenset(parameters.labels_without_length)
        self.equal_labels = _both_ways(parameters.equal_labels)
        self.equal_words = _both_ways(parameters.equal_words)
        self.label_classes = _classes(parameters.equal_labels)
        # With A = B, B = C but not A = C, which of two brackets is matched first changes the score.
        self.equality_is_transitive = not parameters.labelled or all(
            one == two or (one, two) in self.equal_labels
            for one in self.label_classes
            for two in self.label_classes
            if self.label_classes[one] == self.label_classes[two]
        )
        self.labels = _Labels(self)

    def are_equal_labels(self, one: str, two: str) -> bool:
        return one == two or (one, two) in self.equal_labels

    def are_equal_words(self, one: str, two: str) -> bool:
        return one == two or (one, two) in self.equal_words


class _Labels(dict[str, str | None]):
    """Label as it stands in a tree -> label to compare, or None if it is deleted; filled as labels come.

    Labels that count as equal become one, and all labels do where they do not count.
    """

    def __init__(self, rules: Rules) -> None:
        super().__init__()
        self._rules = rules

    def __missing__(self, label: str) -> str | None:
        trimmed = trim_label(label)
        rules = self._rules
        kept: str | None = trimmed
        if any(rules.are_equal_labels(trimmed, deleted) for deleted in rules.deleted_tags):
            kept = None
        elif not rules.parameters.labelled:
            kept = ""
        elif rules.equality_is_transitive:
            kept = rules.label_classes.get(trimmed, trimmed)
        self[label] = kept
        return kept


def trim_label(label: str) -> str:
    """Return the label without its function tags and indices, as EVALB cuts it.

    >>> trim_label("NP-SBJ=2"), trim_label("-LRB-")
    ('NP', '')
    """
    return label.partition("-")[0].partition("=")[0]


def collect_brackets(tree: Tree | Leaf, rules: Rules) -> Sentence:
    """Return what stays of the tree, in one pass."""
    words: list[str] = []
    tags: list[str] = []
    brackets: list[Bracket] = []
    deleted: list[str] = []
    deleted_tags = rules.deleted_tags
    labels = rules.labels
    add_word, add_tag, add_bracket = words.append, tags.append, brackets.append
    # For the node at hand and, on the stack, its ancestors: the children still to come, the label, the left edge.
    children: Iterator[Tree | Leaf] = iter((tree,))
    label: str | None = None
    left = 0
    open_nodes: list[tuple[Iterator[Tree | Leaf], str | None, int]] = []
    while True:
        for node in children:
            if isinstance(node, Leaf):
                tag = node.tag
                if tag in deleted_tags:
                    deleted.append(tag)
                else:
                    add_word(node.word)
                    add_tag(tag)
            else:
                open_nodes.append((children, label, left))
                children = iter(node.children)
                label = labels[node.label]
                left = len(words)
                break
        else:
            if label is not None and left != (right := len(words)):
                add_bracket((left, right, label))
            if not open_nodes:
                return Sentence(words, tags, brackets, deleted)
            children, label, left = open_nodes.pop()


def _both_ways(pairs: tuple[tuple[str, str], ...]) -> frozenset[tuple[str, str]]:
    return frozenset(pairs) | {(two, one) for one, two in pairs}


def _classes(pairs: tuple[tuple[str, str], ...]) -> dict[str, str]:
    """Return a name for each label in a pair: all labels it is tied to, however far.

    Joined by =, which no trimmed label holds, so that the name is never taken for a label.
    """
    members: dict[str, set[str]] = {}
    for one, two in pairs:
        merged = members.get(one, {one}) | members.get(two, {two})
        for label in merged:
            members[label] = merged
    return {label: "=".join(sorted(group)) for label, group in members.items()}
