"""The dependency trees of a batch: the graph's own heads where they are a tree, else the best tree of its scores."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from spanlin.decoding.arcs import ArcConstraints
from spanlin.decoding.heads import are_trees, decode_heads_batch
from spanlin.errors import DecodingError
from spanlin.runtime.backend import RELATION_HALVES, Arrays, Backend, IntArray


@dataclass(frozen=True, kw_only=True)
class BatchDependencies:
    """The most probable dependency tree of each sentence, [batch, words] each; padding means nothing.

    Heads count words from 1, and 0 is the root. Relations and tags are numbers. `log_probs` are those of the heads.
    """

    heads: IntArray
    relations: IntArray
    universal_tags: IntArray
    log_probs: NDArray[np.floating]


def find_dependencies(
    backend: Backend, word_counts: IntArray, found: Arrays, constraints: Sequence[ArcConstraints | None] = ()
) -> BatchDependencies:
    """Return the dependencies of a batch that was run with the outputs DEPENDENCIES, ARC_SCORES and RELATION_HALVES.

    If the best heads of a sentence's words are a tree with one root, no other tree is more probable. Only the other
    sentences are decoded again, in O(n^3) time each, and only arcs that change get another relation. `constraints` are
    one or None for each sentence, or none at all; an error has the sentence that it is about.
    """
    heads, relations = found["heads"], found["relations"]
    is_constrained = np.array([bool(wanted) for wanted in constraints] or False)
    again = np.flatnonzero(~are_trees(heads, word_counts) | is_constrained)
    if again.size:
        counts = word_counts[again]
        longest = int(counts.max())
        scores = found["arc_log_probs"][again, :longest, : longest + 1]
        wanted = [constraints[row] for row in again.tolist()] if len(constraints) else None
        try:
            decoded = decode_heads_batch(counts, scores.astype(np.float64), constraints=wanted).heads
        except DecodingError as error:
            if error.sentence is None:
                raise
            raise type(error)(error.problem, sentence=int(again[error.sentence])) from None
        heads, relations = heads.copy(), relations.copy()
        is_word = np.arange(longest) < counts[:, np.newaxis]
        rows, dependents = np.nonzero(is_word & (heads[again, :longest] != decoded))
        sentences, moved = again[rows], decoded[rows, dependents]
        by_head, by_dependent = (found[name] for name in RELATION_HALVES)
        scored = backend.relate(by_head[sentences, moved], by_dependent[sentences, dependents], moved == 0)
        heads[sentences, dependents] = moved
        relations[sentences, dependents] = scored.argmax(axis=1)
    batch, width = heads.shape
    log_probs = found["arc_log_probs"][np.arange(batch)[:, np.newaxis], np.arange(width), heads]
    return BatchDependencies(
        heads=heads,
        relations=relations,
        universal_tags=found["universal_tags"],
        log_probs=log_probs,
    )
