"""Where a GPU parser's time goes: its encoder, its tree inference and the whole graph, over its own batches."""

from __future__ import annotations

import itertools
import statistics
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch

from spanlin.model_folder.folder import ModelFolder, open_folder
from spanlin.network.graph import ParserGraph
from spanlin.network.network import SpanScores
from spanlin.parser import Parser
from spanlin.runtime.backend import TREE, Arrays, Backend, BoolArray, Float32Array, IntArray
from spanlin.runtime.input_rows import InputRows
from spanlin.runtime.piece_rows import PieceRows
from spanlin.runtime.torch import TorchBackend, load_graph

MOST_BATCHES = 48
"""Batches that are timed, evenly spread over all: each takes three recordings of its own."""


class Recorder:
    """A backend that runs nothing: it keeps the batches that another would get and gives back right-branching trees."""

    def __init__(self, like: Backend) -> None:
        self.device, self.precision = like.device, like.precision
        self.batch_tokens, self.chunk = like.batch_tokens, like.chunk
        self.most_sentences = like.most_sentences
        self.batch_overhead = like.batch_overhead
        self.multiple, self.small_multiple = like.multiple, like.small_multiple
        self.outputs = frozenset(TREE)
        self.batches: list[tuple[PieceRows, IntArray]] = []
        self._lock = threading.Lock()

    def run(self, rows: InputRows, word_counts: IntArray, outputs: Sequence[str] = TREE) -> Arrays:
        """Keep a batch."""
        assert isinstance(rows, PieceRows)
        with self._lock:
            self.batches.append((rows, word_counts))
        batch, words = len(word_counts), rows.width
        nothing = np.zeros((batch, words), dtype=np.int64)
        lefts = np.tile(np.arange(words - 1), (batch, 1))
        rights = np.repeat(np.asarray(word_counts)[:, np.newaxis], words - 1, axis=1)
        found = {"lefts": lefts, "rights": rights, "split_labels": nothing[:, 1:]}
        return {name: found.get(name, nothing) for name in outputs}

    def label(
        self, lefts: Float32Array, rights: Float32Array, left_children: BoolArray, roots: BoolArray
    ) -> Float32Array:
        """Refuse: no other trees are needed here."""
        raise NotImplementedError

    def relate(self, heads: Float32Array, dependents: Float32Array, roots: BoolArray) -> Float32Array:
        """Refuse: nor are dependencies."""
        raise NotImplementedError


@dataclass(frozen=True, kw_only=True)
class Shares:
    """Seconds on the device over some batches, each part recorded and replayed by itself."""

    sentences: int
    batches: int
    whole: float
    encoder: float
    tree_inference: float

    def figures(self) -> dict[str, Any]:
        """Return rates and shares, as the comparison keeps them."""
        return {
            "device_rate": self.sentences / self.whole,
            "bare_encoder_rate": self.sentences / self.encoder,
            "outside_encoder_share": 1 - self.encoder / self.whole,
            "tree_inference_share": self.tree_inference / self.whole,
            "breakdown_batches": self.batches,
        }


def breakdown(path: str | Path, sentences: Sequence[Sequence[str]], *, batch: int, device: str) -> Shares:
    """Return how the device's time divides over the batches that the parser makes of the sentences."""
    folder = open_folder(path)
    batches = parser_batches(folder, sentences, batch=batch, device=device)
    step = max(1, -(-len(batches) // MOST_BATCHES))
    chosen = batches[::step]
    place = torch.device(device)
    dtype = torch.bfloat16 if place.type == "cuda" else torch.float32
    graph = load_graph(folder).to(place, dtype)
    with torch.inference_mode():
        parts = [time_batch(graph, rows, counts, place) for rows, counts in chosen]
    whole, encoder, tree_inference = (sum(column) for column in zip(*parts, strict=True))
    return Shares(
        sentences=sum(len(counts) for _, counts in chosen),
        batches=len(chosen),
        whole=whole,
        encoder=encoder,
        tree_inference=tree_inference,
    )


def parser_batches(
    folder: ModelFolder, sentences: Sequence[Sequence[str]], *, batch: int, device: str
) -> list[tuple[PieceRows, IntArray]]:
    """Return the batches that a parser on this device hands to its backend."""
    recorder = Recorder(TorchBackend(folder, device=device))
    list(Parser(folder, recorder, workers=1).bracket_lines(sentences, batch_tokens=batch))
    return recorder.batches


def time_batch(
    graph: ParserGraph, rows: PieceRows, word_counts: IntArray, device: torch.device
) -> tuple[float, float, float]:
    """Return the seconds of the whole graph, of its encoder and of its tree inference on one batch."""
    arrays = (*rows.arrays.values(), word_counts)
    inputs = [torch.from_numpy(np.ascontiguousarray(array)).to(device) for array in arrays]
    pieces, piece_counts, first_pieces, last_pieces, counts = inputs
    network = graph.network
    pretrained = network.pretrained
    assert pretrained is not None
    mask = torch.arange(pieces.shape[1], device=device) < piece_counts.unsqueeze(1)
    features = pretrained.gather(pretrained.encode(pieces, mask), first_pieces, last_pieces)
    positions = network.contextualize(features, counts, torch.zeros_like(counts))
    scores: SpanScores = network.score_positions(positions, counts, dependencies=False)
    return (
        device_seconds(lambda: graph(*inputs, trees_only=True), device),
        device_seconds(lambda: pretrained.encode(pieces, mask), device),
        device_seconds(lambda: network.infer_tree(scores, counts), device),
    )


def device_seconds(work: Callable[[], object], device: torch.device, *, repeats: int = 5) -> float:
    """Return the median seconds of one run; on a GPU, of the replays of its recording, so that no launch counts."""
    if device.type != "cuda":
        work()
        return statistics.median(_timed(work) for _ in range(repeats))
    cuda: Any = torch.cuda  # parts of it have no types
    # Warm-up in a stream of its own, as recording asks: libraries set themselves up in the first runs.
    stream = cuda.Stream(device)
    stream.wait_stream(cuda.current_stream(device))
    with cuda.stream(stream):
        for _ in range(3):
            work()
    cuda.current_stream(device).wait_stream(stream)
    recording = cuda.CUDAGraph()
    with cuda.graph(recording):
        work()
    events = [cuda.Event(enable_timing=True) for _ in range(repeats + 1)]
    recording.replay()
    events[0].record()
    for event in events[1:]:
        recording.replay()
        event.record()
    cuda.synchronize(device)
    seconds: list[float] = [before.elapsed_time(after) / 1000 for before, after in itertools.pairwise(events)]
    recording.reset()
    return statistics.median(seconds)


def _timed(work: Callable[[], object]) -> float:
    start = time.perf_counter()
    work()
    return time.perf_counter() - start
