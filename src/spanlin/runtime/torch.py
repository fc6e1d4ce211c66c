"""The parser's network in torch, for a GPU; on a CPU it works too, slowly."""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
from safetensors import SafetensorError
from safetensors.torch import load_file
from torch import Tensor

from spanlin.errors import CheckpointError, ConfigError
from spanlin.network.config import NetworkConfig
from spanlin.network.config_table import config_from_table
from spanlin.network.device import choose_device
from spanlin.network.encoders.native import NativeEncoder, NativeSizes
from spanlin.network.graph import ParserGraph
from spanlin.network.network import ParserNetwork, VocabularySizes
from spanlin.runtime.backend import TREE, Arrays, Ints
from spanlin.runtime.folder import WEIGHTS, ModelFolder
from spanlin.runtime.piece_rows import PieceRows

_GPU_TOKENS = 32_768
# Shapes of batches are recorded when they are seen so often: a recording costs as much as some forty small batches.
_RARE_FULL, _RARE_SMALL = 2, 16
_MOST_RECORDED = 256  # further shapes run as they are: each recording keeps its results' memory


class TorchBackend:
    """Runs a model folder's weights: in bfloat16 on a GPU, in fp32 on a CPU.

    On a GPU, the kernels of each shape of batch are recorded as a CUDA graph and replayed; a batch is sent, run and
    fetched without waiting, so that whoever calls next queues behind it while this caller waits for its results.
    """

    def __init__(self, folder: ModelFolder, *, device: str) -> None:
        self._device = choose_device(device)
        on_gpu = self._device.type == "cuda"
        self.batch_tokens = _GPU_TOKENS if on_gpu else 1000
        self.multiple = 8 if on_gpu else 1
        self.chunk = 16_384 if on_gpu else 4096
        dtype = torch.bfloat16 if on_gpu else torch.float32
        self._graph = load_graph(folder).to(self._device, dtype)
        cuda: Any = torch.cuda  # some of it has no annotations
        self._stream: Any = cuda.Stream(self._device) if on_gpu else None
        self._lock = threading.Lock()  # one stream of work keeps a GPU busy; two would only take turns
        self._seen: Counter[tuple[int, ...]] = Counter()
        self._recorded: dict[tuple[int, ...], _Recorded] = {}
        self._pool = torch.cuda.graph_pool_handle() if on_gpu else None

    @torch.inference_mode()
    def run(self, rows: PieceRows, word_counts: Ints, outputs: Sequence[str] = TREE) -> Arrays:
        """Return the outputs asked for."""
        arrays = (rows.pieces, rows.piece_counts, rows.first_pieces, rows.last_pieces, word_counts)
        inputs = [torch.from_numpy(np.ascontiguousarray(array)) for array in arrays]
        if self._stream is None:
            with self._lock:
                found = self._graph(*inputs)
            return {name: found[name].numpy() for name in outputs}
        inputs = [tensor.pin_memory() for tensor in inputs]
        with self._lock, torch.cuda.stream(self._stream):
            found = self._on_gpu(inputs)
            fetched = {}
            for name in outputs:
                value = found[name][: len(word_counts)]
                fetched[name] = torch.empty(value.shape, dtype=value.dtype, pin_memory=True)
                fetched[name].copy_(value, non_blocking=True)
            done = self._stream.record_event()
        done.synchronize()
        return {name: value.numpy() for name, value in fetched.items()}

    def _on_gpu(self, inputs: list[Tensor]) -> dict[str, Tensor]:
        """Return the outputs on the device, perhaps with more rows than were asked for."""
        pieces, _, first_pieces, _, _ = inputs
        count, length = pieces.shape
        found: dict[str, Tensor]
        if len(first_pieces) == count:
            # Batches of one length are all full but for the last, so few sizes serve them all.
            full = max(1, self.batch_tokens // length)
            size = count if count >= full else min(full, 1 << (count - 1).bit_length())
            key = (size, length, first_pieces.shape[1])
            recorded = self._recorded.get(key)
            if recorded is None:
                self._seen[key] += 1
                often = self._seen[key] >= (_RARE_FULL if size >= full else _RARE_SMALL)
                if often and len(self._recorded) < _MOST_RECORDED:
                    recorded = self._recorded[key] = self._record(inputs, size)
            if recorded is not None:
                for place, value in zip(recorded.inputs, inputs, strict=True):
                    place[: len(value)].copy_(value, non_blocking=True)
                recorded.graph.replay()
                return recorded.outputs
        found = self._graph(*(tensor.to(self._device, non_blocking=True) for tensor in inputs))
        return found

    def _record(self, inputs: list[Tensor], size: int) -> _Recorded:
        """Record the kernels of a batch of `size` sentences shaped like this one; its own are repeated to fill it."""
        assert self._stream is not None
        filled = [tensor[torch.arange(size) % len(tensor)].to(self._device, non_blocking=True) for tensor in inputs]
        self._graph(*filled)  # libraries choose their kernels and workspaces before the recording
        graph = torch.cuda.CUDAGraph()
        self._stream.synchronize()
        with torch.cuda.graph(graph, pool=self._pool, stream=self._stream, capture_error_mode="thread_local"):
            outputs = self._graph(*filled)
        return _Recorded(graph=graph, inputs=filled, outputs=outputs)


@dataclass(frozen=True, kw_only=True)
class _Recorded:
    graph: torch.cuda.CUDAGraph
    inputs: list[Tensor]
    outputs: dict[str, Tensor]


def load_graph(folder: ModelFolder) -> ParserGraph:
    """Return the parser of a folder that was exported with its weights, in fp32, on the CPU."""
    return ParserGraph(_network(folder), treebank=_treebank(folder)).eval()


def _network(folder: ModelFolder) -> ParserNetwork:
    path: Path = folder.path / WEIGHTS
    details = folder.details
    if "network" not in details or not path.is_file():
        raise CheckpointError(f"{folder.path}: exported without weights for torch: export it again with --with-weights")
    try:
        config = config_from_table(NetworkConfig, details["network"])
        encoder = NativeEncoder(NativeSizes.from_table(details["encoder"], str(folder.path)))
        sizes = VocabularySizes(
            words=0,
            chars=0,
            input_tags=0,
            labels=len(folder.labels),
            tags=len(folder.tags),
            treebanks=len(details["treebanks"]),
        )
        network = ParserNetwork(config, sizes, pretrained=encoder)
        network.load_state_dict({name: value.float() for name, value in load_file(path).items()})
    except (KeyError, TypeError, RuntimeError, OSError, ConfigError, SafetensorError) as error:
        raise CheckpointError(
            f"{folder.path}: its weights do not fit its manifest: {str(error).splitlines()[0]}"
        ) from error
    return network


def _treebank(folder: ModelFolder) -> int:
    name, known = folder.details.get("treebank", ""), folder.details["treebanks"]
    return known.index(name) + 1 if name in known else 0
