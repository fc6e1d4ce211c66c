"""How sentences, sorted by length, are cut into batches: full ones, or those that take the least time."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

IntArray = NDArray[np.int64]


def full_batches(lengths: IntArray, *, tokens: int, most: int = 0) -> list[int]:
    """Return how many sentences each batch has, as many as go into `tokens` places; the longest come first.

    A longer sentence has a batch of its own. Of one length, all batches but perhaps one have as many sentences. `most`
    sentences are in a batch, 0 for any number.
    """
    counts: list[int] = []
    start = 0
    while start < len(lengths):
        count = min(max(1, tokens // int(lengths[start])), most or len(lengths), len(lengths) - start)
        counts.append(count)
        start += count
    return counts


def cheapest_batches(lengths: IntArray, *, tokens: int, overhead: int, most: int = 0) -> list[int]:
    """Return the same for the batches, each within the limits, whose places and `overhead` sum to least.

    A batch takes as many places as its longest sentence for each, and costs `overhead` places besides. By dynamic
    programming from the last sentence on; few sentences of many lengths gain the most.
    """
    total = len(lengths)
    numbers = np.arange(1, total + 1)
    costs = np.zeros(total + 1, dtype=np.int64)  # of all sentences from one on
    chosen = [0] * total
    for start in range(total - 1, -1, -1):
        length = int(lengths[start])
        count = min(max(1, tokens // length), most or total, total - start)
        options = costs[start + 1 : start + count + 1] + length * numbers[:count]
        best = int(options.argmin())
        costs[start] = options[best] + overhead
        chosen[start] = best + 1
    counts = []
    start = 0
    while start < total:
        counts.append(chosen[start])
        start += chosen[start]
    return counts
