"""Forward and backward passes as CUDA graphs: one launch a batch instead of thousands.

A small network on a fast GPU spends most of its time waiting for Python to launch kernels. Batches of one shape run
the same kernels, so these are recorded once and replayed; only the inputs are copied in.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, fields, replace

import torch
from torch import Tensor, nn

from spanlin.network.batch import Batch, LexicalInput, PieceInput, Targets
from spanlin.network.encoders.native import NativeEncoder
from spanlin.network.loss import SoftTargets
from spanlin.network.network import ParserNetwork

_RARE = 2  # shapes are recorded when they are seen so often


def can_be_graphed(network: ParserNetwork) -> bool:
    """Tell whether a network runs the same kernels for every batch of one shape; transformers' own look at the data."""
    return network.pretrained is None or isinstance(network.pretrained.model, NativeEncoder)


@dataclass(frozen=True, kw_only=True)
class _Recorded:
    graph: torch.cuda.CUDAGraph
    inputs: list[Tensor]
    scale: Tensor
    loss: Tensor


class GraphedLoss:
    """Adds the gradients of a batch to the weights', by replay where its shape is known.

    Gradients must exist and stay where they are: zero them in place. All calls run on the current stream, which must
    not be the default one.
    """

    def __init__(self, loss_module: nn.Module, *, device: torch.device, precision: str) -> None:
        self._module = loss_module
        self._device = device
        self._bf16 = precision == "bf16"
        self._seen: Counter[tuple[tuple[int, ...], ...]] = Counter()
        self._recorded: dict[tuple[tuple[int, ...], ...], _Recorded] = {}
        self._pool = torch.cuda.graph_pool_handle()
        for weight in loss_module.parameters():
            if weight.requires_grad:
                weight.grad = torch.zeros_like(weight)

    def __call__(self, batch: Batch, soft: SoftTargets | None, scale: float) -> Tensor:
        """Return the scaled loss of a batch on the device, its gradients added."""
        given = [*_tensors(batch), *(() if soft is None else _tensors(soft))]
        key = tuple(tuple(tensor.shape) for tensor in given)
        recorded = self._recorded.get(key)
        if recorded is None:
            self._seen[key] += 1
            if self._seen[key] < _RARE:
                loss = self._loss(batch, soft) * scale
                torch.autograd.backward(loss)
                return loss.detach()
            recorded = self._recorded[key] = self._record(batch, soft)
        else:
            torch._foreach_copy_(recorded.inputs, given)
        recorded.scale.fill_(scale)
        recorded.graph.replay()
        return recorded.loss.clone()

    def _loss(self, batch: Batch, soft: SoftTargets | None) -> Tensor:
        # The cache of casted weights would leave tensors of one graph's memory in another's.
        with torch.autocast("cuda", dtype=torch.bfloat16, enabled=self._bf16, cache_enabled=False):
            loss: Tensor = self._module(batch, soft)
        return loss

    def _record(self, batch: Batch, soft: SoftTargets | None) -> _Recorded:
        """Record the passes of a batch, whose tensors from then on are the graph's own."""
        if soft is not None:
            soft = replace(soft, **{name: value.clone() for name, value in vars(soft).items() if value is not None})
        inputs = [*_tensors(batch), *(() if soft is None else _tensors(soft))]
        scale = torch.zeros((), device=self._device)
        graph = torch.cuda.CUDAGraph()
        stream = torch.cuda.current_stream()
        torch.cuda.synchronize()
        # Another thread pins memory meanwhile, which only a thread-local capture allows.
        with torch.cuda.graph(graph, pool=self._pool, stream=stream, capture_error_mode="thread_local"):
            loss = self._loss(batch, soft) * scale
            torch.autograd.backward(loss)
        return _Recorded(graph=graph, inputs=inputs, scale=scale, loss=loss.detach())


def _tensors(batch: Batch | SoftTargets) -> Iterator[Tensor]:
    """Yield what the device reads of a batch or of its lessons, always in the same order."""
    parts = [getattr(batch, item.name) for item in fields(batch) if item.name != "lengths"]
    for part in parts:
        if isinstance(part, LexicalInput | PieceInput | Targets):
            yield from (getattr(part, item.name) for item in fields(part))
        elif part is not None:
            yield part
