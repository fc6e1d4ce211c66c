"""`spanlin serve` as a process: how it starts, is told to stop, and fails."""

from __future__ import annotations

import asyncio
import builtins
import json
import logging
import re
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest
from click.testing import CliRunner

from spanlin.cli.main import main
from spanlin.errors import ConfigError
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
    accepted = re.fullmatch(r"spanlin: stopped after (\d+) requests\n", rest)
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


@pytest.fixture
def served(monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    """What the command would have served."""
    found: dict[str, Any] = {}

    def serve(parsers: list[Any], settings: Any, **options: Any) -> int:
        for name, level in (("access", logging.INFO), ("server.gate", logging.INFO), ("server.gate", logging.ERROR)):
            logging.getLogger(f"spanlin.{name}").log(level, "%s %d", name, level)
        options.pop("on_start")("http://here")
        found.update(parsers=parsers, settings=settings, **options)
        return 3

    monkeypatch.setattr(running, "serve", serve)
    monkeypatch.setattr(running, "load_parsers", lambda model, **options: [model, options])
    monkeypatch.delenv("SPANLIN_TOKEN", raising=False)
    return found


def run(*arguments: str) -> tuple[int, str]:
    result = CliRunner().invoke(main, ["serve", *arguments])
    assert result.stdout == ""
    return result.exit_code, result.stderr


def test_it_is_reached_from_this_machine_alone_unless_told(served: dict[str, Any]) -> None:
    status, error = run()
    error = re.sub(r"^\S+ ERROR", "TIME ERROR", error)
    assert (status, error) == (
        0,
        "TIME ERROR spanlin.server.gate: server.gate 40\n"
        "spanlin: serving en at http://here (Ctrl-C stops)\nspanlin: stopped after 3 requests\n",
    )
    assert (served["host"], served["port"], served["settings"].token) == ("127.0.0.1", 8000, "")
    assert served["settings"].cors_origins == ()


def test_accesses_are_logged_if_asked_for(served: dict[str, Any]) -> None:
    assert "INFO spanlin.access: access 20\n" in run("--access-log")[1]
    assert "spanlin.access" not in run()[1]


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "192.0.2.1", "example.org"])
def test_a_service_for_all_without_a_token_is_warned_of(served: dict[str, Any], host: str) -> None:
    assert run("--host", host)[1].startswith(f"spanlin: {host} can be reached by others and no token is set")
    assert "no token" not in run("--host", "localhost")[1]
    assert "no token" not in run("--host", "::1")[1]


def test_options_become_settings(served: dict[str, Any], tmp_path: Path) -> None:
    file = tmp_path / "token"
    file.write_text("abc123\n", encoding="utf-8")
    arguments = "--host 0.0.0.0 --port 9 --cors https://a.org --cors https://b.org --max-body 5 --max-sentences 6"
    more = "--max-words 7 --queue 8 --time-limit 1.5 --shutdown-time 2 --threads 1"
    status, error = run(*arguments.split(), *more.split(), "--token-file", str(file))
    assert (status, "no token" in error) == (0, False)
    settings = served["settings"]
    assert (settings.token, settings.cors_origins) == ("abc123", ("https://a.org", "https://b.org"))
    assert (settings.max_body_bytes, settings.max_sentences, settings.max_sentence_words) == (5, 6, 7)
    assert (settings.queue_sentences, settings.time_limit, settings.shutdown_seconds) == (8, 1.5, 2)
    assert served["parsers"] == ["en", {"threads": 1, "device": ""}]


def test_on_a_device_batches_are_large(served: dict[str, Any]) -> None:
    run("--device", "cuda")
    assert served["settings"].batch_words == 50_000


@pytest.mark.parametrize(
    ("content", "message"), [(b"\n", "empty: write the token into it"), (b"\xff", "cannot be read"), (b"a b", "ASCII")]
)
def test_a_token_file_must_have_a_token(served: dict[str, Any], tmp_path: Path, content: bytes, message: str) -> None:
    file = tmp_path / "token"
    file.write_bytes(content)
    status, error = run("--token-file", str(file))
    assert (status, error.count("\n")) == (1, 1)
    assert message in error


def test_an_empty_token_in_the_environment_is_a_mistake(
    served: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SPANLIN_TOKEN", "")
    assert run() == (1, "spanlin: SPANLIN_TOKEN is set but empty: give it a token, or unset it\n")


def test_a_port_in_use_is_a_one_line_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(running, "create_app", lambda *_: None)
    monkeypatch.setattr(running, "load_parsers", lambda *_, **__: [])
    monkeypatch.delenv("SPANLIN_TOKEN", raising=False)
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        status, error = run("--port", str(port))
    assert (status, error.count("\n")) == (1, 1)
    assert error.startswith(f"spanlin: 127.0.0.1:{port}: ")
    assert error.endswith("; choose another --host or --port\n")


def test_without_the_extra_it_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    real = builtins.__import__

    def without(name: str, *rest: Any) -> Any:
        if name.startswith("spanlin.server"):
            raise ImportError(name)
        return real(name, *rest)

    monkeypatch.setattr(builtins, "__import__", without)
    assert run() == (1, "spanlin: serving needs FastAPI: pip install 'spanlin[serve]'\n")


@pytest.mark.parametrize("threads", [-1, 100_000, "2"])
def test_a_service_has_a_number_of_workers(threads: int) -> None:
    with pytest.raises(ConfigError, match=r"^threads is .{1,8}: give 0 for every core, or a number up to 1024$"):
        running.load_parsers("en", threads=threads)
