"""A backend that another process runs."""

from __future__ import annotations

import queue
from collections.abc import Callable, Sequence
from multiprocessing.connection import Client, Connection
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from spanlin.host.backend_server import Facts, Failed, Kept, Request
from spanlin.runtime.backend import TREE, Arrays, BoolArray, Float32Array, IntArray
from spanlin.runtime.input_rows import InputRows


def connector(address: Any, key: bytes) -> Callable[[], Connection[Any, Any]]:
    """Return what opens connections to a `BackendListener`."""

    def connect() -> Connection[Any, Any]:
        connection = Client(address, authkey=key)
        connection.send("backend")
        return connection

    return connect


class SharedBackend:
    """Asks a `BackendServer` in another process; each thread that asks has a connection for as long as that takes."""

    def __init__(self, connect: Callable[[], Connection[Any, Any]]) -> None:
        """Ask over connections that `connect` opens."""
        self._connect = connect
        self._idle: queue.SimpleQueue[Connection[Any, Any]] = queue.SimpleQueue()
        self._dropped: queue.SimpleQueue[int] = queue.SimpleQueue()
        connection = connect()
        facts: Facts = connection.recv()
        self._idle.put(connection)
        self.device, self.precision = facts.device, facts.precision
        self.batch_tokens, self.most_sentences = facts.batch_tokens, facts.most_sentences
        self.batch_overhead = facts.batch_overhead
        self.multiple, self.small_multiple = facts.multiple, facts.small_multiple
        self.chunk = facts.chunk
        self.outputs = facts.outputs

    def run(self, rows: InputRows, word_counts: IntArray, outputs: Sequence[str] = TREE) -> Arrays:
        """Return the outputs asked for."""
        found: dict[str, Any] = self._ask("run", rows, word_counts, tuple(outputs))
        return {
            name: cast("NDArray[Any]", KeptRows(self, value.number)) if isinstance(value, Kept) else value
            for name, value in found.items()
        }

    def label(
        self, lefts: Float32Array, rights: Float32Array, left_children: BoolArray, roots: BoolArray
    ) -> Float32Array:
        """Return the log-probabilities of labels."""
        found: Float32Array = self._ask("label", lefts, rights, left_children, roots)
        return found

    def relate(self, heads: Float32Array, dependents: Float32Array, roots: BoolArray) -> Float32Array:
        """Return the log-probabilities of relations."""
        found: Float32Array = self._ask("relate", heads, dependents, roots)
        return found

    def rows(self, number: int, places: Any) -> NDArray[Any]:
        """Return some rows of an output that is kept."""
        found: NDArray[Any] = self._ask("rows", number, places)
        return found

    def drop(self, number: int) -> None:
        """Let an output go with the next request."""
        self._dropped.put(number)

    def close(self) -> None:
        """Close all connections that nobody uses."""
        for connection in _all_of(self._idle):
            connection.close()

    def _ask(self, name: str, *arguments: Any) -> Any:
        try:
            connection = self._idle.get_nowait()
        except queue.Empty:
            connection = self._connect()
            connection.recv()  # what the backend says of itself
        connection.send(Request(name, arguments, tuple(_all_of(self._dropped))))
        answer = connection.recv()
        self._idle.put(connection)
        if isinstance(answer, Failed):
            raise answer.error
        return answer.result


class KeptRows:
    """An output that stays with the backend: what is read of it, as of an array, is fetched."""

    def __init__(self, backend: SharedBackend, number: int) -> None:
        self._backend = backend
        self._number = number

    def __getitem__(self, places: Any) -> NDArray[Any]:
        return self._backend.rows(self._number, places)

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> NDArray[Any]:
        return np.asarray(self[...], dtype=dtype)

    def __del__(self) -> None:
        self._backend.drop(self._number)


def _all_of(waiting: queue.SimpleQueue[Any]) -> list[Any]:
    found = []
    while True:
        try:
            found.append(waiting.get_nowait())
        except queue.Empty:
            return found
