"""What a parser asks of whatever runs its network: arrays in, labelled span arrays out."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol, TypeAlias

import numpy as np
from numpy.typing import NDArray

from spanlin.runtime.input_rows import InputRows

IntArray = NDArray[np.int64]
Float32Array = NDArray[np.float32]
BoolArray = NDArray[np.bool_]
Arrays: TypeAlias = dict[str, NDArray[Any]]

TREE = ("lefts", "rights", "split_labels", "word_labels", "tags")
"""The greedy trees of a batch by split point, padded: [batch, words - 1] three times, then [batch, words] twice."""

CONFIDENCE = ("span_log_probs", "label_log_probs", "tag_log_probs")
"""How sure the network is of each span of the trees and of its label, [batch, 2 * words - 1], the split spans first;
and of each tag, [batch, words]."""

SCORES = ("left_log_probs", "right_log_probs")
"""Log P(i|j) in row j-1 and column i, and log P(j|i) in row i and column j-1, [batch, words, words]; a network has
one of them or both."""

BOUNDARIES = ("left_boundaries", "right_boundaries")
"""The most probable boundaries of the sides that are scored, [batch, words]: i in column j-1, and j in column i."""

LABEL_HALVES = ("label_lefts", "label_rights")
"""What each split point 0..n, as a left and as a right edge, brings to the labels of spans, [batch, words + 1, width];
`Backend.label` takes those of any tree's spans."""

LABEL_INPUTS = (*LABEL_HALVES, "are_left_children", "are_roots")
LABEL_OUTPUT = "label_log_probs"
"""What the graph of labels takes and gives: see `Backend.label`."""

DEPENDENCIES = ("heads", "relations", "universal_tags")
"""Of a network that scores dependencies, the most probable head of each word, counted from 1, 0 for the root; the
relation to it, and the word's universal tag: [batch, words] each. The heads need not be a tree."""

ARC_SCORES = ("arc_log_probs",)
"""Log-probabilities of the head h of word d, in row d-1 and column h, [batch, words, words + 1]."""

RELATION_HALVES = ("relation_heads", "relation_dependents")
"""What each word brings to the relation of an arc as its head, [batch, words + 1, width], the root first, and as its
dependent, [batch, words, width]; `Backend.relate` takes those of any arcs."""

SELDOM_READ = (*SCORES, *LABEL_HALVES, *ARC_SCORES, *RELATION_HALVES)
"""What is needed of few sentences, or few cells of each. It stays on a GPU: what is read of it, by indices as of any
array, is fetched then."""

RELATION_INPUTS = (*RELATION_HALVES, "are_roots")
RELATION_OUTPUT = "relation_log_probs"
"""What the graph of relations takes and gives: see `Backend.relate`."""

ROOT_RELATION = "root"
"""The relation that the root has, and no other word, of a network that knows it."""


OF_DEPENDENCIES = (*DEPENDENCIES, *ARC_SCORES, *RELATION_HALVES)
"""All that a graph gives of dependencies."""


def graph_outputs(*, left: bool, right: bool, dependencies: bool = False) -> tuple[str, ...]:
    """Return the outputs of the graph of a network that scores these sides, and dependencies or not, in their order."""
    scored = [
        pair for pair, is_scored in zip(zip(BOUNDARIES, SCORES, strict=True), (left, right), strict=True) if is_scored
    ]
    arcs = OF_DEPENDENCIES if dependencies else ()
    return (*TREE, *CONFIDENCE, *LABEL_HALVES, *(name for pair in scored for name in pair), *arcs)


class Backend(Protocol):
    """Runs one network; safe to call from several threads."""

    device: str
    """Where it runs, as torch names it."""
    precision: str
    """What it computes in: that of the graph, or torch's."""
    batch_tokens: int
    """How many pieces or positions, padding included, run best together."""
    most_sentences: int
    """How many sentences can run together at most; 0 for any number."""
    batch_overhead: int
    """What a batch takes beside its places, in places; 0 where batches are best filled up."""
    multiple: int
    """Widths of batches are multiples of this."""
    small_multiple: int
    """And of this where a batch is far from full, so that few shapes serve them all."""
    chunk: int
    """How many sentences to sort by length together."""
    outputs: frozenset[str]
    """What `run` can be asked for."""

    def run(self, rows: InputRows, word_counts: IntArray, outputs: Sequence[str] = TREE) -> Arrays:
        """Return the outputs asked for, of a batch whose sentences have these many words."""
        ...

    def label(
        self, lefts: Float32Array, rights: Float32Array, left_children: BoolArray, roots: BoolArray
    ) -> Float32Array:
        """Return [spans, labels], the log-probabilities of the labels of some spans.

        Of each span, `lefts` has the row of LABEL_HALVES at its left edge and `rights` that at its right edge,
        [spans, width]; then whether it is the left child of its parent, and whether it is the whole sentence.
        """
        ...

    def relate(self, heads: Float32Array, dependents: Float32Array, roots: BoolArray) -> Float32Array:
        """Return [arcs, relations], the log-probabilities of the relations of some arcs.

        Of each arc, `heads` has the row of RELATION_HALVES of its head and `dependents` that of its dependent,
        [arcs, width]; then whether the arc's head is the root. Only for a network that scores dependencies.
        """
        ...
