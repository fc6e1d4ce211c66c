"""The labels of all spans of some sentences, scored and ranked for the search of labelled trees."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from spanlin.decoding import LabelSet, RankedLabels, SpanRules
from spanlin.decoding.tree_roles import Role
from spanlin.runtime.backend import Backend, Float32Array, IntArray
from spanlin.runtime.tree_spans import MOST_SPANS


def rank_labels(
    backend: Backend,
    labels: LabelSet,
    word_counts: IntArray,
    rules: Sequence[SpanRules],
    *,
    halves: tuple[Float32Array, Float32Array],
    temperature: float,
    ranks: int,
    with_shares: bool = True,
) -> RankedLabels:
    """Return the best labels of every span of each sentence, of which there is a row in each of `halves`.

    `halves` are the outputs LABEL_HALVES. Without shares there are no marginals. O(n^2) spans are labelled for a
    sentence of n words.
    """
    words = int(word_counts.max(initial=1))
    ranked = RankedLabels(labels, len(word_counts), words, ranks=ranks, with_shares=with_shares)
    for sentence, (count, rule) in enumerate(zip(word_counts.tolist(), rules, strict=True)):
        own = halves[0][sentence], halves[1][sentence]
        for role in Role:
            lefts, rights = spans_in_role(count, role)
            for start in range(0, len(lefts), MOST_SPANS):
                some = lefts[start : start + MOST_SPANS], rights[start : start + MOST_SPANS]
                scores = label_log_probs(backend, own, *some, role) / temperature
                ranked.put(role, (np.full(len(some[0]), sentence), *some), scores, rule.allowed(*some, role))
    return ranked


def spans_in_role(word_count: int, role: Role) -> tuple[IntArray, IntArray]:
    """Return the left and right ends of all spans that may have this role in some tree of a sentence."""
    if role is Role.ROOT:
        return np.array([0]), np.array([word_count])
    lefts, rights = np.triu_indices(word_count + 1, k=1)
    return lefts, rights


def label_log_probs(
    backend: Backend, halves: tuple[Float32Array, Float32Array], lefts: IntArray, rights: IntArray, role: Role
) -> Float32Array:
    """Return [spans, labels] for some spans of one sentence in this role; `halves` are its own, [words + 1, width]."""
    is_left, is_root = role is not Role.RIGHT, role is Role.ROOT
    flags = (np.full(len(lefts), is_left), np.full(len(lefts), is_root))
    return backend.label(halves[0][lefts], halves[1][rights], *flags)
