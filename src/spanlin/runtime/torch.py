"""The parser's network in torch, for a GPU; on a CPU it works too, slowly."""

from __future__ import annotations

import math
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, cast

import numpy as np
import torch
import torch.nn.functional as F
from numpy.typing import NDArray
from safetensors import SafetensorError, safe_open
from safetensors.torch import load_file
from torch import Tensor, nn
from torch.nn.attention import SDPBackend, sdpa_kernel

from spanlin.config.network import NetworkConfig
from spanlin.config.table import config_from_table
from spanlin.errors import CheckpointError, ConfigError
from spanlin.model_folder.folder import WEIGHTS, ModelFolder
from spanlin.network.cuda_graphs import GraphRecorder
from spanlin.network.dependency_graph import RelationGraph
from spanlin.network.device import choose_device
from spanlin.network.encoders.native import NativeEncoder, NativeSizes
from spanlin.network.graph import LabelGraph, ParserGraph
from spanlin.network.kept_rows import KeptRows
from spanlin.network.network import ParserNetwork, VocabularySizes
from spanlin.network.span_scorer import IMPOSSIBLE
from spanlin.runtime.backend import (
    OF_DEPENDENCIES,
    ROOT_RELATION,
    SELDOM_READ,
    TREE,
    Arrays,
    BoolArray,
    Float32Array,
    IntArray,
    graph_outputs,
)
from spanlin.runtime.graph_weights import GraphWeights
from spanlin.runtime.input_rows import InputRows
from spanlin.runtime.piece_rows import PieceRows

_GPU_TOKENS = 32_768
_MOST_RECORDED = 256  # shapes beyond these run unrecorded: each recording keeps the memory of its results
_REST = 4.0  # recording takes a fifth of the time at most
_LARGER = 4  # times as many sentences as there are may be run, rather than to launch every kernel

_MISFITS = (
    *(AttributeError, KeyError, TypeError, ValueError, OverflowError, RuntimeError, OSError),
    *(ConfigError, SafetensorError),
)

_Key = tuple[int, int, int, tuple[str, ...]]


class TorchBackend:
    """Runs a model folder's network: in bfloat16 on a GPU, in fp32 on a CPU.

    On a GPU, the kernels of each shape of batch are recorded as a CUDA graph and replayed; a batch is sent, run and
    fetched without waiting, so that the next caller queues behind it while this one waits for its results.
    """

    def __init__(self, folder: ModelFolder, *, device: str, network: ParserNetwork | None = None) -> None:
        """Load the folder's network; or run `network`, which is that of a checkpoint."""
        self._device = choose_device(device)
        on_gpu = self._device.type == "cuda"
        self.batch_tokens = _GPU_TOKENS if on_gpu else 1000
        # Divisors of the encoder's limit: padding must not go beyond its last position.
        self.multiple, self.small_multiple = (math.gcd(size if on_gpu else 1, folder.piece_limit) for size in (8, 32))
        self.most_sentences = self.batch_overhead = 0
        self.chunk = 16_384 if on_gpu else 4096
        graph = load_graph(folder) if network is None else _parser_graph(network, folder)
        # Networks without an encoder are small, and LSTMs no faster in bfloat16.
        dtype = torch.bfloat16 if on_gpu and graph.network.pretrained is not None else torch.float32
        self._graph = graph.to(self._device, dtype)
        self._labels = LabelGraph(self._graph.network)
        arcs = self._graph.network.dependencies
        self._relations = None if arcs is None else RelationGraph(arcs)
        self._dtype = dtype
        self.device, self.precision = str(self._device), "bf16" if dtype == torch.bfloat16 else "fp32"
        self._label_count, self._relation_count = len(folder.labels), len(folder.relations)
        network = graph.network
        self.outputs = frozenset(
            graph_outputs(
                left=network.left_scorer is not None,
                right=network.right_scorer is not None,
                dependencies=network.dependencies is not None,
            )
        )
        cuda: Any = torch.cuda  # some of it has no annotations
        self._stream: Any = cuda.Stream(self._device) if on_gpu else None
        # For what is asked of a batch after it has run: it need not wait for those that came later.
        self._aside: Any = cuda.Stream(self._device) if on_gpu else None
        self._lock = threading.Lock()  # one stream of work keeps a GPU busy; two would only take turns
        self._recorder: GraphRecorder[_Key, dict[str, Tensor]] | None = (
            GraphRecorder(limit=_MOST_RECORDED, rest=_REST, keeps_memory=True) if on_gpu and _is_ours(network) else None
        )

    @torch.inference_mode()
    def run(self, rows: InputRows, word_counts: IntArray, outputs: Sequence[str] = TREE) -> Arrays:
        """Return the outputs asked for."""
        inputs = [torch.from_numpy(np.ascontiguousarray(array)) for array in (*rows.arrays.values(), word_counts)]
        if self._stream is None:
            with self._lock:
                found = self._forward(inputs, outputs)
            return {name: found[name].numpy() for name in outputs}
        inputs = [tensor.pin_memory() for tensor in inputs]
        with self._lock, torch.cuda.stream(self._stream):
            found = self._on_gpu(rows, inputs, tuple(outputs))
            fetched, kept = {}, {}
            for name in outputs:
                value = found[name][: len(word_counts)]
                if name in SELDOM_READ:
                    kept[name] = value.clone()  # the next replay writes over it
                    continue
                if value.dtype == torch.bfloat16:  # NumPy has none
                    value = value.float()
                fetched[name] = torch.empty(value.shape, dtype=value.dtype, pin_memory=True)
                fetched[name].copy_(value, non_blocking=True)
            done = self._stream.record_event()
        done.synchronize()
        return {name: value.numpy() for name, value in fetched.items()} | {
            name: cast("NDArray[Any]", KeptRows(value, self._lock, self._aside)) for name, value in kept.items()
        }

    @torch.inference_mode()
    def label(
        self, lefts: Float32Array, rights: Float32Array, left_children: BoolArray, roots: BoolArray
    ) -> Float32Array:
        """Return the log-probabilities of labels."""
        return self._score(self._labels, (lefts, rights), (left_children, roots), self._label_count)

    @torch.inference_mode()
    def relate(self, heads: Float32Array, dependents: Float32Array, roots: BoolArray) -> Float32Array:
        """Return the log-probabilities of relations."""
        assert self._relations is not None
        return self._score(self._relations, (heads, dependents), (roots,), self._relation_count)

    def _score(
        self, graph: nn.Module, halves: Sequence[Float32Array], flags: Sequence[BoolArray], count: int
    ) -> Float32Array:
        """Return the first `count` columns of what a small graph makes of these."""
        with torch.cuda.stream(self._aside):
            inputs = [torch.from_numpy(half).to(self._device, self._dtype) for half in halves]
            inputs += [torch.from_numpy(flag).to(self._device) for flag in flags]
            with self._lock:
                scores: Tensor = graph(*inputs)
            found: Float32Array = scores[:, :count].cpu().numpy()
        return found

    def _on_gpu(self, rows: InputRows, inputs: list[Tensor], outputs: tuple[str, ...]) -> dict[str, Tensor]:
        """Return the outputs on the device, perhaps with more rows than were asked for."""
        # Recorded are rows of pieces of which each is a sentence.
        recorder = self._recorder
        if recorder is not None and isinstance(rows, PieceRows) and len(rows.first_pieces) == len(rows.pieces):
            count, length = rows.pieces.shape
            # Batches of one length are all full but for the last, so few sizes serve them all.
            full = max(1, self.batch_tokens // length)
            size = count if count >= full else min(full, 1 << (count - 1).bit_length())
            key = (size, length, rows.width, outputs)
            recording = recorder.find(key, lambda: self._prepare(inputs, size, outputs))
            if recording is None:  # one with more rows, which fill it as others do
                larger = (recorder.known((more, *key[1:])) for more in _larger_sizes(size, full))
                recording = next((found for found in larger if found is not None), None)
            if recording is not None:
                for place, value in zip(recording.inputs, inputs, strict=True):
                    place[: len(value)].copy_(value, non_blocking=True)
                return recording.replay()
        # cuDNN's attention plans anew for every shape in every thread, which takes longer than a small batch itself.
        with sdpa_kernel([SDPBackend.EFFICIENT_ATTENTION, SDPBackend.MATH]):
            return self._forward([tensor.to(self._device, non_blocking=True) for tensor in inputs], outputs)

    def _forward(self, inputs: list[Tensor], outputs: Sequence[str]) -> dict[str, Tensor]:
        """Return these outputs, and perhaps others."""
        found: dict[str, Tensor] = self._graph(
            *inputs,
            trees_only=set(outputs) <= set(TREE),
            dependencies=not set(outputs).isdisjoint(OF_DEPENDENCIES),
        )
        return found

    def _prepare(
        self, inputs: list[Tensor], size: int, outputs: tuple[str, ...]
    ) -> tuple[list[Tensor], Callable[[], dict[str, Tensor]]]:
        """Return the inputs and the work to record for `size` sentences of this shape; these are repeated to fill it.

        Only these outputs are kept: the memory of the others, some of them large, serves the next recording.
        """
        filled = [tensor[torch.arange(size) % len(tensor)].to(self._device, non_blocking=True) for tensor in inputs]

        def work() -> dict[str, Tensor]:
            found = self._forward(filled, outputs)
            return {name: found[name] for name in outputs}

        work()  # libraries choose their kernels and workspaces before the recording
        return filled, work


def _larger_sizes(size: int, full: int) -> Iterator[int]:
    """Yield the sizes that batches are filled up to, larger than `size` but not by far, the smallest first."""
    most = min(full, size * _LARGER)
    powers = (size << step for step in range(1, _LARGER.bit_length()))
    yield from sorted({more for more in (*powers, full) if size < more <= most})


def load_graph(folder: ModelFolder) -> ParserGraph:
    """Return the parser of a folder in fp32, on the CPU: from its own weights, or those in its graph."""
    return _parser_graph(network_of(folder), folder)


def _parser_graph(network: ParserNetwork, folder: ModelFolder) -> ParserGraph:
    for layers in network.output_layers().values():
        _widen(layers)
    return ParserGraph(network, treebank=_treebank(folder)).eval()


def _is_ours(network: ParserNetwork) -> bool:
    """Whether a network runs the same kernels for every batch of one shape; transformers' encoders do not."""
    return network.pretrained is None or isinstance(network.pretrained.model, NativeEncoder)


def _widen(layers: nn.Sequential) -> None:
    """Give the last layer more outputs, none of which can be chosen: a GPU is far slower at odd numbers of them."""
    last = layers[-1]
    assert isinstance(last, nn.Linear)
    more = -last.out_features % 8
    wide = nn.Linear(last.in_features, last.out_features + more)
    with torch.no_grad():
        wide.weight.copy_(F.pad(last.weight, (0, 0, 0, more)))
        wide.bias.copy_(F.pad(last.bias, (0, more), value=IMPOSSIBLE))
    layers[-1] = wide


def network_of(folder: ModelFolder) -> ParserNetwork:
    """Return the network of a folder in fp32, on the CPU, with nothing made wider."""
    path: Path = folder.path / WEIGHTS
    details = folder.details
    if "network" not in details:  # its exporter knew that torch cannot make it from a folder
        raise CheckpointError(
            f"{folder.path}: torch cannot run what was exported from this network: "
            "give its checkpoint instead, or leave out the device"
        )
    if not ("weights" in details or path.is_file()):
        raise CheckpointError(f"{folder.path}: exported without weights for torch: export it again with --with-weights")
    try:
        config = config_from_table(NetworkConfig, details["network"])
        encoder_sizes = NativeSizes.from_table(details["encoder"], str(folder.path))
        sizes = VocabularySizes(
            words=0,
            chars=0,
            input_tags=0,
            labels=len(folder.labels),
            tags=len(folder.tags),
            treebanks=len(details["treebanks"]),
            relations=len(folder.relations),
            universal_tags=len(folder.universal_tags),
            root_relation=folder.relations.index(ROOT_RELATION) if ROOT_RELATION in folder.relations else -1,
        )
        state: Mapping[str, Tensor]
        if path.is_file():
            shapes = _file_shapes(path)
            wanted = _wanted_shapes(config, sizes, encoder_sizes, most_layers=len(shapes))
            for name in sorted(wanted.keys() | shapes.keys()):
                given, due = shapes.get(name), wanted.get(name)
                if given != due:
                    raise ValueError(f"{name} has the shape {given}, not {due}")
            state = {name: value.float() for name, value in load_file(path).items()}
        else:
            weights = GraphWeights(folder)
            wanted = _wanted_shapes(config, sizes, encoder_sizes, most_layers=len(weights))
            state = {name: torch.from_numpy(value) for name, value in weights.read(wanted).items()}
        network = ParserNetwork(config, sizes, pretrained=NativeEncoder(encoder_sizes))
        network.load_state_dict(state)
    except _MISFITS as error:
        raise CheckpointError(
            f"{folder.path}: its weights do not fit its manifest: {(str(error).splitlines() or [''])[0]}"
        ) from error
    return network


def _file_shapes(path: Path) -> dict[str, tuple[int, ...]]:
    with safe_open(path, framework="pt") as file:
        return {name: tuple(file.get_slice(name).get_shape()) for name in file.keys()}  # noqa: SIM118 (no mapping)


def _wanted_shapes(
    config: NetworkConfig, sizes: VocabularySizes, encoder: NativeSizes, *, most_layers: int
) -> dict[str, tuple[int, ...]]:
    """Return the shapes of the weights of such a network, for which no memory is taken yet."""
    for layers in (encoder.num_hidden_layers, config.context.layers):
        if layers > most_layers:
            raise ValueError(f"{layers} layers, but only {most_layers} weights")
    with torch.device("meta"):
        network = ParserNetwork(config, sizes, pretrained=NativeEncoder(encoder))
    return {name: tuple(value.shape) for name, value in network.state_dict().items()}


def _treebank(folder: ModelFolder) -> int:
    name, known = folder.details.get("treebank", ""), folder.details["treebanks"]
    if not isinstance(known, list):
        raise CheckpointError(f"{folder.path}: damaged: details.treebanks must be a list; export it again")
    return known.index(name) + 1 if name in known else 0
