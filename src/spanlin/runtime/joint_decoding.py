"""The best tree and heads together for the sentences of a batch in which the best of each do not go together."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from spanlin.decoding import ArcConstraints, Constraints, JointParse, LabelSet, SpanRules, Temperatures, decode_joint
from spanlin.decoding.head_spans import go_together_batch
from spanlin.decoding.tree_roles import Role
from spanlin.errors import DecodingError
from spanlin.runtime.backend import Backend, BoolArray, IntArray
from spanlin.runtime.batch_trees import Trees, join_trees, select_trees
from spanlin.runtime.dependency_decoding import BatchDependencies, find_dependencies
from spanlin.runtime.label_ranking import label_log_probs, spans_in_role
from spanlin.runtime.options import ParseOptions
from spanlin.runtime.redecoding import Redecoder, label_halves, score_sides
from spanlin.runtime.sentences import RunBatch
from spanlin.runtime.tree_spans import MOST_SPANS


class Pairs(NamedTuple):
    """Trees and dependencies of a batch. `joint`, [batch], is true where no pair that goes together is better."""

    trees: Trees
    dependencies: BatchDependencies
    joint: BoolArray


class JointDecoder:
    """Makes trees and heads agree: in every constituent, each word but one is governed by another word of it.

    The best tree and the best heads, each found by itself, are the best pair if they go together; that is looked at
    first. Other sentences are searched, unless they have more words than the options allow.
    """

    def __init__(
        self,
        backend: Backend,
        labels: LabelSet,
        temperatures: Temperatures,
        redecoder: Redecoder,
        options: ParseOptions,
    ) -> None:
        self._backend = backend
        self._redecoder = redecoder
        self._labels = labels
        self._temperatures = temperatures
        self._options = options

    def __call__(
        self,
        batch: RunBatch[Any],
        trees: Trees,
        dependencies: BatchDependencies,
        constraints: Sequence[Constraints | None],
    ) -> Pairs:
        """Return the best pairs from the best trees, one for each sentence, and the best dependencies."""
        counts = batch.counts
        lefts, rights, labels = (trees.found[name] for name in ("lefts", "rights", "split_labels"))
        joint = go_together_batch(lefts, rights, labels != 0, dependencies.heads, counts)
        rows = np.flatnonzero(~joint & (counts <= self._options.joint_words))
        if rows.size:
            found = [self._search(batch, row, constraints[row]) for row in rows.tolist()]
            trees = self._with_trees(batch, trees, rows, found)
            dependencies = self._with_heads(batch, dependencies, rows, found)
            joint[rows] = True
        return Pairs(trees, dependencies, joint)

    def _search(self, batch: RunBatch[Any], row: int, constraints: Constraints | None) -> JointParse:
        """Return the best pair of one sentence."""
        count = int(batch.counts[row])
        left, right = (None if side is None else side[row, :count, :count] for side in score_sides(batch))
        try:
            return decode_joint(
                left,
                right,
                self._label_table(batch, row, count),
                self._labels,
                batch.found["arc_log_probs"][row, :count, : count + 1],
                rules=SpanRules(self._labels, count, constraints, root_label=self._options.root_label),
                temperatures=self._temperatures,
                arc_constraints=constraints.arcs if constraints else None,
            )
        except DecodingError as error:
            raise type(error)(f"{batch.place(row)}: {error.problem}") from None

    def _label_table(self, batch: RunBatch[Any], row: int, count: int) -> NDArray[np.float64]:
        """Return [roles, words + 1, words + 1, labels], -inf where no span has the role."""
        left, right = label_halves(batch)
        table = np.full((len(Role), count + 1, count + 1, len(self._labels)), -np.inf)
        for role in Role:
            lefts, rights = spans_in_role(count, role)
            for start in range(0, len(lefts), MOST_SPANS):
                some = lefts[start : start + MOST_SPANS], rights[start : start + MOST_SPANS]
                table[role, *some] = label_log_probs(self._backend, (left[row], right[row]), *some, role)
        return table

    def _with_trees(self, batch: RunBatch[Any], trees: Trees, rows: IntArray, found: Sequence[JointParse]) -> Trees:
        width = trees.found["lefts"].shape[1]
        lefts, rights, split_labels = np.zeros((3, len(rows), width), dtype=np.int64)
        word_labels = np.zeros((len(rows), width + 1), dtype=np.int64)
        for place, parse in enumerate(found):
            count = len(parse.spans)
            lefts[place, :count], rights[place, :count] = np.array(parse.spans).T
            split_labels[place, :count] = parse.labels[:count]
            word_labels[place, : count + 1] = parse.labels[count:]
        # The tree's share of all trees: that of the best one, less what it scores below it.
        with np.errstate(divide="ignore"):
            log_probs = np.log(trees.probabilities[rows]) - np.array([parse.tree_loss for parse in found])
        kept = np.setdiff1d(np.arange(len(trees.owners)), rows)
        new = self._redecoder.trees_of(batch, rows, (lefts, rights, split_labels, word_labels), log_probs)
        return join_trees([select_trees(trees, kept), new]) if kept.size else new

    def _with_heads(
        self, batch: RunBatch[Any], dependencies: BatchDependencies, rows: IntArray, found: Sequence[JointParse]
    ) -> BatchDependencies:
        """Return the dependencies with other heads in some sentences, and the relations that fit these."""
        given: list[ArcConstraints | None] = [None] * len(batch.counts)
        for row, parse in zip(rows.tolist(), found, strict=True):
            given[row] = ArcConstraints(required=tuple(enumerate(parse.heads, start=1)))
        # All others are trees already, and stay as they are.
        outputs = {**batch.found, "heads": dependencies.heads, "relations": dependencies.relations}
        return find_dependencies(self._backend, batch.counts, outputs, given)
