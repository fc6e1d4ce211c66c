from __future__ import annotations

import json
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from spanlin.parsed_json import (
    FloatArray,
    log_probs_to_rows,
    marginals_to_spans,
    rows_to_log_probs,
    spans_to_marginals,
)

LOG_PROBS = st.one_of(st.just(-math.inf), st.floats(-50, 0))


@st.composite
def squares(draw: st.DrawFn, values: st.SearchStrategy[float]) -> FloatArray:
    width = draw(st.integers(0, 6))
    drawn = draw(st.lists(values, min_size=width * width, max_size=width * width))
    return np.array(drawn, dtype=np.float64).reshape(width, width)


@given(squares(LOG_PROBS))
def test_log_probabilities_come_back_from_strict_json_to_six_decimals(
    log_probs: FloatArray,
) -> None:
    rows = json.loads(json.dumps(log_probs_to_rows(log_probs), allow_nan=False))
    again = rows_to_log_probs(rows)
    assert again.shape == log_probs.shape
    assert np.array_equal(np.isneginf(again), np.isneginf(log_probs))
    possible = np.isfinite(log_probs)
    assert np.abs(again[possible] - log_probs[possible]).max(initial=0) <= 5.001e-7


@given(squares(st.floats(0, 1)).filter(len))
def test_marginals_come_back_except_the_smallest(marginals: FloatArray) -> None:
    spans = json.loads(json.dumps(marginals_to_spans(marginals)))
    again = spans_to_marginals(spans, len(marginals) - 1)
    kept = marginals >= 0.0005
    assert len(spans) == kept.sum()
    assert not again[~kept].any()
    assert np.abs(again[kept] - marginals[kept]).max(initial=0) <= 5.001e-7


def test_edges_of_a_span_are_whole_numbers_in_json() -> None:
    assert json.dumps(marginals_to_spans(np.array([[0.0, 0.5], [0.0, 0.0]]))) == "[[0, 1, 0.5]]"


@pytest.mark.parametrize("rows", [[[0.0], [0.0, 0.0]], [[0.0, 0.0]]])
def test_rows_that_make_no_square_are_refused(rows: list[list[float | None]]) -> None:
    with pytest.raises(ValueError, match=r"inhomogeneous|cannot reshape"):
        rows_to_log_probs(rows)
