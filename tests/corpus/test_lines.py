"""Byte ranges of a file of lines: however it is cut, each line is in one of them."""

from __future__ import annotations

import io
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spanlin.corpus.lines import Line, read_lines

contents = st.lists(st.sampled_from([b"\n", b"\r\n", b"a", b"bc", "é".encode(), "漢字".encode(), b"\xff", b" "])).map(
    b"".join
)


def whole_lines(data: bytes, longest: int) -> list[Line]:
    """Return the lines in the slow and obvious way."""
    found, place = [], 0
    for line in data.split(b"\n"):
        found.append(Line(place, line if len(line) <= longest else None))
        place += len(line) + 1
    return found if data and not data.endswith(b"\n") else found[:-1]


def lines_of_ranges(data: bytes, edges: list[int | None], *, longest: int, block: int) -> list[Line]:
    return [
        line
        for begin, end in pairwise(edges)
        for line in read_lines(io.BytesIO(data), begin or 0, end, longest=longest, block=block)
    ]


@given(contents, st.integers(1, 12), st.integers(1, 7), st.integers(0, 6))
def test_no_line_is_lost_or_doubled_whatever_the_unit_size(data: bytes, size: int, block: int, longest: int) -> None:
    edges = [*range(0, len(data), size), len(data)]
    assert lines_of_ranges(data, list(edges), longest=longest, block=block) == whole_lines(data, longest)


@given(contents, st.sets(st.integers(0, 40)), st.integers(1, 7))
def test_no_line_is_lost_or_doubled_wherever_it_is_cut(data: bytes, cuts: set[int], block: int) -> None:
    edges: list[int | None] = [*sorted({0, *cuts}), None]
    assert lines_of_ranges(data, edges, longest=100, block=block) == whole_lines(data, 100)


class Counting(io.BytesIO):
    """Bytes that know how many of them were read."""

    count = 0

    def read(self, size: int | None = -1) -> bytes:
        data = super().read(size)
        self.count += len(data)
        return data


@pytest.mark.parametrize("begin", [0, 1000])
def test_a_line_without_end_is_not_read_beyond_the_range(begin: int) -> None:
    stream = Counting(b"x" * 1_000_000)
    found = list(read_lines(stream, begin, begin + 1000, longest=10, block=100))
    assert found == ([Line(0, None)] if begin == 0 else [])
    assert stream.count <= 1200
