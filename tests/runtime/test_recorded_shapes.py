"""Which batches run by a recording and which do not, with the recording itself replaced: no GPU is needed."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
import torch
from torch import Tensor

from runtime.conftest import TREES
from runtime.test_torch_gpu import folder_with_weights
from spanlin.model_folder.folder import ModelFolder
from spanlin.network.cuda_graphs import GraphRecorder
from spanlin.parser import Parser
from spanlin.runtime.backend import TREE, Arrays, IntArray
from spanlin.runtime.input_rows import InputRows
from spanlin.runtime.torch import TorchBackend, _larger_sizes
from spanlin.training.checkpoint import Model

SENTENCES = [list(tree.words) for tree in TREES]


class Recorded:
    """A backend on the CPU whose batches go the way of a GPU's; a recording runs its work again on its inputs."""

    def __init__(self, folder: ModelFolder, *, rest: float) -> None:
        self.parser = Parser.from_folder(folder, device="cpu")
        backend = self.parser.backend
        assert isinstance(backend, TorchBackend)
        self.backend = backend
        self.replays: list[int] = []  # how many rows each had
        self.recorder: GraphRecorder[Any, dict[str, Tensor]] = GraphRecorder(rest=rest, clock=lambda: 0.0)
        backend._recorder = self.recorder
        backend.run = self.run  # type: ignore[method-assign]

    def run(self, rows: InputRows, word_counts: IntArray, outputs: Sequence[str] = TREE) -> Arrays:
        inputs = [torch.from_numpy(np.ascontiguousarray(array)) for array in (*rows.arrays.values(), word_counts)]
        with self.backend._lock, torch.inference_mode():
            found = self.backend._on_gpu(rows, inputs, tuple(outputs))
            return {name: found[name][: len(word_counts)].clone().numpy() for name in outputs}

    def capture(self, work: Callable[[], dict[str, Tensor]], _: Any) -> tuple[Any, dict[str, Tensor]]:
        result = work()

        def replay() -> None:
            self.replays.append(len(result["tags"]))
            for name, value in work().items():
                result[name].copy_(value)

        return SimpleNamespace(replay=replay), result


@pytest.fixture(scope="module")
def folder(model: Model, tmp_path_factory: pytest.TempPathFactory) -> ModelFolder:
    path: Path = tmp_path_factory.mktemp("weights")
    return folder_with_weights(model, path)


@pytest.fixture
def record(folder: ModelFolder, monkeypatch: pytest.MonkeyPatch) -> Callable[..., Recorded]:
    monkeypatch.setattr(torch.cuda, "graph_pool_handle", lambda: "pool")

    def make(*, rest: float = 0.0) -> Recorded:
        found = Recorded(folder, rest=rest)
        monkeypatch.setattr(found.recorder, "_capture", found.capture)
        return found

    return make


def lines_of(parser: Parser, count: int, tokens: int) -> list[str]:
    return list(parser.bracket_lines(SENTENCES[:count], batch_tokens=tokens))


def test_trees_are_those_of_batches_that_are_not_recorded(folder: ModelFolder, record: Callable[..., Recorded]) -> None:
    plain, recorded = Parser.from_folder(folder, device="cpu"), record()
    for tokens in (40, 200, 1000):
        for count in (len(SENTENCES), 7, 3, 1):
            expected = lines_of(plain, count, tokens)
            for turn in range(3):
                assert lines_of(recorded.parser, count, tokens) == expected, (tokens, count, turn)
    assert len(recorded.recorder) > 5
    assert recorded.replays


def test_while_a_shape_is_new_a_larger_recording_of_the_same_lengths_serves(record: Callable[..., Recorded]) -> None:
    recorded = record()
    words = SENTENCES[0]
    for _ in range(2):
        list(recorded.parser.bracket_lines([words] * 8, batch_tokens=10_000))
    assert (len(recorded.recorder), recorded.replays) == (1, [8])
    one = list(recorded.parser.bracket_lines([words] * 3, batch_tokens=10_000))
    assert (len(recorded.recorder), recorded.replays) == (1, [8, 8])
    assert one == list(recorded.parser.bracket_lines([words] * 3, batch_tokens=10_000))
    assert len(recorded.recorder) == 2  # seen twice, it has one of its own
    assert recorded.replays == [8, 8, 4]
    list(recorded.parser.bracket_lines([words], batch_tokens=10_000))
    assert recorded.replays[-1] == 4  # the smallest that it fits in


def test_after_a_recording_new_shapes_run_unrecorded_for_a_while(
    record: Callable[..., Recorded], monkeypatch: pytest.MonkeyPatch
) -> None:
    counts = []
    for rest in (0.0, 4.0):
        recorded = record(rest=rest)
        ticks = itertools.count()
        monkeypatch.setattr(recorded.recorder, "_clock", lambda ticks=ticks: float(next(ticks)))
        plain = lines_of(recorded.parser, len(SENTENCES), 40)
        assert lines_of(recorded.parser, len(SENTENCES), 40) == plain
        counts.append(len(recorded.recorder))
    assert 0 < counts[1] < counts[0]


@pytest.mark.parametrize(
    ("size", "full", "expected"),
    [(1, 100, [2, 4]), (8, 100, [16, 32]), (32, 100, [64, 100]), (64, 100, [100]), (100, 100, []), (1, 3, [2, 3])],
)
def test_larger_sizes_are_those_that_batches_are_filled_up_to(size: int, full: int, expected: list[int]) -> None:
    assert list(_larger_sizes(size, full)) == expected
