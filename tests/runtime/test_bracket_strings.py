from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from spanlin.runtime.bracket_strings import BracketWriter
from spanlin.trees.brackets import parse_tree
from spanlin.trees.escapes import escape_word
from spanlin.trees.labelled import labelled_splits, tree_from_splits
from spanlin.trees.transforms import EMPTY_LABEL, add_root
from spanlin.trees.tree import Tree
from strategies import trees


def arrays(made: list[Tree]) -> tuple[list[str], list[str], dict[str, NDArray[np.int64]], NDArray[np.object_]]:
    """Return labels, tags, the padded arrays of a batch of trees, and their words in a row."""
    batch = [labelled_splits(one) for one in made]
    labels = [
        EMPTY_LABEL,
        *sorted({label for one in batch for label in (*one.split_labels, *one.word_labels)} - {EMPTY_LABEL}),
    ]
    tags = sorted({tag for one in batch for tag in one.tags})
    width = max(2, *(len(one.words) for one in batch)) + 1
    found = {
        "counts": np.array([len(one.words) for one in batch]),
        "lefts": np.full((len(batch), width - 1), 7),  # padding may hold anything
        "rights": np.full((len(batch), width - 1), 7),
        "split_labels": np.full((len(batch), width - 1), len(labels) - 1),
        "word_labels": np.full((len(batch), width), len(labels) - 1),
        "tags": np.zeros((len(batch), width), dtype=np.int64),
    }
    for row, one in enumerate(batch):
        count = len(one.words)
        found["lefts"][row, : count - 1] = [span.left for span in one.spans]
        found["rights"][row, : count - 1] = [span.right for span in one.spans]
        found["split_labels"][row, : count - 1] = [labels.index(label) for label in one.split_labels]
        found["word_labels"][row, :count] = [labels.index(label) for label in one.word_labels]
        found["tags"][row, :count] = [tags.index(tag) for tag in one.tags]
    words = [escape_word(word) for one in batch for word in one.words]
    row_of_words = np.empty(len(words), dtype=object)
    row_of_words[:] = words
    return labels, tags, found, row_of_words


@given(st.lists(trees, min_size=1, max_size=5))
def test_lines_read_as_the_trees_that_the_spans_make(batch: list[Tree]) -> None:
    labels, tags, found, words = arrays(batch)
    lines = BracketWriter(labels, tags)(words, **found)
    expected = [tree_from_splits(labelled_splits(tree)) for tree in batch]
    expected = list(map(add_root, expected))
    assert [parse_tree(line) for line in lines] == expected


def test_words_without_a_label_stand_under_top() -> None:
    write = BracketWriter([EMPTY_LABEL], ["A"])
    words = np.array(["a", "-LRB-", "b"], dtype=object)
    one, zero = np.zeros((2, 1), dtype=np.int64), np.zeros((2, 2), dtype=np.int64)
    lines = write(words, np.array([2, 1]), one, one + 2, one, zero, zero)
    assert lines == ["(TOP (A a) (A -LRB-))", "(TOP (A b))"]


def test_a_tree_deeper_than_any_usual_one_is_written() -> None:
    count = 300
    splits = np.arange(count - 1)[np.newaxis]
    right_branching = BracketWriter([EMPTY_LABEL, "X"], ["A"])(
        np.array(["a"] * count, dtype=object),
        np.array([count]),
        splits,
        np.full_like(splits, count),
        np.ones_like(splits),
        np.zeros((1, count), dtype=np.int64),
        np.zeros((1, count), dtype=np.int64),
    )[0]
    assert right_branching == "(TOP " + "(X (A a) " * (count - 1) + "(A a)" + ")" * count
