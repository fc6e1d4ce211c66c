"""Every request has an id: in the answer, in its error, and in the log."""

from __future__ import annotations

import re

import httpx
import pytest

from spanlin.server.request_ids import HEADER, read_request_id


def test_a_sane_id_comes_back(client: httpx.Client) -> None:
    answer = client.post("/v1/parse", json={"text": "Yes."}, headers={HEADER: "job-7.a_B"})
    assert answer.status_code == 200
    assert answer.headers.get_list(HEADER) == ["job-7.a_B"]


@pytest.mark.parametrize("given", [None, b"", b"a b", b"x" * 65, b'a"b', b"\xe9", b"a\tb"])
def test_any_other_request_gets_an_id_of_its_own(client: httpx.Client, given: bytes | None) -> None:
    headers = {} if given is None else {HEADER.encode(): given}
    found = [client.get("/health", headers=headers).headers[HEADER] for _ in range(2)]
    assert all(re.fullmatch("[0-9a-f]{32}", one) for one in found)
    assert len(set(found)) == 2


@pytest.mark.parametrize(
    ("method", "path", "status"),
    [("POST", "/v1/parse", 415), ("GET", "/nothing", 404), ("DELETE", "/health", 405), ("GET", "/a%00b", 404)],
)
def test_errors_name_the_id(client: httpx.Client, method: str, path: str, status: int) -> None:
    answer = client.request(method, path, headers={HEADER: "mine"})
    assert (answer.status_code, answer.headers[HEADER]) == (status, "mine")
    assert answer.json()["error"]["request_id"] == "mine"
    other = client.request(method, path)
    assert other.json()["error"]["request_id"] == other.headers[HEADER] != "mine"


def test_an_id_cannot_break_a_line_of_the_log() -> None:
    for given in (b"a\nb", b"a\rb", b"a\x00", b"\xff"):
        assert re.fullmatch("[0-9a-f]{32}", read_request_id([(b"x-request-id", given)]))
