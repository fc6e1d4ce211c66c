"""Answers and errors in their one form."""

from __future__ import annotations

import json

import pytest

from spanlin.server.answers import STATUSES, RequestError, error_response, json_response
from spanlin.server.request_ids import current_request_id


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
