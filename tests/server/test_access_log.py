"""One line per request, if someone wants it."""

from __future__ import annotations

import logging
import re

import httpx
import pytest

from spanlin.server.access_log import log_request


@pytest.fixture
def lines(caplog: pytest.LogCaptureFixture) -> pytest.LogCaptureFixture:
    caplog.set_level(logging.INFO, logger="spanlin.access")
    return caplog


def test_a_request_is_one_line_without_its_text(client: httpx.Client, lines: pytest.LogCaptureFixture) -> None:
    headers = {"X-Request-ID": "mine", "Authorization": "Bearer secret"}
    answer = client.post("/v1/parse?q=secret", json={"text": "A secret."}, headers=headers)
    (line,) = lines.messages
    length = len(answer.content)
    assert re.fullmatch(
        rf"method=POST path=/v1/parse status=200 ms=\d+\.\d bytes={length} client=127\.0\.0\.1 id=mine", line
    )


def test_errors_are_lines_too_and_odd_paths_stay_on_theirs(
    client: httpx.Client, lines: pytest.LogCaptureFixture
) -> None:
    client.get("/a%0Astatus=200%20b")
    client.get("/" + "x" * 500)
    odd, long = lines.messages
    assert odd.startswith("method=GET path=/a%0Astatus%3D200%20b status=404 ")
    assert f"path=/{'x' * 199} status=404 " in long


def test_no_line_is_written_unless_asked_for(client: httpx.Client, caplog: pytest.LogCaptureFixture) -> None:
    client.get("/health")
    assert caplog.messages == []


def test_a_client_may_have_no_address(lines: pytest.LogCaptureFixture) -> None:
    scope = {"method": "GET", "path": "/\ud800", "client": None}
    log_request(scope, request_id="a", status=0, seconds=0.0012, answer_bytes=0)
    assert lines.messages == ["method=GET path=/%3F status=0 ms=1.2 bytes=0 client=- id=a"]
