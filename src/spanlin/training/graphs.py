"""The forward and backward passes of training, recorded as CUDA graphs."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import torch
from torch import Tensor, nn

from spanlin.network.batch import Batch, map_tensors, tensors_in
from spanlin.network.cuda_graphs import GraphRecorder
from spanlin.network.encoders.native import NativeEncoder
from spanlin.network.loss import SoftTargets
from spanlin.network.network import ParserNetwork


def can_be_graphed(network: ParserNetwork) -> bool:
    """Return whether a network runs the same kernels for every batch of one shape; transformers' encoders do not."""
    return network.pretrained is None or isinstance(network.pretrained.model, NativeEncoder)


class GraphedLoss:
    """Adds the gradients of a batch to the weights', by replay where its shape is known.

    Gradients must exist and stay where they are: zero them in place. All calls run on the current stream, which must
    not be the default one.
    """

    def __init__(self, loss_module: nn.Module, *, device: torch.device, precision: str) -> None:
        self._module = loss_module
        self._device = device
        self._bf16 = precision == "bf16"
        self._recorder: GraphRecorder[tuple[tuple[int, ...], ...], Tensor] = GraphRecorder()
        for weight in loss_module.parameters():
            if weight.requires_grad:
                weight.grad = torch.zeros_like(weight)

    def __call__(self, batch: Batch, soft: SoftTargets | None, scale: float) -> Tensor:
        """Return the scaled loss of a batch on the device, its gradients added."""
        given = [*_tensors(batch), *(() if soft is None else _tensors(soft))]
        key = tuple(tuple(tensor.shape) for tensor in given)
        recording = self._recorder.find(key, lambda: self._prepare(batch, soft))
        if recording is None:
            loss = self._loss(batch, soft) * scale
            torch.autograd.backward(loss)
            return loss.detach()
        *inputs, own_scale = recording.inputs
        torch._foreach_copy_(inputs, given)
        own_scale.fill_(scale)
        return recording.replay().clone()

    def _loss(self, batch: Batch, soft: SoftTargets | None) -> Tensor:
        # The cache of casted weights would leave tensors of one graph's memory in another's.
        with torch.autocast("cuda", dtype=torch.bfloat16, enabled=self._bf16, cache_enabled=False):
            loss: Tensor = self._module(batch, soft)
        return loss

    def _prepare(self, batch: Batch, soft: SoftTargets | None) -> tuple[list[Tensor], Callable[[], Tensor]]:
        """Return the inputs and the passes to record of a batch, whose tensors from then on are the graph's own."""
        if soft is not None:
            soft = map_tensors(soft, lambda tensor, _: tensor.clone())
        scale = torch.zeros((), device=self._device)

        def passes() -> Tensor:
            loss = self._loss(batch, soft) * scale
            torch.autograd.backward(loss)
            return loss.detach()

        return [*_tensors(batch), *(() if soft is None else _tensors(soft)), scale], passes


def _tensors(batch: Batch | SoftTargets) -> Iterator[Tensor]:
    """Yield what the device reads of a batch or of its soft targets."""
    return tensors_in(batch, leave_out=frozenset({"lengths"}))
