"""Sentences longer than an encoder can read, cut into overlapping windows."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

IntArray = NDArray[np.int64]


class Windows(NamedTuple):
    """Windows over a sentence's pieces, and the one in which each word is read.

    Window w holds the pieces `starts[w]:ends[w]`; word j is read in window `chosen[j]`, where it stands furthest from
    an edge that is not the sentence's own.
    """

    starts: IntArray
    ends: IntArray
    chosen: IntArray


_OVERLAP = 128  # pieces that two neighbouring windows share: a word is read with half as many around it at least


def cut_windows(first_pieces: IntArray, last_pieces: IntArray, capacity: int) -> Windows:
    """Return windows of whole words with at most `capacity` pieces, as few as overlap well and of like length.

    No word may have more pieces than that.
    """
    ends_of_words = last_pieces + 1
    total = int(ends_of_words[-1])
    overlap = min(_OVERLAP, capacity // 2)
    starts: list[int] = []
    ends: list[int] = []
    word = 0
    while True:
        start = int(first_pieces[word])
        starts.append(start)
        left = total - start
        if left <= capacity:
            ends.append(total)
            break
        # As many windows as are needed for what is left share it evenly; a full one beside a short one costs more.
        count = -(-(left - overlap) // (capacity - overlap))
        length = -(-(left - overlap) // count) + overlap
        uncovered = max(word + 1, int(np.searchsorted(ends_of_words, start + length, side="right")))
        end = int(ends_of_words[uncovered - 1])
        ends.append(end)
        following = int(np.searchsorted(first_pieces, end - overlap, side="right")) - 1
        word = min(max(following, word + 1), uncovered)
    left_room = first_pieces[:, np.newaxis] - np.asarray(starts)
    right_room = np.asarray(ends) - ends_of_words[:, np.newaxis]
    inside = (left_room >= 0) & (right_room >= 0)
    far = np.iinfo(np.int64).max
    left_room[:, 0] = far  # the sentence itself begins there
    right_room[:, -1] = far
    room = np.where(inside, np.minimum(left_room, right_room), -1)
    return Windows(np.asarray(starts), np.asarray(ends), room.argmax(axis=1))
