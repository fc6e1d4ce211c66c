from __future__ import annotations

import threading
from typing import Any

import numpy as np
import pytest
import torch

from spanlin.network.kept_rows import KeptRows

VALUES = torch.randn(3, 4, 5, generator=torch.Generator().manual_seed(0))
WHOLE = VALUES.bfloat16().float().numpy()
ROWS = np.array([2, 0, 2])


@pytest.fixture
def kept() -> KeptRows:
    return KeptRows(VALUES.bfloat16(), threading.Lock(), None)


@pytest.mark.parametrize(
    "key",
    [
        ROWS,
        1,
        (ROWS, np.array([1, 3, 1])),
        (ROWS, slice(None, 2), slice(None, 3)),
        (1, slice(None, 2), slice(None, 3)),
        (ROWS[:, np.newaxis], np.array([[0, 1, 3]]), np.array([[4, 0, 2], [1, 1, 1], [0, 2, 4]])),
        (np.broadcast_to(np.array([1]), (3,)), ROWS),
        (np.zeros(0, dtype=np.int64), slice(None)),
    ],
)
def test_rows_are_read_by_indices_as_of_an_array(kept: KeptRows, key: Any) -> None:
    found = kept[key]
    assert found.dtype == np.float32
    np.testing.assert_array_equal(found, WHOLE[key])


def test_all_can_be_read_at_once(kept: KeptRows) -> None:
    assert kept.shape == WHOLE.shape
    np.testing.assert_array_equal(np.asarray(kept), WHOLE)
    assert np.asarray(kept, dtype=np.float64).dtype == np.float64
