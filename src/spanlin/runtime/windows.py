"""Sentences longer than an encoder can read, cut into overlapping windows."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Ints = NDArray[np.int64]


class Windows(NamedTuple):
    """Windows over a sentence's pieces, and the one in which each word is read.

    Window w holds the pieces `starts[w]:ends[w]`; word j is read in window `chosen[j]`, where it stands furthest from
    an edge that is not the sentence's own.
    """

    starts: Ints
    ends: Ints
    chosen: Ints


def cut_windows(first_pieces: Ints, last_pieces: Ints, capacity: int) -> Windows:
    """Return windows of whole words with at most `capacity` pieces, each starting about half a window after another.

    No word may have more pieces than that.
    """
    ends_of_words = last_pieces + 1
    starts: list[int] = []
    ends: list[int] = []
    word = 0
    while True:
        start = int(first_pieces[word])
        end = int(ends_of_words[np.searchsorted(ends_of_words, start + capacity, side="right") - 1])
        starts.append(start)
        ends.append(end)
        if end == ends_of_words[-1]:
            break
        following = int(np.searchsorted(first_pieces, start + capacity // 2, side="right")) - 1
        word = max(following, word + 1)
    left_room = first_pieces[:, np.newaxis] - np.asarray(starts)
    right_room = np.asarray(ends) - ends_of_words[:, np.newaxis]
    inside = (left_room >= 0) & (right_room >= 0)
    far = np.iinfo(np.int64).max
    left_room[:, 0] = far  # the sentence itself begins there
    right_room[:, -1] = far
    room = np.where(inside, np.minimum(left_room, right_room), -1)
    return Windows(np.asarray(starts), np.asarray(ends), room.argmax(axis=1))
