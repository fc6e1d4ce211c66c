"""Which shapes are recorded and when, with CUDA itself replaced; tests marked `gpu` replay real graphs."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import nullcontext
from types import SimpleNamespace
from typing import Any

import pytest
import torch
from torch import Tensor

from spanlin.network.cuda_graphs import GraphRecorder


@pytest.fixture
def captured(monkeypatch: pytest.MonkeyPatch) -> list[dict[str, Any]]:
    """What each capture was asked for; graphs replay nothing."""
    captures: list[dict[str, Any]] = []

    def capture(graph: Any, **options: Any) -> Any:
        captures.append(options)
        return nullcontext()

    monkeypatch.setattr(torch.cuda, "graph_pool_handle", lambda: "pool")
    monkeypatch.setattr(torch.cuda, "CUDAGraph", lambda: SimpleNamespace(replay=lambda: None))
    monkeypatch.setattr(torch.cuda, "current_stream", lambda: SimpleNamespace(synchronize=lambda: None))
    monkeypatch.setattr(torch.cuda, "graph", capture)
    return captures


def work(number: int) -> Callable[[], tuple[list[Tensor], Callable[[], int]]]:
    return lambda: ([torch.tensor(number)], lambda: 10 * number)


def test_a_shape_is_recorded_when_it_comes_again(captured: list[dict[str, Any]]) -> None:
    recorder: GraphRecorder[str, int] = GraphRecorder()
    assert recorder.find("a", work(1)) is None
    assert recorder.find("b", work(2)) is None
    recording = recorder.find("a", work(3))
    assert recording is not None
    assert recording.replay() == 30
    assert [tensor.item() for tensor in recording.inputs] == [3]
    assert recorder.find("a", work(4)) is recording
    assert (len(recorder), len(captured)) == (1, 1)


def test_recordings_share_memory_and_allow_other_threads(captured: list[dict[str, Any]]) -> None:
    recorder: GraphRecorder[str, int] = GraphRecorder()
    for key in "abab":
        recorder.find(key, work(1))
    assert [(options["pool"], options["capture_error_mode"]) for options in captured] == [("pool", "thread_local")] * 2


def test_no_more_shapes_are_recorded_than_the_limit(captured: list[dict[str, Any]]) -> None:
    recorder: GraphRecorder[str, int] = GraphRecorder(limit=1)
    for key in "aabbb":
        recorder.find(key, work(1))
    assert len(recorder) == len(captured) == 1
    assert recorder.find("b", work(1)) is None
    assert recorder.find("a", work(1)) is not None
