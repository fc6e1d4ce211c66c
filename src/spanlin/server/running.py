"""Runs the service until it is asked to stop, and then until everything it accepted is answered."""

from __future__ import annotations

import socket
from collections.abc import Callable
from pathlib import Path

import uvicorn
from fastapi import FastAPI

from spanlin.errors import SpanlinError
from spanlin.model_folder.folder import open_folder
from spanlin.model_folder.lookup import find_model
from spanlin.model_folder.path_kinds import is_checkpoint
from spanlin.parser import Parser
from spanlin.runtime.argument_checks import check_threads
from spanlin.runtime.onnx import OnnxBackend, available_cores
from spanlin.server.app import create_app
from spanlin.server.settings import ServerSettings
from spanlin.stop_signals import on_stop_signal

_LONGEST_IDLE = 30  # seconds that a connection without a request is kept open


def load_parsers(model: str | Path = "en", *, threads: int = 0, device: str = "") -> list[Parser]:
    """Return parsers of one model for a service's workers: one per core, sharing a graph; in torch, a single one."""
    check_threads(threads)
    path = find_model(model)
    if device or is_checkpoint(path):
        return [Parser.load(path, device=device)]
    folder = open_folder(path)
    backend = OnnxBackend(folder, threads=1)
    return [Parser(folder, backend, workers=1) for _ in range(threads or available_cores())]


def open_socket(host: str, port: int) -> socket.socket:
    """Return a listening socket, or raise a SpanlinError that says why not; port 0 is any free one."""
    try:
        if not 0 <= port < 2**16:  # some systems would take what is left of it in 16 bits
            raise OverflowError("a port is a number from 0 to 65535")
        family, *_, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)[0]
        return socket.create_server(address[:2], family=family, backlog=2048)
    except (OSError, OverflowError) as error:
        # Python adds the address to the system's words, and it is already there.
        reason = str(getattr(error, "strerror", None) or error).partition(" (while ")[0]
        raise SpanlinError(f"{host}:{port}: {reason}; choose another --host or --port") from error


def server_config(app: FastAPI, *, shutdown_seconds: int) -> uvicorn.Config:
    """Return the settings to run an application: quietly, and with time for the last answers."""
    return uvicorn.Config(
        app,
        log_level="warning",
        access_log=False,
        server_header=False,
        ws="none",
        timeout_keep_alive=_LONGEST_IDLE,
        timeout_graceful_shutdown=shutdown_seconds,
    )


def serve(
    parsers: list[Parser],
    settings: ServerSettings,
    *,
    host: str = "127.0.0.1",
    port: int = 8000,
    on_start: Callable[[str], None] = lambda _: None,
) -> int:
    """Return how many requests were accepted, after a signal to stop and the last answer.

    `on_start` gets the address once connections are accepted.
    """
    app = create_app(parsers, settings)
    listener = open_socket(host, port)
    shown = f"[{host}]" if ":" in host else host
    server = uvicorn.Server(server_config(app, shutdown_seconds=settings.shutdown_seconds))
    # uvicorn raises the signal again once it has stopped. Being asked to stop is not a failure, so it must not kill us.
    with listener, on_stop_signal(lambda _: None):
        on_start(f"http://{shown}:{listener.getsockname()[1]}")
        server.run(sockets=[listener])
    return _accepted(app)


def _accepted(app: FastAPI) -> int:
    count: int = app.state.batcher.accepted
    return count
