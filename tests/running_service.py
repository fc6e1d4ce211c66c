"""A service that runs in this process, reached over a real connection."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

import httpx
import uvicorn
from fastapi import FastAPI

from spanlin.server.running import open_socket, server_config


@contextmanager
def run_app(app: FastAPI) -> Iterator[httpx.Client]:
    listener = open_socket("127.0.0.1", 0)
    server = uvicorn.Server(server_config(app, shutdown_seconds=10))
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]})
    thread.start()
    try:
        while not server.started and thread.is_alive():
            time.sleep(0.01)
        with httpx.Client(base_url=f"http://127.0.0.1:{listener.getsockname()[1]}", timeout=30) as client:
            yield client
    finally:
        server.should_exit = True
        thread.join(30)
        listener.close()
