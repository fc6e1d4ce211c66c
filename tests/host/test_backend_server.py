"""What a backend answers over a connection, and that it never ends because of who asks."""

from __future__ import annotations

import errno
import threading
import time
from collections.abc import Iterator
from multiprocessing import AuthenticationError, Pipe
from multiprocessing.connection import Client, Connection
from typing import Any, cast

import numpy as np
import pytest

from spanlin.errors import CheckpointError
from spanlin.host.backend_server import BackendListener, BackendServer, Done, Failed, Kept, Request
from spanlin.runtime.backend import Backend


class Kind:
    """A backend that keeps one of its outputs, as a GPU does, and fails when it is told to."""

    device, precision = "cuda:0", "bf16"
    batch_tokens, most_sentences, batch_overhead, multiple, small_multiple, chunk = 100, 0, 0, 8, 32, 50
    outputs = frozenset(["tags", "relation_heads"])

    def run(self, rows: Any, counts: Any, outputs: Any) -> dict[str, Any]:
        if rows == "ours":
            raise CheckpointError("no such graph")
        if rows == "theirs":
            raise RuntimeError("CUDA out of memory\nand so on")
        return {"tags": np.array(counts), "relation_heads": [list("abc"), list("def")]}

    def label(self, lefts: Any, *others: Any) -> Any:
        return lefts * 2


@pytest.fixture
def served() -> Iterator[tuple[BackendServer, Connection[Any, Any]]]:
    server = BackendServer(cast(Backend, Kind()))
    mine, its = Pipe()
    thread = threading.Thread(target=server.serve, args=(its,))
    thread.start()
    assert mine.recv() == ("cuda:0", "bf16", 100, 0, 0, 8, 32, 50, Kind.outputs)
    yield server, mine
    mine.close()
    thread.join(10)
    assert not thread.is_alive()
    assert not server._kept


def ask(connection: Connection[Any, Any], *request: Any) -> Any:
    connection.send(Request(*request))
    return connection.recv()


def test_arrays_come_back_and_what_is_kept_is_read_by_its_number(
    served: tuple[BackendServer, Connection[Any, Any]],
) -> None:
    server, connection = served
    found = ask(connection, "run", ("", [1, 2], ())).result
    assert found["tags"].tolist() == [1, 2]
    kept = found["relation_heads"]
    assert isinstance(kept, Kept)
    assert ask(connection, "rows", (kept.number, 1)) == Done(["d", "e", "f"])
    assert ask(connection, "label", (4,), (kept.number,)) == Done(8)
    assert not server._kept
    assert isinstance(ask(connection, "rows", (kept.number, 1)), Failed)


def test_what_another_connection_drops_is_forgotten_by_its_own(
    served: tuple[BackendServer, Connection[Any, Any]],
) -> None:
    server, connection = served
    mine, its = Pipe()
    other = threading.Thread(target=server.serve, args=(its,))
    other.start()
    mine.recv()
    kept = ask(connection, "run", ("", [1], ())).result["relation_heads"]
    _, own = server._kept[kept.number]
    assert own == {kept.number}
    assert ask(mine, "label", (4,), (kept.number,)) == Done(8)
    assert not own
    mine.close()
    other.join(10)


def test_an_error_comes_back_as_one_of_ours(served: tuple[BackendServer, Connection[Any, Any]]) -> None:
    _, connection = served
    error = ask(connection, "run", ("ours", [1], ())).error
    assert (type(error), str(error)) == (CheckpointError, "no such graph")
    error = ask(connection, "run", ("theirs", [1], ())).error
    assert (type(error), str(error)) == (CheckpointError, "the network failed: RuntimeError: CUDA out of memory")
    assert ask(connection, "label", (4,)) == Done(8)


def test_a_listener_lets_in_who_has_the_key_and_nobody_when_closed() -> None:
    others: list[Any] = []
    came = threading.Event()

    def welcome(connection: Connection[Any, Any]) -> None:
        others.append(connection)
        came.set()

    listener = BackendListener(cast(Backend, Kind()), others=welcome)
    with pytest.raises(AuthenticationError):
        Client(listener.address, authkey=b"wrong")
    with Client(listener.address, authkey=listener.key) as connection:
        connection.send("backend")
        assert connection.recv().device == "cuda:0"
    with Client(listener.address, authkey=listener.key) as connection:
        connection.send("tasks")
        assert came.wait(10)
    listener.close()
    with pytest.raises((FileNotFoundError, ConnectionRefusedError)):
        Client(listener.address, authkey=listener.key)


def test_closing_waits_for_nobody_even_if_the_last_connection_came_just_before() -> None:
    before = set(threading.enumerate())
    listener = BackendListener(cast(Backend, Kind()), others=lambda connection: connection.close())
    (accepting,) = [one for one in set(threading.enumerate()) - before if one.name == "spanlin-listener"]
    listener._closed = True  # what `close` says first; then its thread ends with the next connection
    with Client(listener.address, authkey=listener.key) as connection:
        connection.send("tasks")
        accepting.join(10)
    assert not accepting.is_alive()
    closing = threading.Thread(target=listener.close, daemon=True)
    closing.start()
    closing.join(10)
    assert not closing.is_alive()


def test_a_listener_that_cannot_let_anybody_in_waits_and_says_so_once(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    listener = BackendListener(cast(Backend, Kind()))
    accept, failed = listener._listener.accept, 0

    def fail_at_first() -> Connection[Any, Any]:
        nonlocal failed
        if failed < 3:
            failed += 1
            raise OSError(errno.EMFILE, "Too many open files")
        return accept()

    monkeypatch.setattr(listener._listener, "accept", fail_at_first)
    began = time.monotonic()
    for _ in range(2):  # the first is let in by a call from before
        with Client(listener.address, authkey=listener.key) as connection:
            connection.send("backend")
            assert connection.recv().device == "cuda:0"
    assert failed == 3
    assert time.monotonic() - began > 0.25
    assert caplog.messages == ["no process can connect, which is tried again and again: [Errno 24] Too many open files"]
    listener.close()
