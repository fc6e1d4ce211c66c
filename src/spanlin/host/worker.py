"""`python -m spanlin.host.worker`: does tasks of another process, whose backend it shares, until its input ends."""

from __future__ import annotations

import ast
import gc
import os
import sys
import threading
from multiprocessing.connection import Client, Connection
from multiprocessing.reduction import ForkingPickler
from typing import Any

from spanlin.errors import SpanlinError
from spanlin.host.shared_backend import SharedBackend, connector
from spanlin.host.tasks import TaskError
from spanlin.parser import Parser

_THREADS = 2  # while one waits for the network, the other prepares or writes


def main() -> None:
    """Do all tasks."""
    key = bytes.fromhex(sys.stdin.readline())
    address = ast.literal_eval(sys.stdin.readline())
    threading.Thread(target=_end_with_input, daemon=True).start()

    backend = SharedBackend(connector(address, key))
    tasks = Client(address, authkey=key)
    tasks.send("tasks")
    parser = Parser(tasks.recv(), backend, workers=_THREADS)
    gc.freeze()
    gc.set_threshold(100_000, 20, 100)  # what a task makes is dropped as a whole, and has no cycles
    try:
        while True:
            do_task(tasks, parser)
    except (EOFError, OSError):
        pass


def do_task(tasks: Connection[Any, Any], parser: Parser) -> None:
    """Do the next task, and answer with an error or with what comes of it."""
    data = tasks.recv_bytes()
    try:  # what cannot be read here, or sent back, is an error of the task, too
        task, block = ForkingPickler.loads(data)
        answer = ForkingPickler.dumps((None, task(parser, block, 0)))
    except Exception as caught:
        error = TaskError(f"{type(caught).__name__}: {caught}"[:500], isinstance(caught, SpanlinError))
        answer = ForkingPickler.dumps((error, None))
    tasks.send_bytes(answer)


def _end_with_input() -> None:
    sys.stdin.read()
    os._exit(0)


if __name__ == "__main__":
    main()
