from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from spanlin.runtime.piece_rows import make_piece_rows
from spanlin.runtime.windows import cut_windows

sentences = st.lists(st.integers(1, 6), min_size=1, max_size=60)  # pieces of each word


def places(piece_counts: list[int]) -> tuple[np.ndarray, np.ndarray]:
    ends = np.cumsum(piece_counts)
    return ends - piece_counts + 1, ends


@given(sentences, st.integers(6, 20))
def test_windows_hold_every_word_whole_and_within_their_capacity(piece_counts: list[int], capacity: int) -> None:
    first, last = places(piece_counts)
    windows = cut_windows(first, last, capacity)
    assert (windows.ends - windows.starts <= capacity).all()
    assert windows.starts[0] == first[0]
    assert windows.ends[-1] == last[-1] + 1
    assert (np.diff(windows.starts) > 0).all()
    assert (windows.starts[windows.chosen] <= first).all()
    assert (windows.ends[windows.chosen] > last).all()


@given(sentences, st.integers(6, 20))
def test_a_word_is_read_where_it_stands_furthest_from_an_edge(piece_counts: list[int], capacity: int) -> None:
    first, last = places(piece_counts)
    windows = cut_windows(first, last, capacity)

    def room(word: int, window: int) -> float:
        start, end = windows.starts[window], windows.ends[window]
        if first[word] < start or last[word] >= end:
            return -1
        left = np.inf if window == 0 else first[word] - start
        right = np.inf if window == len(windows.starts) - 1 else end - last[word] - 1
        return min(left, right)

    for word in range(len(first)):
        rooms = [room(word, window) for window in range(len(windows.starts))]
        assert room(word, windows.chosen[word]) == max(rooms)


@given(st.lists(sentences, min_size=1, max_size=5), st.integers(8, 24), st.sampled_from([1, 8]))
def test_every_position_is_read_from_its_own_pieces(batch: list[list[int]], limit: int, multiple: int) -> None:
    made = []
    unique = 1
    for piece_counts in batch:
        first, last = places(piece_counts)
        count = int(last[-1]) + 2
        pieces = np.arange(unique, unique + count)
        unique += count
        made.append((pieces, first, last))
    width = max(len(first) for _, first, _ in made)
    rows = make_piece_rows(made, limit=limit, width=width, multiple=multiple)
    assert rows.piece_counts.max() <= limit
    assert rows.pieces.shape[1] % multiple == 0
    flat = rows.pieces.ravel()
    for number, (pieces, first, last) in enumerate(made):
        for word in range(len(first)):
            start, stop = rows.first_pieces[number, word + 1], rows.last_pieces[number, word + 1]
            assert flat[start : stop + 1].tolist() == pieces[first[word] : last[word] + 1].tolist()
        assert flat[rows.first_pieces[number, 0]] == pieces[0]
        assert flat[rows.last_pieces[number, len(first) + 1]] == pieces[-1]


def test_a_sentence_that_fits_takes_one_row() -> None:
    pieces = np.array([101, 7, 8, 9, 102])
    rows = make_piece_rows([(pieces, np.array([1, 3]), np.array([2, 3]))], limit=5, width=2)
    assert rows.pieces.tolist() == [pieces.tolist()]
    assert rows.first_pieces.tolist() == [[0, 1, 3, 4]]
    assert rows.last_pieces.tolist() == [[0, 2, 3, 4]]
