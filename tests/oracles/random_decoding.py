"""Random input for the decoders: sequences mostly illegal, scores with and without ties and impossible boundaries."""

from __future__ import annotations

import numpy as np


def random_boundaries(generator: np.random.Generator, batch_size: int, word_count: int) -> np.ndarray:
    """Left boundaries [batch, n], each uniform over its range, the root's too."""
    return (generator.random((batch_size, word_count)) * np.arange(1, word_count + 1)).astype(np.int64)


def random_log_probs(
    generator: np.random.Generator, batch_size: int, word_count: int, kind: str, *, side: str = "left"
) -> np.ndarray:
    """Scores [batch, n, n] of the `left` or `right` side.

    `kind` is `plain` (normalised), `ties` (small integers), `sharp` (mostly legal) or `holes` (some -inf).
    """
    shape = (batch_size, word_count, word_count)
    if kind == "ties":
        scores = generator.integers(-2, 1, shape).astype(np.float64)
    else:
        scores = generator.normal(0, 6 if kind == "sharp" else 1, shape)
    scores = np.where(np.tri(word_count, dtype=bool), scores, -np.inf)
    if kind != "ties":
        scores -= np.log(np.exp(scores).sum(axis=2, keepdims=True))
    if kind == "holes":
        holes = generator.random(shape) < 0.4
        # One boundary of each split point stays possible, and the longest of the root's.
        holes[:, np.arange(word_count), np.arange(word_count)] = False
        holes[:, -1, 0] = False
        scores = np.where(holes, -np.inf, scores)
    return scores if side == "left" else scores[:, ::-1, ::-1].copy()


def pad(scores: np.ndarray, max_words: int, filler: float) -> np.ndarray:
    """Scores [batch, n, n] in the corner of [batch, max_words, max_words]."""
    padded = np.full((len(scores), max_words, max_words), filler)
    padded[:, : scores.shape[1], : scores.shape[2]] = scores
    return padded
