"""How sure a parser is of each constituent, as a probability that means what it says."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from spanlin.runtime.backend import Arrays, Ints

Floats = NDArray[np.float64]

_FARTHEST = 12.0  # log-odds beyond which a network is not believed
_BEYOND = 500.0  # log-odds that are certainty, and log-probabilities that are none


@dataclass(frozen=True, kw_only=True)
class Calibration:
    """Turns what a network says of a span and its sentence into the chance that span and label are right.

    A weight for each kind of evidence (see `span_evidence`) and an offset, fitted on trees that the network was not
    trained on. As it stands it believes the network.
    """

    span: float = 1.0
    root: float = 0.0
    tags: float = 0.0
    sentence: float = 0.0
    offset: float = 0.0

    def __call__(self, evidence: NDArray[np.floating]) -> Floats:
        """Return the probability of each labelled span from its evidence, [..., 4]."""
        odds = evidence @ np.array([self.span, self.root, self.tags, self.sentence]) + self.offset
        probabilities: Floats = 1.0 / (1.0 + np.exp(-np.clip(odds, -_BEYOND, _BEYOND)))
        return probabilities


def span_evidence(counts: Ints, found: Arrays) -> Floats:
    """Return [batch, 2 * words - 1, 4] from a backend's outputs TREE and CONFIDENCE: what speaks for each span.

    The log-odds that the span and its label are both right; 1 for the whole sentence, of whose span the network is
    always certain; how sure it is of the sentence's tags, in mean log-probability, which tells familiar text from
    strange; and of the sentence's spans, in mean log-odds.
    """
    span_log_probs, label_log_probs, tag_log_probs = (
        # Whatever a stranger's graph may give: no sum of these is infinite.
        np.clip(found[name].astype(np.float64), -_BEYOND, 0.0)
        for name in ("span_log_probs", "label_log_probs", "tag_log_probs")
    )
    ends = counts[:, np.newaxis]
    is_word = np.arange(tag_log_probs.shape[1]) < ends
    is_split = np.arange(found["lefts"].shape[1]) < ends - 1
    is_span = np.concatenate([is_split, is_word], axis=1)
    split_roots = is_split & (found["lefts"] == 0) & (found["rights"] == ends)
    evidence = np.empty((*span_log_probs.shape, 4))
    evidence[..., 0] = log_odds(span_log_probs + label_log_probs)
    evidence[..., 1] = np.concatenate([split_roots, is_word & (ends == 1)], axis=1)
    evidence[..., 2] = (np.where(is_word, tag_log_probs, 0.0).sum(axis=1) / counts)[:, np.newaxis]
    evidence[..., 3] = (np.where(is_span, log_odds(span_log_probs), 0.0).sum(axis=1) / (2 * counts - 1))[:, np.newaxis]
    return evidence


def log_odds(log_probs: NDArray[np.floating]) -> Floats:
    """Return log(p / (1 - p)) from log p, within bounds."""
    log_probs = np.minimum(np.asarray(log_probs, dtype=np.float64), -1e-9)
    odds: Floats = np.clip(log_probs - np.log(-np.expm1(log_probs)), -_FARTHEST, _FARTHEST)
    return odds
