"""Show: 500 untrusted requests are refused in the contract's form, quickly, and the service goes on as before."""

from __future__ import annotations

import json
import socket
import time
from collections.abc import Iterator
from importlib.util import find_spec
from typing import Any, NamedTuple

import pytest

if not all(map(find_spec, ("fastapi", "httpx", "prometheus_client", "uvicorn"))):
    pytest.skip("installed without the extras `serve` and `test`", allow_module_level=True)

import httpx

from hostile_requests import GOOD, MARKUP, Hostile, hostile_requests
from running_service import run_app
from spanlin.parser import Parser
from spanlin.server.app import PAGE_FOLDER, create_app
from spanlin.server.settings import ServerSettings

LONGEST = 20.0  # seconds; a busy machine is slow
REQUESTS = hostile_requests(seed=8)
TREE = "(TOP (S (NP (PRP She)) (VP (VBZ loves) (S (VP (VBG writing) (NP (NN code))))) (. .)))"
HTML = {path.read_bytes() for path in PAGE_FOLDER.iterdir()}


class Answer(NamedTuple):
    status: int
    headers: dict[str, str]
    body: bytes
    seconds: float


@pytest.fixture(scope="module")
def service() -> Iterator[httpx.Client]:
    with run_app(create_app(Parser.load(threads=1), ServerSettings(time_limit=2))) as client:
        yield client


@pytest.fixture(scope="module")
def patient() -> Iterator[httpx.Client]:
    """The same for what may take seconds, and then others behind it: trees are scored one request at a time."""
    with run_app(create_app(Parser.load(threads=1), ServerSettings(time_limit=15))) as client:
        yield client


def send(client: httpx.Client, hostile: Hostile) -> Answer:
    """Send the bytes and return the last answer; status 0 if the connection was closed without one."""
    start = time.perf_counter()
    received = b""
    address = client.base_url.host, client.base_url.port or 0
    with socket.create_connection(address, timeout=LONGEST) as connection:
        try:
            for piece in hostile.pieces:
                connection.sendall(piece)
                time.sleep(hostile.pause)
            if hostile.cut:
                connection.shutdown(socket.SHUT_WR)
        except OSError:
            pass  # it answered and hung up before it had all
        try:
            while piece := connection.recv(1 << 16):
                received += piece
        except ConnectionResetError:
            pass
    seconds = time.perf_counter() - start
    last = received[received.rfind(b"HTTP/1.1 ") :]
    head, _, body = last.partition(b"\r\n\r\n")
    lines = head.decode("latin-1").split("\r\n")
    headers = dict(line.lower().split(": ", 1) for line in lines[1:])
    return Answer(int(lines[0].split()[1]) if lines[0] else 0, headers, body, seconds)


def check_still_right(client: httpx.Client) -> None:
    answer = client.post("/v1/parse", content=GOOD, headers={"Content-Type": "application/json"})
    assert answer.status_code == 200
    assert answer.json()["results"][0]["sentences"][0]["brackets"] == TREE


def check_answer(hostile: Hostile, answer: Answer) -> None:
    assert answer.seconds < LONGEST
    if answer.status == 0:
        assert hostile.raw, "only who speaks no HTTP, or hangs up, goes without an answer"
        return
    assert answer.status in hostile.statuses, answer.body[:300]
    if hostile.raw and answer.headers.get("content-type", "").startswith("text/plain"):
        assert answer.body == b"Invalid HTTP request received.", "the same for everyone"
        return
    assert answer.headers["x-content-type-options"] == "nosniff"
    assert "default-src 'none'" in answer.headers["content-security-policy"]
    assert not {"set-cookie", "location", "access-control-allow-origin"} & answer.headers.keys()
    if answer.headers["content-type"].startswith(("text/html", "text/plain")):
        assert answer.status == 200
        assert MARKUP.encode() not in answer.body
        assert answer.body in HTML, "the page as it is"
        return
    assert answer.headers["content-type"] == "application/json"
    value = json.loads(answer.body)
    if answer.status >= 400:
        assert value.keys() == {"error"}
        assert value["error"].keys() == {"code", "message", "request_id"}
        assert "\n" not in value["error"]["message"]
        assert len(value["error"]["message"]) < 500
    elif "results" in value:
        check_parses(hostile, value)


def check_parses(hostile: Hostile, value: dict[str, Any]) -> None:
    """Check that an answer is about what was sent."""
    if b"chunked" in hostile.pieces[0]:
        return
    sent = json.loads(hostile.pieces[0].partition(b"\r\n\r\n")[2])
    if "tokens" in sent:
        found = [sentence["words"] for result in value["results"] for sentence in result["sentences"]]
        assert found == sent["tokens"]
    elif sent.get("format", "json") == "json":
        for result in value["results"]:
            for sentence in result["sentences"]:
                for word, (start, end) in zip(sentence["words"], sentence["offsets"], strict=True):
                    assert sent["text"][int(start) : int(end)] == word


def test_there_are_500_of_them() -> None:
    assert len({(hostile.pieces, hostile.cut) for hostile in REQUESTS}) == len(REQUESTS) >= 500


@pytest.mark.parametrize("family", sorted({hostile.family for hostile in REQUESTS}))
def test_hostile_requests_are_refused_and_the_service_goes_on(
    family: str, service: httpx.Client, patient: httpx.Client
) -> None:
    asked = patient if family == "trees" else service
    failures = []
    for hostile in REQUESTS:
        if hostile.family == family:
            try:
                check_answer(hostile, send(asked, hostile))
            except (AssertionError, KeyError, ValueError, TimeoutError) as error:
                shown = b" ".join(hostile.pieces)[-150:]
                failures.append(f"{shown!r}: {type(error).__name__}: {str(error)[:400]}")
    assert not failures, f"{len(failures)}: " + "\n\n".join(failures[:6])
    check_still_right(asked)


def test_no_request_was_our_own_error(service: httpx.Client) -> None:
    for hostile in REQUESTS[::20]:
        send(service, hostile)
    assert 'status="500"' not in service.get("/metrics").text
