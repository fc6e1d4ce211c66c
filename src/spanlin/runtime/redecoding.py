"""Other trees than the one in the graph: decoded from the network's scores, then labelled by its second graph."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from spanlin.decoding import (
    Constraints,
    LabelledProblem,
    LabelledTree,
    LabelSet,
    SpanRules,
    Temperatures,
    decode_batch,
    most_probable_trees,
)
from spanlin.decoding.scores import check_batch_scores
from spanlin.errors import DecodingError, LinearizationError, SpanlinError
from spanlin.runtime.backend import BOUNDARIES, CONFIDENCE, LABEL_HALVES, SCORES, TREE, Arrays, Backend, IntArray
from spanlin.runtime.batch_trees import Trees, has_all_boundaries, join_trees, own_boundaries
from spanlin.runtime.label_ranking import rank_labels
from spanlin.runtime.options import ParseOptions
from spanlin.runtime.sentences import RunBatch
from spanlin.runtime.tree_spans import label_spans, span_log_probs, tree_log_probs

_MOST_RANKED = 1 << 22  # ranked labels of spans, padding included, that are in memory together for each role


class Redecoder:
    """Finds the wanted trees of batches that a backend has run.

    A sentence of n words costs O(n^3) time and O(n^2) memory, or what its greedy tree costs if that is all that is
    wanted. Nothing is decoded or labelled again for trees that are the graph's own.
    """

    def __init__(
        self,
        backend: Backend,
        labels: LabelSet,
        temperatures: Temperatures,
        options: ParseOptions,
        *,
        constrained: bool,
    ) -> None:
        if constrained:
            options.check_constrained()
        self._backend = backend
        self._options = options
        self._labels = labels
        self._temperatures = temperatures
        self._root_labels = self._labels.under_root(options.root_label) if options.root_label else None
        wanted = [*TREE, *CONFIDENCE, *BOUNDARIES]
        is_greedy = options.used_decoder == "argmin" and not constrained
        if not is_greedy or options.marginals or options.scores:
            wanted += SCORES
        if not is_greedy or options.marginals or options.root_label:
            wanted += LABEL_HALVES
        self.outputs = tuple(name for name in wanted if name in backend.outputs)
        """What the backend has to be asked for."""

    def __call__(
        self, batch: RunBatch[Any], constraints: Sequence[Constraints | None]
    ) -> tuple[Trees, NDArray[np.float64] | None]:
        """Return the trees of a batch that was run with `outputs`, and the marginals of constituents if asked for.

        There is an item of `constraints` for each sentence. The marginals are [batch, words + 1, words + 1].
        """
        options = self._options
        if options.scores:  # of every sentence: fetched together
            batch.found.update({name: np.asarray(batch.found[name]) for name in SCORES if name in batch.found})
        is_labelled = np.array([_has_constituents(wanted) for wanted in constraints])
        is_labelled |= options.used_decoder in ("labelled", "joint")
        rows = np.arange(len(constraints)) if options.marginals else np.flatnonzero(is_labelled)
        parts: list[Trees] = []
        longest = int(batch.counts.max())
        marginals = np.zeros((len(constraints), longest + 1, longest + 1)) if options.marginals else None
        for some in self._ranked_together(batch, rows):
            problem = self._problem(batch, some, constraints)
            wanted = is_labelled[some]
            if wanted.any():
                parts.append(self._labelled(batch, some, np.flatnonzero(wanted), problem))
            if marginals is not None:
                found = problem.marginals()
                marginals[some, : found.shape[1], : found.shape[2]] = found
        rest = np.flatnonzero(~is_labelled)
        if rest.size:
            parts.append(self._by_boundaries(batch, rest))
        return join_trees(parts), marginals

    def _ranked_together(self, batch: RunBatch[Any], rows: IntArray) -> Iterator[IntArray]:
        """Yield sentences in their order, as many together as memory has room for the labels of all their spans."""
        ranks = min(self._options.k_best, len(self._labels))
        start = longest = 0
        for place, count in enumerate(batch.counts[rows].tolist()):
            longest = max(longest, count)
            if place > start and (place + 1 - start) * (longest + 1) ** 2 * ranks > _MOST_RANKED:
                yield rows[start:place]
                start, longest = place, count
        if rows.size:
            yield rows[start:]

    def _problem(
        self, batch: RunBatch[Any], rows: IntArray, constraints: Sequence[Constraints | None]
    ) -> LabelledProblem:
        counts = batch.counts[rows]
        rules = []
        for row, count in zip(rows.tolist(), counts.tolist(), strict=True):
            try:
                rules.append(SpanRules(self._labels, count, constraints[row], root_label=self._options.root_label))
            except DecodingError as error:
                raise type(error)(f"{batch.place(row)}: {error}") from None
        left, right = label_halves(batch)
        ranked = rank_labels(
            self._backend,
            self._labels,
            counts,
            rules,
            halves=(left[rows], right[rows]),
            temperature=self._temperatures.labels,
            ranks=self._options.k_best,
            with_shares=self._options.marginals,
        )
        words = int(counts.max())
        sides = (None if side is None else side[rows, :words, :words] for side in score_sides(batch))
        try:
            scores = check_batch_scores(counts, *sides)
        except DecodingError as error:
            raise _placed(error, batch, rows) from None
        return LabelledProblem(scores, ranked, self._temperatures)

    def _labelled(self, batch: RunBatch[Any], rows: IntArray, places: IntArray, problem: LabelledProblem) -> Trees:
        """Return the most probable labelled trees of the sentences at some places of the problem."""
        width = batch.found["lefts"].shape[1]
        if self._options.k_best == 1:
            lefts, rights, labels, log_probs = problem.best_trees()
            split_count = lefts.shape[1]
            # As wide as the batch's other trees.
            lefts, rights, split_labels = (
                _widened(one[places], width) for one in (lefts, rights, labels[:, :split_count])
            )
            word_labels = _widened(labels[places, split_count:], width + 1)
            log_probs = log_probs[places]
            owners = rows[places]
        else:
            drawn = [
                (row, tree)
                for place, row in zip(places.tolist(), rows[places].tolist(), strict=True)
                for tree in islice(self._distinct(problem.ranked_trees(place)), self._options.k_best)
            ]
            owners = np.array([row for row, _ in drawn])
            log_probs = np.array([tree.log_prob for _, tree in drawn])
            lefts, rights, split_labels = np.zeros((3, len(drawn), width), dtype=np.int64)
            word_labels = np.zeros((len(drawn), width + 1), dtype=np.int64)
            for number, (_, tree) in enumerate(drawn):
                count = len(tree.spans)
                if count:
                    lefts[number, :count], rights[number, :count] = np.array(tree.spans).T
                split_labels[number, :count] = tree.labels[:count]
                word_labels[number, : count + 1] = tree.labels[count:]
        return self.trees_of(batch, owners, (lefts, rights, split_labels, word_labels), log_probs)

    def trees_of(
        self,
        batch: RunBatch[Any],
        owners: IntArray,
        arrays: tuple[IntArray, IntArray, IntArray, IntArray],
        log_probs: NDArray[np.float64],
    ) -> Trees:
        """Return trees that were decoded with their labels; `log_probs` are those of whole trees.

        `arrays` are the lefts, rights and labels of their splits, [trees, words - 1], and the labels of their words,
        as wide as the batch.
        """
        lefts, rights, split_labels, word_labels = arrays
        found = self._kept(batch, owners)
        found |= {"lefts": lefts, "rights": rights, "split_labels": split_labels, "word_labels": word_labels}
        _, found["label_log_probs"] = label_spans(
            self._backend,
            batch.counts[owners],
            lefts,
            rights,
            owners=owners,
            halves=label_halves(batch),
            given=np.concatenate([split_labels, word_labels], axis=1),
        )
        found["span_log_probs"] = self._span_log_probs(batch, owners, lefts, rights)
        is_first = np.ones(len(owners), dtype=np.bool_)
        is_first[1:] = owners[1:] != owners[:-1]
        return Trees(
            found=found,
            owners=owners,
            certified=is_first,
            labelled=np.ones(len(owners), dtype=np.bool_),
            probabilities=np.exp(np.minimum(log_probs, 0.0)),
            log_probs=self._boundary_log_probs(batch, owners, lefts, rights),
        )

    def _distinct(self, trees: Iterator[LabelledTree]) -> Iterator[LabelledTree]:
        """Yield trees that differ in more than the mark of the root, which is not a constituent."""
        known = set()
        for tree in trees:
            key = tree.spans, tuple(self._labels.chains[label] or label == 0 for label in tree.labels)
            if key not in known:
                known.add(key)
                yield tree

    def _by_boundaries(self, batch: RunBatch[Any], rows: IntArray) -> Trees:
        """Return the trees that the decoder finds by boundaries alone; the graph's own trees keep their labels."""
        counts = batch.counts[rows]
        found = self._kept(batch, rows)
        lefts, rights, certified = self._decoded(batch, rows, found)
        trees = Trees(
            found=found,
            owners=rows,
            certified=certified,
            labelled=np.zeros(len(rows), dtype=np.bool_),
            probabilities=np.full(len(rows), np.nan),
            log_probs=self._boundary_log_probs(batch, rows, lefts, rights),
        )
        is_split = np.arange(1, lefts.shape[1] + 1) < counts[:, np.newaxis]
        moved = (((found["lefts"] != lefts) | (found["rights"] != rights)) & is_split).any(axis=1)
        again = moved if self._root_labels is None else np.ones_like(moved)
        if not again.any():
            return trees
        labels, log_probs = label_spans(
            self._backend,
            counts[again],
            lefts[again],
            rights[again],
            owners=rows[again],
            halves=label_halves(batch),
            root_labels=self._root_labels,
        )
        found |= {"lefts": lefts, "rights": rights}
        # What the network found stays as it is.
        found |= {name: found[name].copy() for name in ("split_labels", "word_labels", "label_log_probs")}
        found["split_labels"][again] = labels[:, : lefts.shape[1]]
        found["word_labels"][again] = labels[:, lefts.shape[1] :]
        found["label_log_probs"][again] = log_probs
        if moved.any():
            found["span_log_probs"] = found["span_log_probs"].copy()
            found["span_log_probs"][moved] = self._span_log_probs(batch, rows[moved], lefts[moved], rights[moved])
        return trees

    def _decoded(
        self, batch: RunBatch[Any], rows: IntArray, found: Arrays
    ) -> tuple[IntArray, IntArray, NDArray[np.bool_]]:
        """Return the spans of the decoder's trees by split point, and which trees are certified by that.

        A sentence whose most probable boundaries are those of its own tree keeps it: every decoder finds the same, but
        the one of least risk, which does not look for the most probable tree.
        """
        lefts, rights, decoder = found["lefts"], found["rights"], self._options.decoder
        if decoder == "argmin":
            return lefts, rights, np.zeros(len(rows), dtype=np.bool_)
        assert decoder != "labelled"
        assert decoder != "joint"
        certified = np.zeros(len(rows), dtype=np.bool_)
        if decoder != "minimum-risk" and has_all_boundaries(batch.found):
            certified = own_boundaries(batch.counts[rows], found)
        rest = np.flatnonzero(~certified)
        if not rest.size:
            return lefts, rights, certified
        counts = batch.counts[rows[rest]]
        words = int(counts.max())
        sides = (None if side is None else side[rows[rest], :words, :words] for side in score_sides(batch))
        try:
            if decoder == "cky":
                decoded = most_probable_trees(counts, *sides)
            else:
                decoded = decode_batch(counts, *sides, decoder=decoder)
        except (DecodingError, LinearizationError) as error:
            raise _placed(error, batch, rows[rest]) from None
        lefts, rights = lefts.copy(), rights.copy()
        lefts[rest, : words - 1], rights[rest, : words - 1] = decoded.lefts, decoded.rights
        certified[rest] = decoded.certified
        return lefts, rights, certified

    def _kept(self, batch: RunBatch[Any], owners: IntArray) -> Arrays:
        """Return what the graph says of these sentences' own trees; it is not to be changed."""
        names = [name for name in (*TREE, *CONFIDENCE, *BOUNDARIES) if name in batch.found]
        if np.array_equal(owners, np.arange(len(batch.members))):
            return {name: batch.found[name] for name in names}
        return {name: batch.found[name][owners] for name in names}

    @staticmethod
    def _span_log_probs(
        batch: RunBatch[Any], owners: IntArray, lefts: IntArray, rights: IntArray
    ) -> NDArray[np.floating]:
        left, right = score_sides(batch)
        return span_log_probs(batch.counts[owners], lefts, rights, owners=owners, left=left, right=right)

    @staticmethod
    def _boundary_log_probs(
        batch: RunBatch[Any], owners: IntArray, lefts: IntArray, rights: IntArray
    ) -> NDArray[np.float64] | None:
        left, right = score_sides(batch)
        if left is None and right is None:
            return None
        counts = batch.counts[owners]
        found = tree_log_probs(counts, lefts, rights, owners=owners, left=left, right=right)
        strange = np.flatnonzero(~np.isfinite(found))
        if strange.size:  # of a graph that is broken, or of scores too small to add up: the check says which
            sides = (None if side is None else side[owners[strange]] for side in (left, right))
            try:
                check_batch_scores(counts[strange], *sides)
            except DecodingError as error:
                raise _placed(error, batch, owners[strange]) from None
        return found


def _placed(error: DecodingError | LinearizationError, batch: RunBatch[Any], rows: IntArray) -> SpanlinError:
    """Return an error about one of some sentences of the batch so that it names that sentence."""
    if error.sentence is None:
        return error
    return type(error)(f"{batch.place(int(rows[error.sentence]))}: {error.problem}")


_Side: TypeAlias = NDArray[np.floating] | None


def score_sides(batch: RunBatch[Any]) -> tuple[_Side, _Side]:
    """Return the scores of left and right boundaries, None for a side that the network does not score."""
    left, right = (batch.found.get(name) for name in SCORES)
    return left, right


def label_halves(batch: RunBatch[Any]) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """Return what the edges of spans bring to their labels: the outputs LABEL_HALVES."""
    left, right = (batch.found[name] for name in LABEL_HALVES)
    return left, right


def _widened(rows: IntArray, width: int) -> IntArray:
    """Return rows of this width, filled up with zeros."""
    wide = np.zeros((len(rows), width), dtype=np.int64)
    wide[:, : rows.shape[1]] = rows
    return wide


def _has_constituents(wanted: Constraints | None) -> bool:
    return wanted is not None and wanted.has_constituents
