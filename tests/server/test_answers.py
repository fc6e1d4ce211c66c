"""Answers and errors in their one form."""

from __future__ import annotations

import json
import math
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spanlin.server.answers import STATUSES, RequestError, error_response, json_bytes, json_response
from spanlin.server.request_ids import current_request_id

values: st.SearchStrategy[Any] = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**53), 2**53)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(st.characters()),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(st.characters()), inner, max_size=3),
    max_leaves=10,
)


@given(values)
def test_any_value_comes_back_lone_surrogates_too(value: Any) -> None:
    raw = json_bytes(value)
    raw.decode()
    assert json.loads(raw) == value


@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf])
def test_what_is_no_number_in_json_is_null(value: float) -> None:
    assert json.loads(json_bytes([value, 1.5])) == [None, 1.5]


@pytest.mark.parametrize("status", [*STATUSES, 418])
def test_an_error_has_a_code_one_line_and_the_id_of_its_request(status: int) -> None:
    token = current_request_id.set("mine")
    try:
        found = error_response(status, "one\n  two", {"Retry-After": "3"})
    finally:
        current_request_id.reset(token)
    error = json.loads(bytes(found.body))["error"]
    assert (error["message"], error["request_id"]) == ("one two", "mine")
    assert error["code"].replace("_", "").isalpha()
    assert (found.status_code, found.headers["retry-after"]) == (status, "3")


def test_answers_are_json_that_nobody_keeps() -> None:
    found = json_response(b"{}", headers={"X-A": "b"})
    assert (found.status_code, found.body) == (200, b"{}")
    assert found.headers["content-type"] == "application/json"
    assert (found.headers["cache-control"], found.headers["x-a"]) == ("no-store", "b")


def test_an_error_keeps_its_own_headers() -> None:
    headers = {"Retry-After": "1"}
    error = RequestError(503, "later", headers=headers)
    headers.clear()
    assert (error.status, str(error), error.headers) == (503, "later", {"Retry-After": "1"})
    assert RequestError(400, "no").headers == {}
