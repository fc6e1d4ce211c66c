"""Other trees than the one in the graph: decoded from the network's scores, then labelled by its second graph."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import get_args

import numpy as np
from numpy.typing import NDArray

from spanlin.decoding import (
    Constraints,
    Decoder,
    ScoredTree,
    best_trees,
    decode,
    decode_batch,
    span_marginals_batch,
)
from spanlin.decoding.scores import check_batch_scores
from spanlin.errors import DecodingError, LinearizationError
from spanlin.runtime.backend import BOUNDARIES, CONFIDENCE, LABEL_HALVES, SCORES, TREE, Arrays, Backend, Bools, Ints
from spanlin.runtime.sentences import RunBatch
from spanlin.runtime.tree_shapes import TreeShapes, join_rounds, labelled_spans, required_spans, shapes_of
from spanlin.runtime.tree_spans import label_spans, span_log_probs
from spanlin.trees.transforms import constituent_labels

_MOST_ROUNDS = 16  # of the search for k trees that differ in more than spans without a label
_NAMED_LABELS, _NAMED_WORDS = 12, 5  # in an error message


@dataclass(frozen=True, kw_only=True)
class TreeOptions:
    """Which trees are wanted, and what is wanted of them; what is impossible raises a DecodingError."""

    decoder: Decoder = "argmin"
    root_label: str = ""
    k_best: int = 1
    marginals: bool = False
    scores: bool = False

    def __post_init__(self) -> None:
        if self.decoder not in get_args(Decoder):
            raise DecodingError(f"unknown decoder {self.decoder!r}: choose one of {', '.join(get_args(Decoder))}")
        if self.k_best < 1:
            raise DecodingError(f"k_best is {self.k_best}: ask for at least one tree")
        if self.k_best > 1 and self.decoder not in ("argmin", "cky"):
            raise DecodingError(
                f"k_best gives the most probable trees, which are cky's: leave the decoder {self.decoder!r} out"
            )

    @property
    def used_decoder(self) -> Decoder:
        """The decoder that the first tree is from."""
        return "cky" if self.k_best > 1 else self.decoder


@dataclass(frozen=True, kw_only=True)
class Trees:
    """Trees of a batch's sentences, those of one sentence one after the other, the best first.

    `found` has TREE, CONFIDENCE and BOUNDARIES, a row a tree; `owners`, [trees], are their sentences. `certified` tells
    which are known to be the most probable that the constraints allow. `log_probs`, [trees], is None where the scores
    were not needed, and `marginals`, [batch, words + 1, words + 1], where it was not asked for.
    """

    found: Arrays
    owners: Ints
    certified: Bools
    log_probs: NDArray[np.float64] | None
    marginals: NDArray[np.float64] | None


class Redecoder:
    """Finds the wanted trees of batches that a backend has run.

    A sentence of n words costs O(n^3) time and O(n^2) memory, or what its greedy tree costs if that is all that is
    wanted. Nothing is decoded or labelled again for trees that are the graph's own.
    """

    def __init__(self, backend: Backend, labels: Sequence[str], options: TreeOptions, *, constrained: bool) -> None:
        self._backend = backend
        self._options = options
        self._root_labels = _root_labels(labels, options.root_label) if options.root_label else None
        wanted = [*TREE, *CONFIDENCE, *BOUNDARIES]
        is_greedy = options.used_decoder == "argmin" and not constrained
        if not is_greedy or options.marginals or options.scores:
            wanted += SCORES
        if not is_greedy or options.root_label:
            wanted += LABEL_HALVES
        self.outputs = tuple(name for name in wanted if name in backend.outputs)
        """What the backend has to be asked for."""

    def __call__(self, batch: RunBatch, constraints: Sequence[Constraints | None]) -> Trees:
        """Return the trees of a batch that was run with `outputs`; there is an item of `constraints` a sentence."""
        if self._options.k_best > 1:
            shapes, found = self._k_best(batch, constraints)
        else:
            shapes = self._one_best(batch, constraints)
            found = self._labelled(batch, shapes, constraints)
        marginals = None
        if self._options.marginals:
            left, right = _sides(batch)
            marginals = span_marginals_batch(batch.counts, left, right, constraints=constraints)
        return Trees(
            found=found,
            owners=shapes.owners,
            certified=shapes.certified,
            log_probs=shapes.log_probs,
            marginals=marginals,
        )

    def _one_best(self, batch: RunBatch, constraints: Sequence[Constraints | None]) -> TreeShapes:
        counts, decoder = batch.counts, self._options.decoder
        lefts, rights = batch.found["lefts"].copy(), batch.found["rights"].copy()
        certified = np.zeros(len(counts), dtype=np.bool_)
        left, right = _sides(batch)
        again = np.array([decoder != "argmin" or wanted is not None for wanted in constraints], dtype=np.bool_)
        if again.any():
            rows = np.flatnonzero(again)
            part = [None if side is None else side[rows] for side in (left, right)]
            wanted = [constraints[row] for row in rows.tolist()]
            try:
                decoded = decode_batch(counts[rows], *part, decoder=decoder, constraints=wanted)
            except (DecodingError, LinearizationError):
                _raise_with_place(batch, rows.tolist(), constraints, decoder)
                raise
            lefts[rows], rights[rows], certified[rows] = decoded.lefts, decoded.rights, decoded.certified
        log_probs = None
        if left is not None or right is not None:
            log_probs = check_batch_scores(counts, left, right).tree_log_probs(lefts, rights)
        return TreeShapes(
            owners=np.arange(len(counts)), lefts=lefts, rights=rights, certified=certified, log_probs=log_probs
        )

    def _k_best(self, batch: RunBatch, constraints: Sequence[Constraints | None]) -> tuple[TreeShapes, Arrays]:
        """Return the trees of each sentence, best first, and what `_labelled` says of them.

        Binary trees that differ only in spans without a label are one tree, so that some are found in vain.
        """
        sources = [_best_trees(batch, row, wanted) for row, wanted in enumerate(constraints)]
        known: list[set[Hashable]] = [set() for _ in sources]
        parts: list[tuple[TreeShapes, Arrays]] = []
        rows = list(range(len(sources)))
        for _ in range(_MOST_ROUNDS):
            drawn = [
                (row, tree) for row in rows for tree in islice(sources[row], self._options.k_best - len(known[row]))
            ]
            if not drawn:
                break
            shapes = shapes_of(drawn, batch.found["lefts"].shape[1])
            found = self._labelled(batch, shapes, constraints)
            fresh = []
            for number, (row, _) in enumerate(drawn):
                key = labelled_spans(found, number, int(batch.counts[row]))
                if key not in known[row]:
                    shapes.certified[number] = not known[row]
                    known[row].add(key)
                    fresh.append(number)
            parts.append((shapes.select(fresh), {name: values[fresh] for name, values in found.items()}))
            rows = [row for row in rows if len(known[row]) < self._options.k_best]
        return join_rounds(parts)

    def _labelled(self, batch: RunBatch, shapes: TreeShapes, constraints: Sequence[Constraints | None]) -> Arrays:
        """Return TREE, CONFIDENCE and BOUNDARIES of the trees; those that the graph has found keep what it says."""
        if LABEL_HALVES[0] not in batch.found:  # no other tree and no other label was ever in question
            return batch.found
        required = required_spans(shapes, constraints)
        owners, lefts, rights = shapes.owners, shapes.lefts, shapes.rights
        names = (*TREE, *CONFIDENCE, *BOUNDARIES)
        trees = {name: batch.found[name][owners] for name in names if name in batch.found}
        counts = batch.counts[owners]
        is_split = np.arange(1, lefts.shape[1] + 1) < counts[:, np.newaxis]
        moved = (((trees["lefts"] != lefts) | (trees["rights"] != rights)) & is_split).any(axis=1)
        again = moved | (required[:, : lefts.shape[1]] & (trees["split_labels"] == 0)).any(axis=1)
        if self._root_labels is not None:
            again[:] = True
        if not again.any():
            return trees
        trees["lefts"], trees["rights"] = lefts, rights
        labels, label_log_probs = label_spans(
            self._backend,
            counts[again],
            lefts[again],
            rights[again],
            owners=owners[again],
            halves=(batch.found["label_lefts"], batch.found["label_rights"]),
            required=required[again],
            root_labels=self._root_labels,
        )
        trees["split_labels"][again] = labels[:, : lefts.shape[1]]
        trees["word_labels"][again] = labels[:, lefts.shape[1] :]
        trees["label_log_probs"][again] = label_log_probs
        if moved.any():
            left, right = _sides(batch)
            trees["span_log_probs"][moved] = span_log_probs(
                counts[moved], lefts[moved], rights[moved], owners=owners[moved], left=left, right=right
            )
        return trees


def _best_trees(batch: RunBatch, row: int, constraints: Constraints | None) -> Iterator[ScoredTree]:
    try:
        return best_trees(*_own_sides(batch, row), constraints=constraints)
    except DecodingError as error:
        raise type(error)(f"{_place(batch, row)}: {error}") from None


def _sides(batch: RunBatch) -> tuple[NDArray[np.floating] | None, NDArray[np.floating] | None]:
    left, right = (batch.found.get(name) for name in SCORES)
    return left, right


def _own_sides(batch: RunBatch, row: int) -> tuple[NDArray[np.floating] | None, NDArray[np.floating] | None]:
    count = int(batch.counts[row])
    left, right = (None if side is None else side[row, :count, :count] for side in _sides(batch))
    return left, right


def _raise_with_place(
    batch: RunBatch, rows: Sequence[int], constraints: Sequence[Constraints | None], decoder: Decoder
) -> None:
    """Raise the first error of the sentences one by one, with the place that it has for whoever gave them."""
    for row in rows:
        try:
            decode(*_own_sides(batch, row), decoder=decoder, constraints=constraints[row])
        except (DecodingError, LinearizationError) as error:
            raise type(error)(f"{_place(batch, row)}: {error}") from None


def _place(batch: RunBatch, row: int) -> str:
    words = batch.words[row]
    start = " ".join(words[:_NAMED_WORDS]) + (" ..." if len(words) > _NAMED_WORDS else "")
    return f"sentence {batch.numbers[row] + 1} ({start!r})"


def _root_labels(labels: Sequence[str], wanted: str) -> Bools:
    """Return [labels], which of them put this one below the root, or raise a DecodingError that names some."""
    tops = [next(iter(constituent_labels(label)), "") for label in labels]
    found: Bools = np.array([top == wanted for top in tops])
    if not found.any():
        known = sorted({top for top in tops if top})
        named = ", ".join(known[:_NAMED_LABELS]) + (" ..." if len(known) > _NAMED_LABELS else "")
        raise DecodingError(f"no root label {wanted!r}: the model knows {named}")
    return found
