"""The tables EVALB prints after each sentence when its parameter DEBUG is 1."""

from __future__ import annotations

from itertools import zip_longest
from typing import NamedTuple

from spanlin.evaluation.brackets import Rules, trim_label
from spanlin.evaluation.counts import Status
from spanlin.evaluation.quotes import count_copies
from spanlin.trees.escapes import escape_word
from spanlin.trees.tree import Leaf, Tree

_UNDEFINED, _DELETED, _MATCHED, _UNMATCHED = 9, 5, 1, 0


class _Row(NamedTuple):
    """A bracket as EVALB keeps it, parents first and deleted ones included."""

    left: int
    right: int
    label: str


def format_debug(gold: Tree | Leaf | None, predicted: Tree | Leaf | None, status: Status, rules: Rules) -> str:
    """Return EVALB's table of the words and brackets of both sides."""
    gold_copies, predicted_copies = count_copies(gold, predicted, rules)
    gold_words, gold_rows = _words_and_rows(gold, gold_copies)
    predicted_words, predicted_rows = _words_and_rows(predicted, predicted_copies)
    gold_bracket_results = [_UNDEFINED] * len(gold_rows)
    predicted_bracket_results = [_UNDEFINED] * len(predicted_rows)
    word_results = [_UNDEFINED] * max(len(gold_words), len(predicted_words))
    if status is Status.VALID:
        gold_rows, predicted_rows = _trimmed(gold_rows), _trimmed(predicted_rows)
        gold_bracket_results, predicted_bracket_results = _bracket_results(gold_rows, predicted_rows, rules)
        word_results = [
            _MATCHED if rules.are_equal_labels(one.tag, two.tag) else _UNMATCHED
            for one, two in zip(gold_words, predicted_words, strict=True)
        ]
    lines = [
        f"-<1>---(wn1={len(gold_words):3d}, bn1={len(gold_rows):3d})-           "
        f"-<2>---(wn2={len(predicted_words):3d}, bn2={len(predicted_rows):3d})-\n"
    ]
    for index, (one, two, result) in enumerate(zip_longest(gold_words, predicted_words, word_results)):
        cells = [
            f"{index:3d} : {result} : {_padded(leaf.tag, 6)}  {_padded(escape_word(leaf.word), 16)}" if leaf else None
            for leaf in (one, two)
        ]
        lines.append(_line(*cells, blank=40))
    lines.append("\n")
    brackets = zip_longest(gold_rows, predicted_rows)
    results = zip_longest(gold_bracket_results, predicted_bracket_results)
    for index, (rows, row_results) in enumerate(zip(brackets, results, strict=True)):
        cells = [
            f"{index:3d} : {result} : {row.left:3d}  {row.right:3d}  {_padded(row.label, 6)}" if row else None
            for row, result in zip(rows, row_results, strict=True)
        ]
        lines.append(_line(*cells, blank=32))
    lines.append("\n========\n")
    return "".join(lines)


def _words_and_rows(tree: Tree | Leaf | None, copies: list[int]) -> tuple[list[Leaf], list[_Row]]:
    if tree is None:
        return [], []
    if isinstance(tree, Leaf):
        return [tree] * copies[0], []
    leaves = [leaf for leaf, count in zip(tree.leaves, copies, strict=True) for _ in range(count)]
    word_counts = [0]  # before each leaf
    for count in copies:
        word_counts.append(word_counts[-1] + count)
    # Parents first: by where they start, the outer before the inner. Of two with the same leaves, the one that
    # `constituents` gives later is the outer.
    spans = list(tree.constituents())[::-1]
    spans.sort(key=lambda span: (span.left, -span.right))
    return leaves, [_Row(word_counts[span.left], word_counts[span.right], span.label) for span in spans]


def _bracket_results(gold: list[_Row], predicted: list[_Row], rules: Rules) -> tuple[list[int], list[int]]:
    gold_results = [_DELETED if _is_deleted(row, rules) else _UNMATCHED for row in gold]
    predicted_results = [_DELETED if _is_deleted(row, rules) else _UNMATCHED for row in predicted]
    for index, row in enumerate(gold):
        if gold_results[index] == _DELETED:
            continue
        for other_index, other in enumerate(predicted):
            is_same = (row.left, row.right) == (other.left, other.right) and (
                not rules.parameters.labelled or rules.are_equal_labels(row.label, other.label)
            )
            if is_same and predicted_results[other_index] == _UNMATCHED:
                gold_results[index] = predicted_results[other_index] = _MATCHED
                break
    return gold_results, predicted_results


def _is_deleted(row: _Row, rules: Rules) -> bool:
    return row.left == row.right or rules.labels[row.label] is None


def _trimmed(rows: list[_Row]) -> list[_Row]:
    # EVALB trims the label of a bracket only once it knows that it has words.
    return [row if row.left == row.right else row._replace(label=trim_label(row.label)) for row in rows]


def _line(gold_cell: str | None, predicted_cell: str | None, *, blank: int) -> str:
    left = " " * blank if gold_cell is None else gold_cell + " " * 6
    return f"{left}{predicted_cell or ''}\n"


def _padded(text: str, width: int) -> str:
    """Return the text with spaces up to the width, which C counts in bytes."""
    return text + " " * (width - len(text.encode()))
