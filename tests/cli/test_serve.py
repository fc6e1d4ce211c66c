"""The options of `spanlin serve`, without a service; as a process it is tested in `server/test_running.py`."""

from __future__ import annotations

import builtins
import logging
import re
import socket
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from spanlin.cli.main import main

pytest.importorskip("fastapi")
pytest.importorskip("prometheus_client")
pytest.importorskip("uvicorn")

from spanlin.server import running


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
        "spanlin: serving en at http://here (Ctrl-C stops)\nspanlin: stopped after 3 requests to parse\n",
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
