"""The service as a process: how it starts, is told to stop, and fails."""

from __future__ import annotations

import asyncio
import json
import re
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx
import pytest

from spanlin.errors import ConfigError, SpanlinError
from spanlin.server import running

BODY = json.dumps({"tokens": [["Dogs", "bark", "at", f"number{number}", "."] for number in range(4)]}).encode()
REQUEST = (
    b"POST /v1/parse HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n" % len(BODY)
) + BODY


@contextmanager
def service(*options: str, **variables: str) -> Iterator[tuple[subprocess.Popen[str], int]]:
    """A service in a process of its own, and its port."""
    process = subprocess.Popen(
        [sys.executable, "-m", "spanlin", "serve", "--port", "0", *options],
        stderr=subprocess.PIPE,
        text=True,
        env=_environment() | variables,
    )
    try:
        assert process.stderr is not None
        line = process.stderr.readline()
        found = re.fullmatch(r"spanlin: serving en at http://127\.0\.0\.1:(\d+) \(Ctrl-C stops\)\n", line)
        assert found, line + process.stderr.read()
        yield process, int(found[1])
    finally:
        process.kill()
        process.communicate()


def _environment() -> dict[str, str]:
    import os

    import spanlin

    source = str(Path(spanlin.__file__).parents[1])
    return os.environ | {"PYTHONPATH": os.pathsep.join([source, os.environ.get("PYTHONPATH", "")])}


class Tally:
    """What clients saw: whole answers, and requests of which the service had not taken notice when it stopped."""

    def __init__(self) -> None:
        self.whole = 0
        self.refused = 0
        self.broken: list[str] = []


async def ask_until_stopped(port: int, tally: Tally) -> None:
    """Ask one thing after the other, over one connection as long as it is kept open, until there is no service."""
    while True:
        try:
            reader, writer = await asyncio.open_connection("127.0.0.1", port)
        except OSError:
            return
        try:
            while True:
                writer.write(REQUEST)
                head = b""
                try:
                    head = await reader.readuntil(b"\r\n\r\n")
                    length = re.search(rb"content-length: (\d+)", head)
                    assert length
                    body = await reader.readexactly(int(length[1]))
                except (OSError, asyncio.IncompleteReadError) as error:
                    if head or getattr(error, "partial", b""):
                        tally.broken.append(repr(error))
                    else:
                        tally.refused += 1
                    break
                if not head.startswith(b"HTTP/1.1 200 ") or len(json.loads(body)["results"]) != 4:
                    tally.broken.append(f"{head!r} {body!r}")
                tally.whole += 1
                if b"connection: close" in head.lower():
                    break
        finally:
            writer.close()


def test_told_to_stop_under_load_it_answers_all_it_accepted_and_exits_with_0() -> None:
    tally = Tally()
    with service("--shutdown-time", "20") as (process, port):

        async def load() -> float:
            clients = [asyncio.create_task(ask_until_stopped(port, tally)) for _ in range(16)]
            while tally.whole < 50:
                await asyncio.sleep(0.01)
            process.send_signal(signal.SIGTERM)
            start = time.perf_counter()
            await asyncio.wait_for(asyncio.gather(*clients), 30)
            return time.perf_counter() - start

        seconds = asyncio.run(load())
        assert process.stderr is not None
        rest = process.stderr.read()
        assert process.wait(20) == 0
    accepted = re.fullmatch(r"spanlin: stopped after (\d+) requests to parse\n", rest)
    assert accepted, rest
    assert tally.broken == []
    assert tally.whole == int(accepted[1]) >= 50
    assert seconds < 20


def test_killed_under_load_it_hangs_no_client_leaves_nothing_and_starts_again_on_its_port(tmp_path: Path) -> None:
    tally = Tally()
    with service(TMPDIR=str(tmp_path)) as (process, port):

        async def load() -> None:
            clients = [asyncio.create_task(ask_until_stopped(port, tally)) for _ in range(16)]
            while tally.whole < 50:
                await asyncio.sleep(0.01)
            process.kill()
            await asyncio.wait_for(asyncio.gather(*clients), 30)

        asyncio.run(load())
        assert process.wait(20) == -signal.SIGKILL
    # What a client has to its end is right; what was cut off is seen to be cut off.
    assert tally.whole >= 50
    assert all("IncompleteReadError" in seen or "ConnectionResetError" in seen for seen in tally.broken)
    assert list(tmp_path.iterdir()) == []
    with service("--port", str(port), TMPDIR=str(tmp_path)) as (_, again):
        assert again == port
        assert len(httpx.post(f"http://127.0.0.1:{port}/v1/parse", json=json.loads(BODY)).json()["results"]) == 4


def test_ctrl_c_stops_it_too_and_the_environment_may_hold_the_token() -> None:
    with service("--access-log", SPANLIN_TOKEN="from-the-environment") as (process, port):
        address = f"http://127.0.0.1:{port}/v1/model"
        assert httpx.get(address).status_code == 401
        assert httpx.get(address, headers={"Authorization": "Bearer from-the-environment"}).json()["name"] == "en"
        process.send_signal(signal.SIGINT)
        assert process.wait(20) == 0
        assert process.stderr is not None
        log = process.stderr.read()
    start = r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d[+-]\d{4} INFO spanlin\.access: method=GET path=/v1/model status="
    assert re.findall(rf"^{start}(\d+) ", log, re.MULTILINE) == ["401", "200"]


@pytest.mark.parametrize("threads", [-1, 100_000, "2"])
def test_a_service_has_a_number_of_workers(threads: int) -> None:
    with pytest.raises(ConfigError, match=r"^threads is .{1,8}: give 0 for every core, or a number up to 1024$"):
        running.load_parsers("en", threads=threads)


def test_workers_share_one_graph_and_each_has_one_thread() -> None:
    parsers = running.load_parsers("en", threads=3)
    assert len(parsers) == 3
    assert len({id(parser.backend) for parser in parsers}) == 1
    assert len({id(parser) for parser in parsers}) == 3


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost"])
def test_port_zero_is_any_free_one(host: str) -> None:
    with running.open_socket(host, 0) as one, running.open_socket(host, 0) as two:
        assert 0 < one.getsockname()[1] != two.getsockname()[1] > 0


@pytest.mark.parametrize(
    ("host", "port"), [("no such host", 0), ("127.0.0.1", 99_999), ("127.0.0.1", -1), ("192.0.2.1", 0)]
)
def test_an_address_that_cannot_be_listened_at_is_a_one_line_error(host: str, port: int) -> None:
    with pytest.raises(SpanlinError) as caught:
        running.open_socket(host, port)
    assert str(caught.value).startswith(f"{host}:{port}: ")
    assert str(caught.value).endswith("; choose another --host or --port")
    assert "\n" not in str(caught.value)


def test_a_port_in_use_is_an_error() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        with pytest.raises(SpanlinError, match=f"^127.0.0.1:{port}: Address already in use; choose another --host or"):
            running.open_socket("127.0.0.1", port)
