"""A sentence's parse as columns of plain values, which every serializer takes, and the ways through its tree."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from spanlin.parsed import Parsed
from spanlin.trees.escapes import escape_word


class PlainParse(NamedTuple):
    """The nodes of a tree, each before those inside it: one for every span that has labels, and one for every word.

    Labels over the same span are one node, the topmost first. Columns may be lists or tuples: serializers turn one
    into the other.
    """

    token_count: int  # of the sentence, white space included
    tokens: Sequence[int]  # where in the sentence each word is
    tags: Sequence[str]
    lefts: Sequence[int]
    rights: Sequence[int]
    labels: Sequence[Sequence[str]]
    probabilities: Sequence[float]

    def find(self, left: int, right: int) -> int | None:
        """Return the node over the words `left` up to, not with, `right`, or None."""
        node = bisect_left(self.lefts, left)
        while node < len(self.lefts) and self.lefts[node] == left:
            if self.rights[node] == right:
                return node
            node += 1
        return None

    def descendants(self, node: int) -> Iterator[int]:
        """Yield a node and all inside it, each before those inside it."""
        yield from range(node, bisect_left(self.lefts, self.rights[node], node))

    def children(self, node: int) -> Iterator[int]:
        """Yield the nodes right below a node."""
        child = node + 1
        while child < len(self.lefts) and self.lefts[child] < self.rights[node]:
            yield child
            child = bisect_left(self.lefts, self.rights[child], child)

    def parent(self, node: int) -> int | None:
        """Return the node right above a node; the root has none."""
        above = (other for other in reversed(range(node)) if self.rights[other] >= self.rights[node])
        return next(above, None)

    def brackets(self, node: int, words: Sequence[str]) -> str:
        """Return a node in brackets; `words` are the sentence's."""
        parts: list[str] = []
        unclosed: list[int] = []  # nodes
        for inside in self.descendants(node):
            parts += [f" ({label}" for label in self.labels[inside]]
            unclosed.append(inside)
            word = self.lefts[inside]
            if self.rights[inside] == word + 1:
                parts.append(f" ({self.tags[word]} {escape_word(words[word])})")
                while unclosed and self.rights[unclosed[-1]] == word + 1:
                    parts.append(")" * len(self.labels[unclosed.pop()]))
        return "".join(parts)[1:]


def make_plain(parsed: Parsed, *, tokens: list[int], token_count: int) -> PlainParse:
    """Return a parse of words that are some of a sentence's tokens.

    The root is labelled TOP where the parser gives the whole sentence no label, and is certain then. A bare word has
    its tag's probability.
    """
    word_count = len(parsed.words)
    nodes: dict[tuple[int, int], tuple[list[str], float]] = {}
    for found in parsed.constituents():
        nodes.setdefault((found.left, -found.right), ([], found.probability))[0].append(found.label)
    if word_count:
        nodes.setdefault((0, -word_count), (["TOP"], 1.0))
    for word, probability in enumerate(parsed.tag_probabilities):
        nodes.setdefault((word, -word - 1), ([], probability))
    ordered = sorted(nodes.items(), key=lambda item: item[0])
    return PlainParse(
        token_count=token_count,
        tokens=tokens,
        tags=list(parsed.tags),
        lefts=[left for (left, _), _ in ordered],
        rights=[-right for (_, right), _ in ordered],
        labels=[labels for _, (labels, _) in ordered],
        probabilities=[probability for _, (_, probability) in ordered],
    )
