from __future__ import annotations

from hypothesis import given

from spanlin.runtime.bracket_strings import BracketWriter
from spanlin.trees.brackets import parse_tree
from spanlin.trees.labelled import labelled_splits, tree_from_splits
from spanlin.trees.transforms import EMPTY_LABEL, ROOT_LABELS
from spanlin.trees.tree import Tree
from strategies import trees


@given(trees)
def test_a_line_reads_as_the_tree_that_the_spans_make(tree: Tree) -> None:
    splits = labelled_splits(tree)
    labels = [EMPTY_LABEL, *sorted({*splits.split_labels, *splits.word_labels} - {EMPTY_LABEL})]
    tags = sorted(set(splits.tags))
    line = BracketWriter(labels, tags)(
        splits.words,
        [tags.index(tag) for tag in splits.tags],
        [span.left for span in splits.spans],
        [span.right for span in splits.spans],
        [labels.index(label) for label in splits.split_labels],
        [labels.index(label) for label in splits.word_labels],
    )
    expected = tree_from_splits(splits)
    if expected.label not in ROOT_LABELS:
        expected = Tree("TOP", (expected,))
    assert parse_tree(line) == expected


def test_words_without_a_label_stand_under_top() -> None:
    write = BracketWriter([EMPTY_LABEL], ["A"])
    assert write(["a", "("], [0, 0], [0], [2], [0], [0, 0]) == "(TOP (A a) (A -LRB-))"
    assert write(["a"], [0], [], [], [], [0]) == "(TOP (A a))"
