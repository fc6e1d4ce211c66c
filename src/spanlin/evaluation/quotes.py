"""EVALB's repair of quotes that only one side tags as punctuation.

Some quotes are words on one side and deleted punctuation on the other: an apostrophe tagged POS here and '' there.
When two sentences differ in length, EVALB looks for such quotes at the same position and puts the deleted one back,
as a word, wherever its tag is among QUOTE_LABEL.
"""

from __future__ import annotations

from dataclasses import dataclass

from spanlin.evaluation.brackets import Bracket, Rules, Sentence
from spanlin.trees.tree import Leaf, Tree

_QUOTES = frozenset({"'", '"', "/"})


@dataclass
class _Quote:
    """A leaf that may be put back: its place among all leaves, and among the words that count."""

    leaf_number: int
    position: int
    tag: str
    is_deleted: bool


def restore_quotes(gold: Tree | Leaf, predicted: Tree | Leaf, rules: Rules) -> tuple[Sentence, Sentence]:
    """Return what stays of both trees, once each quote deleted on one side only is a word on both."""
    gold_copies, predicted_copies = count_copies(gold, predicted, rules)
    return _collect_copies(gold, gold_copies, rules), _collect_copies(predicted, predicted_copies, rules)


def count_copies(gold: Tree | Leaf | None, predicted: Tree | Leaf | None, rules: Rules) -> tuple[list[int], list[int]]:
    """Return for each leaf of either tree how often it counts as a word: 0 if deleted, 1, or more after the repair.

    Follows EVALB to the letter: a quote that has been put back moves one position on and may meet the next quote
    of the other side there, and is then put back once more.
    """
    gold_copies, gold_quotes = _copies_and_quotes(gold, rules)
    predicted_copies, predicted_quotes = _copies_and_quotes(predicted, rules)
    if not any(predicted_copies) or sum(gold_copies) == sum(predicted_copies):
        return gold_copies, predicted_copies
    for index, predicted_quote in enumerate(predicted_quotes):
        position = predicted_quote.position  # as it was before the loop below moves it, like EVALB
        for gold_index, gold_quote in enumerate(gold_quotes):
            if gold_quote.position != position or gold_quote.tag == predicted_quote.tag:
                continue
            if gold_quote.is_deleted and not predicted_quote.is_deleted:
                gold_copies[gold_quote.leaf_number] += 1
                _move_on(gold_quotes[gold_index:])
            elif predicted_quote.is_deleted and not gold_quote.is_deleted:
                predicted_copies[predicted_quote.leaf_number] += 1
                _move_on(predicted_quotes[index:])
    return gold_copies, predicted_copies


def _move_on(quotes: list[_Quote]) -> None:
    for quote in quotes:
        quote.position += 1


def _leaves(tree: Tree | Leaf | None) -> tuple[Leaf, ...]:
    if tree is None:
        return ()
    return (tree,) if isinstance(tree, Leaf) else tree.leaves


def _copies_and_quotes(tree: Tree | Leaf | None, rules: Rules) -> tuple[list[int], list[_Quote]]:
    """Return how often each leaf counts as a word (0 if deleted, else 1), and the quotes among the leaves."""
    copies: list[int] = []
    quotes: list[_Quote] = []
    position = 0
    for number, leaf in enumerate(_leaves(tree)):
        is_deleted = leaf.tag in rules.deleted_tags
        if leaf.word in _QUOTES and leaf.tag in rules.quote_tags:
            quotes.append(_Quote(number, position, leaf.tag, is_deleted))
        copies.append(0 if is_deleted else 1)
        position += copies[-1]
    return copies, quotes


def _collect_copies(tree: Tree | Leaf, copies: list[int], rules: Rules) -> Sentence:
    """Return what stays of the tree if each leaf counts as a word so many times."""
    leaves = _leaves(tree)
    word_counts = [0]  # before each leaf
    for count in copies:
        word_counts.append(word_counts[-1] + count)
    brackets: list[Bracket] = []
    if isinstance(tree, Tree):
        for left, right, label in tree.constituents():
            kept = rules.labels[label]
            if kept is not None and word_counts[left] != word_counts[right]:
                brackets.append((word_counts[left], word_counts[right], kept))
    return Sentence(
        [leaf.word for leaf, count in zip(leaves, copies, strict=True) for _ in range(count)],
        [leaf.tag for leaf, count in zip(leaves, copies, strict=True) for _ in range(count)],
        brackets,
        [leaf.tag for leaf, count in zip(leaves, copies, strict=True) if not count],
    )
