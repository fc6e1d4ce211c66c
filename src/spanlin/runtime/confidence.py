"""What speaks for each constituent and each arc; a calibration makes probabilities of it that mean what they say."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from spanlin.runtime.backend import Arrays, IntArray

FloatArray = NDArray[np.float64]

_FARTHEST = 12.0  # log-odds beyond which a network is not believed
_BEYOND = 500.0  # log-probabilities that are as good as impossible


def span_evidence(counts: IntArray, found: Arrays) -> FloatArray:
    """Return [batch, 2 * words - 1, 4] from a backend's outputs TREE and CONFIDENCE: what speaks for each span.

    The log-odds that the span and its label are both right; 1 for the whole sentence, of whose span the network is
    always certain; how sure it is of the sentence's tags, in mean log-probability, which differs between familiar and
    unfamiliar text; and of the sentence's spans, in mean log-odds.
    """
    span_log_probs, label_log_probs, tag_log_probs = (
        # Whatever an untrusted graph gives, no sum of these is infinite.
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
    evidence[..., 2] = _mean(tag_log_probs, counts)
    evidence[..., 3] = (np.where(is_span, log_odds(span_log_probs), 0.0).sum(axis=1) / (2 * counts - 1))[:, np.newaxis]
    return evidence


def arc_evidence(counts: IntArray, arc_log_probs: NDArray[np.floating], found: Arrays) -> FloatArray:
    """Return [batch, words, 3] from the log-probabilities of the words' heads, [batch, words], and CONFIDENCE.

    The log-odds that the head is right; how sure the network is of the sentence's tags, in mean log-probability; and
    of the sentence's heads, in mean log-odds.
    """
    odds = log_odds(np.clip(arc_log_probs.astype(np.float64), -_BEYOND, 0.0))
    evidence = np.empty((*odds.shape, 3))
    evidence[..., 0] = odds
    evidence[..., 1] = _mean(np.clip(found["tag_log_probs"].astype(np.float64), -_BEYOND, 0.0), counts)
    evidence[..., 2] = _mean(odds, counts)
    return evidence


def _mean(values: FloatArray, counts: IntArray) -> FloatArray:
    """Return [batch, 1], the means over the words of each sentence."""
    is_word = np.arange(values.shape[1]) < counts[:, np.newaxis]
    means: FloatArray = (np.where(is_word, values, 0.0).sum(axis=1) / counts)[:, np.newaxis]
    return means


def log_odds(log_probs: NDArray[np.floating]) -> FloatArray:
    """Return log(p / (1 - p)) from log p, within bounds."""
    log_probs = np.minimum(np.asarray(log_probs, dtype=np.float64), -1e-9)
    odds: FloatArray = np.clip(log_probs - np.log(-np.expm1(log_probs)), -_FARTHEST, _FARTHEST)
    return odds
