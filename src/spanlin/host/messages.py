"""What processes that share a backend send each other."""

from __future__ import annotations

from typing import Any, NamedTuple


class Facts(NamedTuple):
    """What a backend says of itself: see `spanlin.runtime.backend.Backend`."""

    device: str
    precision: str
    batch_tokens: int
    most_sentences: int
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
