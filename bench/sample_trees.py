"""Trees that look like a newspaper's: 25 words, about 20 constituents, few labels and tags, many words."""

from __future__ import annotations

import random

from spanlin.trees.tree import Leaf, Node, Tree, rebuild

LABELS = ["NP", "NP", "NP", "VP", "VP", "PP", "PP", "S", "SBAR", "ADJP", "ADVP", "QP", "WHNP", "PRN"]
TAGS = ["NN", "NN", "IN", "NNP", "DT", "JJ", "NNS", ",", ".", "CD", "RB", "VBD", "VB", "CC", "TO", "VBZ", "-LRB-"]
LETTERS = "etaoinshrdlu"
VOCABULARY_SIZE = 30_000


def gold_trees(count: int, *, word_count: int, seed: int) -> list[Tree]:
    """Return random trees of a fixed length; few children, the last ones longer, some words under a unary node."""
    generator = random.Random(seed)
    vocabulary = [_word(generator) for _ in range(VOCABULARY_SIZE)]
    return [Tree("TOP", (_constituent(word_count, vocabulary, generator),)) for _ in range(count)]


def predicted_trees(gold: list[Tree], *, seed: int) -> list[Tree]:
    """Return the trees as a good parser gets them: one constituent in 25 is missing, one in 25 has another label."""
    generator = random.Random(seed)

    def constituent(label: str, children: tuple[Node, ...]) -> tuple[Node, ...]:
        error = generator.random() if label != "TOP" else 1.0
        if error < 0.04:
            return children
        return (Tree(generator.choice(LABELS) if error < 0.08 else label, children),)

    predicted = []
    for tree in gold:
        (changed,) = rebuild(tree, leaf=lambda leaf: (leaf,), constituent=constituent)
        assert isinstance(changed, Tree)
        predicted.append(changed)
    return predicted


def _constituent(word_count: int, vocabulary: list[str], generator: random.Random) -> Tree:
    label = generator.choice(LABELS)
    if word_count == 1:
        return Tree(label, (_leaf(vocabulary, generator),))
    # Half of the constituents have two children, and English branches to the right: the first is short.
    child_count = min(word_count, generator.choice((2, 2, 2, 3, 3, 4)))
    first = 1 + int((word_count - child_count + 1) * generator.random() ** 3)
    cuts = [first, *sorted(generator.sample(range(first + 1, word_count), child_count - 2))]
    children: list[Node] = []
    for left, right in zip([0, *cuts], [*cuts, word_count], strict=True):
        if right - left == 1 and generator.random() < 0.85:
            children.append(_leaf(vocabulary, generator))
        else:
            children.append(_constituent(right - left, vocabulary, generator))
    return Tree(label, tuple(children))


def _leaf(vocabulary: list[str], generator: random.Random) -> Leaf:
    tag = generator.choice(TAGS)
    if tag in (",", "."):
        return Leaf(tag, tag)
    if tag == "-LRB-":
        return Leaf(tag, "(")
    # Few words are frequent, many are rare.
    return Leaf(tag, vocabulary[int(VOCABULARY_SIZE ** generator.random()) - 1])


def _word(generator: random.Random) -> str:
    return "".join(generator.choices(LETTERS, k=generator.randint(2, 9)))
