"""A treebank to try things with: trees of a small random grammar of English, whose words determine the tree.

It has ternary nodes, unary chains (`S+VP`, `SBAR+S+VP` and one-word constituents), nesting, sentences of one word, and
words that brackets must escape. A phrase with *of* belongs to the noun before it, one with any other preposition to
the verb, so that a parser has to read the words to attach it.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from pathlib import Path

from spanlin.trees.brackets import OnBad
from spanlin.trees.tree import Leaf, Node, Tree
from spanlin.trees.treebanks.treebank import DocumentReader, Remarks, Treebank, TreebankDocument, whole

NOUNS = ("cat", "dog", "bird", "tree", "river", "house", "teacher", "student", "letter", "window", "story", "garden")
PLURALS = tuple(f"{noun}s" for noun in NOUNS)
ADJECTIVES = ("old", "small", "green", "quiet", "clever", "heavy")
PRONOUNS = ("she", "he", "it", "they")
TRANSITIVE = ("sees", "likes", "paints", "finds", "carries")
INTRANSITIVE = ("sleeps", "waits", "sings")
BARE = ("see", "paint", "find", "carry")
SAYING = ("says", "thinks", "knows")
PREPOSITIONS = ("with", "near", "under")
ADVERBS = ("often", "slowly", "today")
_COUNTS = {"train": 400, "dev": 60, "test": 60}


class _Grammar:
    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)

    def word(self, tag: str, words: tuple[str, ...]) -> Leaf:
        return Leaf(tag, self.random.choice(words))

    def noun_phrase(self, depth: int) -> Tree:
        draw = self.random.random()
        if draw < 0.2:
            return Tree("NP", (self.word("PRP", PRONOUNS),))
        if draw < 0.35:
            return Tree("NP", (self.word("NNS", PLURALS),))
        children: list[Node] = [self.word("DT", ("the", "a", "every"))]
        if draw > 0.7:
            children.append(self.word("JJ", ADJECTIVES))
        children.append(self.word("NN", NOUNS))
        phrase = Tree("NP", tuple(children))
        if depth and self.random.random() < 0.35:
            return Tree("NP", (phrase, Tree("PP", (Leaf("IN", "of"), self.noun_phrase(depth - 1)))))
        return phrase

    def verb_phrase(self, depth: int) -> Tree:
        draw = self.random.random()
        if draw < 0.2 or not depth:
            return Tree("VP", (self.word("VBZ", INTRANSITIVE),))
        if draw < 0.35:
            clause = Tree("SBAR", (Leaf("IN", "that"), self.clause(depth - 1)))
            return Tree("VP", (self.word("VBZ", SAYING), clause))
        if draw < 0.45:
            infinitive = Tree("VP", (self.word("VB", BARE), self.noun_phrase(0)))
            chain = Tree("S", (Tree("VP", (Leaf("TO", "to"), infinitive)),))
            return Tree("VP", (Leaf("VBZ", "wants"), chain))
        if draw < 0.55:
            free = Tree(
                "SBAR", (Tree("S", (Tree("VP", (self.word("VBG", ("seeing", "painting")), self.noun_phrase(0))),)),)
            )
            return Tree("VP", (Leaf("VBZ", "enjoys"), free))
        children: list[Node] = [self.word("VBZ", TRANSITIVE), self.noun_phrase(depth - 1)]
        if self.random.random() < 0.5:
            children.append(Tree("PP", (self.word("IN", PREPOSITIONS), self.noun_phrase(depth - 1))))
        return Tree("VP", tuple(children))

    def clause(self, depth: int) -> Tree:
        children: list[Node] = [self.noun_phrase(depth), self.verb_phrase(depth)]
        if self.random.random() < 0.2:
            children.insert(1, Tree("ADVP", (self.word("RB", ADVERBS),)))
        return Tree("S", tuple(children))

    def sentence(self) -> Tree:
        draw = self.random.random()
        if draw < 0.03:
            return Tree("FRAG", (Tree("INTJ", (self.word("UH", ("yes", "no")),)),))
        if draw < 0.06:
            return Tree("FRAG", (self.noun_phrase(1), Leaf(".", ".")))
        sentence = self.clause(2)
        children = list(sentence.children)
        if draw < 0.12:
            aside = Tree("PRN", (Leaf("-LRB-", "("), self.noun_phrase(0), Leaf("-RRB-", ")")))
            children.append(aside)
        return Tree("S", (*children, Leaf(".", ".")))


def generate_trees(count: int, *, seed: int) -> list[Tree]:
    """Return random trees, each below a TOP, as in treebanks."""
    grammar = _Grammar(seed)
    return [Tree("TOP", (grammar.sentence(),)) for _ in range(count)]


def find_example() -> Treebank:
    """Return the example: a few hundred trees, the same every time, whose sentences begin with a capital letter."""
    source = Path("spanlin")
    documents = tuple(
        TreebankDocument(name=split, path=source, read=_reader(count, seed), split_of=whole(split))
        for seed, (split, count) in enumerate(_COUNTS.items())
    )
    return Treebank(name="example", source=source, splits=tuple(_COUNTS), documents=documents)


def _reader(count: int, seed: int) -> DocumentReader:
    def read(_on_bad: OnBad | None, _remarks: Remarks) -> Iterator[Tree]:
        for tree in generate_trees(count, seed=seed):
            yield Tree(tree.label, tuple(_capitalized(child) for child in tree.children))

    return read


def _capitalized(node: Node) -> Node:
    if isinstance(node, Leaf):
        return Leaf(node.tag, node.word.capitalize())
    first, *others = node.children
    return Tree(node.label, (_capitalized(first), *others))
