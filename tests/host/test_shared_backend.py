"""A backend of another process does what the backend itself does."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any, cast

import pytest

from joint_networks import SENTENCES
from spanlin.errors import CheckpointError
from spanlin.host.backend_server import BackendListener
from spanlin.host.shared_backend import SharedBackend, connector
from spanlin.parser import Parser
from spanlin.runtime.backend import SELDOM_READ, Backend
from spanlin.runtime.options import ParseOptions


class KeepsRows:
    """A backend that keeps what a GPU keeps, to be read at places."""

    def __init__(self, backend: Backend) -> None:
        self._backend = backend
        self.kept = 0

    def __getattr__(self, name: str) -> Any:
        return getattr(self._backend, name)

    def run(self, *inputs: Any) -> dict[str, Any]:
        found = self._backend.run(*inputs)
        self.kept += sum(name in SELDOM_READ for name in found)
        return {name: Rows(value) if name in SELDOM_READ else value for name, value in found.items()}


class Rows:
    def __init__(self, values: Any) -> None:
        self._values = values

    def __getitem__(self, places: Any) -> Any:
        return self._values[places]


@pytest.fixture
def both(alone: Parser) -> Iterator[tuple[KeepsRows, SharedBackend, BackendListener]]:
    keeps = KeepsRows(alone.backend)
    listener = BackendListener(cast(Backend, keeps))
    shared = SharedBackend(connector(listener.address, listener.key))
    yield keeps, shared, listener
    shared.close()
    listener.close()


def test_trees_and_heads_are_the_same_and_nothing_stays_kept(
    alone: Parser, both: tuple[KeepsRows, SharedBackend, BackendListener]
) -> None:
    keeps, shared, listener = both
    parser = Parser(alone.folder, shared, workers=3)
    expected = [parsed.to_json() for parsed in alone.parse_tokens(SENTENCES)]
    for _ in range(2):
        assert [parsed.to_json() for parsed in parser.parse_tokens(SENTENCES)] == expected
    for options in (ParseOptions(scores=True, marginals=True), ParseOptions(k_best=2), ParseOptions(decoder="joint")):
        found = [parsed.to_json() for parsed in parser.parse_tokens(SENTENCES[:8], options)]
        assert found == [parsed.to_json() for parsed in alone.parse_tokens(SENTENCES[:8], options)]
    gc.collect()
    assert keeps.kept
    with pytest.raises(CheckpointError):
        shared.rows(-1, 0)  # with which all others are dropped
    assert not listener._server._kept


def test_it_is_what_the_backend_says_it_is(
    alone: Parser, both: tuple[KeepsRows, SharedBackend, BackendListener]
) -> None:
    names = (
        "device",
        "precision",
        "batch_tokens",
        "most_sentences",
        "batch_overhead",
        "multiple",
        "small_multiple",
        "chunk",
        "outputs",
    )
    assert all(getattr(both[1], name) == getattr(alone.backend, name) for name in names)


def test_threads_ask_side_by_side(alone: Parser, both: tuple[KeepsRows, SharedBackend, BackendListener]) -> None:
    parser = Parser(alone.folder, both[1], workers=2)
    expected = list(alone.bracket_lines(SENTENCES))
    with ThreadPoolExecutor(4) as pool:
        found = list(pool.map(lambda _: list(parser.bracket_lines(SENTENCES, batch_tokens=60)), range(8)))
    assert found == [expected] * 8
