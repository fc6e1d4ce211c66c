from __future__ import annotations

import numpy as np
import pytest

from spanlin.runtime.input_rows import padded_width, with_edges


@pytest.mark.parametrize(
    ("counts", "multiple", "edges", "expected"),
    [
        ([1], 1, 0, 2),
        ([1], 1, 2, 2),
        ([5, 3], 1, 0, 5),
        ([5], 4, 0, 8),
        ([5], 4, 2, 6),
        ([1], 4, 2, 2),
        ([7], 4, 2, 10),
    ],
)
def test_a_batch_is_as_wide_as_its_longest_sentence_rounded_up_with_its_edges(
    counts: list[int], multiple: int, edges: int, expected: int
) -> None:
    assert padded_width(np.array(counts), multiple, edges=edges) == expected


def test_edges_stand_around_each_sentence() -> None:
    found = with_edges(np.array([[5, 6, 7], [8, 0, 0]]), np.array([3, 1]), start=1, stop=np.array([2, 3]), padding=9)
    assert found.tolist() == [[1, 5, 6, 7, 2], [1, 8, 3, 0, 9]]
