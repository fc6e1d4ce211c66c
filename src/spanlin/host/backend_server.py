"""A backend for other processes: each asks over a connection of its own, served by a thread of its own."""

from __future__ import annotations

import itertools
import logging
import secrets
import threading
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from multiprocessing.connection import Client, Connection, Listener
from typing import Any, NamedTuple

import numpy as np

from spanlin.errors import CheckpointError, SpanlinError
from spanlin.runtime.backend import Backend

_PAUSE = 0.1  # seconds until it is tried again to let somebody in

_LOG = logging.getLogger(__name__)


class Facts(NamedTuple):
    """What a backend says of itself: see `spanlin.runtime.backend.Backend`."""

    device: str
    precision: str
    batch_tokens: int
    most_sentences: int
    batch_overhead: int
    multiple: int
    small_multiple: int
    chunk: int
    outputs: frozenset[str]


class Request(NamedTuple):
    """A method of the backend to call, or `rows` of an output that it kept; the `dropped` ones can go."""

    name: str
    arguments: tuple[Any, ...]
    dropped: tuple[int, ...] = ()


class Kept(NamedTuple):
    """The number of an output that stays with the backend, such as one on a GPU of which few rows are read."""

    number: int


class Done(NamedTuple):
    """What a call gave."""

    result: Any


class Failed(NamedTuple):
    """What a call raised."""

    error: Exception


class BackendListener:
    """Where processes find a backend: at an address, with a key, until it is closed."""

    def __init__(
        self, backend: Backend, *, others: Callable[[Connection[Any, Any]], None] | None = None, expected: int = 16
    ) -> None:
        """Listen; connections that are not for the backend are given to `others`. So many may come at once."""
        self.key = secrets.token_bytes(32)
        self._server = BackendServer(backend)
        self._others = others
        self._listener = Listener(authkey=self.key, backlog=expected)
        self._closed = False
        self.address: Any = self._listener.address
        threading.Thread(target=self._accept, name="spanlin-listener", daemon=True).start()

    def close(self) -> None:
        """Let nobody in any more."""
        self._closed = True
        with suppress(Exception):
            # Closing alone would not wake who waits for connections. Nobody may be there any more to ask for the key.
            Client(self.address).close()
        self._listener.close()

    def _accept(self) -> None:
        is_logged = False
        while not self._closed:
            # A process may end in the middle of this; the others go on.
            try:
                connection = self._listener.accept()
            except Exception as error:
                # Not because of who asks, such as where too many files are open: it would fail again at once.
                if isinstance(error, OSError) and not isinstance(error, ConnectionError) and not self._closed:
                    if not is_logged:
                        is_logged = True
                        _LOG.warning("no process can connect, which is tried again and again: %s", error)
                    time.sleep(_PAUSE)
                continue
            with suppress(Exception):
                if connection.recv() == "backend":
                    self._server.start(connection)
                elif self._others is not None:
                    self._others(connection)


class BackendServer:
    """Answers the requests of `SharedBackend`s."""

    def __init__(self, backend: Backend) -> None:
        self._backend = backend
        self._numbers = itertools.count()
        self._kept: dict[int, tuple[Any, set[int]]] = {}  # with the numbers of the connection that it came over

    def start(self, connection: Connection[Any, Any]) -> None:
        """Serve a connection in a thread until it is closed."""
        threading.Thread(target=self.serve, args=(connection,), name="spanlin-backend", daemon=True).start()

    def serve(self, connection: Connection[Any, Any]) -> None:
        """Answer all requests of a connection."""
        backend = self._backend
        own: set[int] = set()
        try:
            connection.send(Facts(**{name: getattr(backend, name) for name in Facts._fields}))
            while True:
                request: Request = connection.recv()
                try:
                    answer: Done | Failed = Done(self._answer(request, own))
                except Exception as error:
                    answer = Failed(_portable(error))
                connection.send(answer)
        except (EOFError, OSError):  # the other process is gone, or done with it
            pass
        finally:
            for number in list(own):  # others may drop some of them meanwhile
                self._kept.pop(number, None)
            connection.close()

    def _answer(self, request: Request, own: set[int]) -> Any:
        for number in request.dropped:
            if (found := self._kept.pop(number, None)) is not None:
                found[1].discard(number)
        if request.name == "rows":
            number, places = request.arguments
            value, _ = self._kept[number]
            return value[places]
        given = getattr(self._backend, request.name)(*request.arguments)
        return {name: self._sent(value, own) for name, value in given.items()} if isinstance(given, dict) else given

    def _sent(self, value: Any, own: set[int]) -> Any:
        """Return an output as it is sent: one that is kept on a GPU stays there, under a number."""
        if isinstance(value, np.ndarray):
            return value
        number = next(self._numbers)
        own.add(number)
        self._kept[number] = value, own
        return Kept(number)


def _portable(error: Exception) -> Exception:
    """Return an error that another process can read: ours are, those of libraries become ours."""
    if isinstance(error, SpanlinError):
        return error
    lines: Sequence[str] = str(error).splitlines() or [""]
    return CheckpointError(f"the network failed: {type(error).__name__}: {lines[0][:300]}")
