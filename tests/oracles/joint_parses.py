"""All pairs of a labelled tree and a dependency tree over a few words that go together, by the definition alone."""

from __future__ import annotations

from functools import cache

import numpy as np

from oracles.dependency_trees import all_dependency_trees, has_crossing_arcs
from oracles.labelled_trees import all_labelled_trees


def child_of(spans: list[tuple[int, int]], parent: tuple[int, int], word: int) -> tuple[int, int]:
    """The largest of the spans below the parent that has this word, counted from 0; else the word itself."""
    inner = [span for span in spans if span != parent and parent[0] <= span[0] <= word < span[1] <= parent[1]]
    return max(inner, key=lambda span: span[1] - span[0], default=(word, word + 1))


def are_compatible(spans: list[tuple[int, int]], heads: tuple[int, ...]) -> bool:
    """Whether each span has one word governed from outside, and the arcs between its children do not cross."""
    for parent in spans:
        left, right = parent
        if sum(not left < heads[word] <= right for word in range(left, right)) != 1:
            return False
        children = sorted({child_of(spans, parent, word) for word in range(left, right)})
        contracted = [0] * len(children)
        for word in range(left, right):
            child = child_of(spans, parent, word)
            head = heads[word]
            if left < head <= right and child_of(spans, parent, head - 1) != child:
                contracted[children.index(child)] = children.index(child_of(spans, parent, head - 1)) + 1
        if has_crossing_arcs(tuple(contracted)):
            return False
    return True


@cache
def all_compatible(word_count: int, label_count: int) -> tuple[np.ndarray, np.ndarray]:
    """The shape of each labelled tree, and [shapes, dependency trees], which go together."""
    every = all_labelled_trees(word_count, label_count)
    sizes = np.arange(word_count + 1)
    long = sizes[np.newaxis] - sizes[:, np.newaxis] > 1
    are_constituents = (every.constituents > 0) & long
    shapes, numbers = np.unique(are_constituents.reshape(len(are_constituents), -1), axis=0, return_inverse=True)
    trees, _ = all_dependency_trees(word_count)
    together = [
        [
            are_compatible([(left, right) for left, right in np.argwhere(shape.reshape(long.shape))], tuple(heads))
            for heads in trees.tolist()
        ]
        for shape in shapes
    ]
    return numbers.ravel(), np.array(together)
