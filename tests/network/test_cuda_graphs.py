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


@pytest.fixture
def free_memory(captured: list[dict[str, Any]], monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """How much of 100 is free on the device; captures while it runs are noted as `captured` are, with their steps."""
    free = [50]

    def graph() -> Any:
        steps: list[str] = []
        return SimpleNamespace(
            capture_begin=lambda **options: captured.append({**options, "steps": steps, "began": True}),
            capture_end=lambda: steps.append("ended"),
            replay=lambda: None,
        )

    monkeypatch.setattr(torch.cuda, "CUDAGraph", graph)
    monkeypatch.setattr(torch.cuda, "mem_get_info", lambda: (free[0], 100))
    return free


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


def test_a_recording_is_followed_by_a_rest_that_is_longer_the_longer_it_took(captured: list[dict[str, Any]]) -> None:
    now = [0.0]

    def slow_work() -> tuple[list[Tensor], Callable[[], int]]:
        now[0] += 0.5
        return work(1)()

    recorder: GraphRecorder[str, int] = GraphRecorder(rest=4.0, clock=lambda: now[0])
    for key in "abc":
        recorder.find(key, slow_work)
    assert recorder.find("a", slow_work) is not None  # from 0.0 to 0.5
    assert recorder.find("b", slow_work) is None
    now[0] = 2.4
    assert recorder.find("b", slow_work) is None
    assert recorder.find("a", slow_work) is not None  # it is there
    now[0] = 2.5
    assert recorder.find("b", slow_work) is not None
    assert recorder.find("c", slow_work) is None
    assert (len(recorder), len(captured)) == (2, 2)
    assert recorder.known("b") is not None
    assert recorder.known("c") is None


def test_a_stream_of_batches_is_recorded_without_emptying_caches(
    captured: list[dict[str, Any]], free_memory: list[int]
) -> None:
    recorder: GraphRecorder[str, int] = GraphRecorder(keeps_memory=True)
    for key in "aa":
        recording = recorder.find(key, work(3))
    assert recording is not None
    assert recording.replay() == 30
    assert captured == [{"pool": "pool", "capture_error_mode": "thread_local", "steps": ["ended"], "began": True}]


def test_caches_are_emptied_where_memory_is_short(captured: list[dict[str, Any]], free_memory: list[int]) -> None:
    free_memory[0] = 5
    recorder: GraphRecorder[str, int] = GraphRecorder(keeps_memory=True)
    for key in "aa":
        recorder.find(key, work(3))
    assert len(captured) == 1
    assert "began" not in captured[0]


def test_a_capture_that_fails_is_ended(captured: list[dict[str, Any]], free_memory: list[int]) -> None:
    def fail() -> int:
        raise RuntimeError("no such kernel")

    recorder: GraphRecorder[str, int] = GraphRecorder(keeps_memory=True)
    assert recorder.find("a", lambda: ([], fail)) is None
    with pytest.raises(RuntimeError, match="no such kernel"):
        recorder.find("a", lambda: ([], fail))
    assert captured[0]["steps"] == ["ended"]
    assert len(recorder) == 0
