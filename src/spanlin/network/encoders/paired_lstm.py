"""Two LSTMs over sequences of one shape, step by step together: for GPUs.

The steps of an LSTM wait for each other, and one step fills a small part of a GPU. The library's own LSTMs run one
after the other. Here a product of matrices and a kernel, that of torch's LSTMCell, make a step of both, and whatever
does not wait for other steps is one product for all of them. Narrow LSTMs, such as those over characters, gain nothing
from it: the library has a kernel that does all their steps.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import torch
from torch import Tensor

_CELLS: Any = torch.ops.aten  # torch's LSTMCell calls them too


def run_paired(pair: Sequence[Sequence[Tensor]], both: tuple[Tensor, Tensor]) -> tuple[Tensor, Tensor]:
    """Return the states of two LSTMs of one size, each over its own [batch, steps, features].

    Each is given by its weights, in the order of torch's layers: those of inputs and of states, and the two biases.
    """
    from_inputs, from_states, *biases = (torch.stack(weights) for weights in zip(*pair, strict=True))
    inputs = torch.stack(both).transpose(1, 2)
    states: Tensor = _Paired.apply(  # type: ignore[no-untyped-call]
        inputs, from_inputs, from_states, sum(biases)
    )
    ahead, back = states.transpose(0, 2).unbind(1)
    return ahead, back


class _Paired(torch.autograd.Function):
    """From inputs [2, steps, batch, features] to states [steps, 2, batch, width]."""

    @staticmethod
    def forward(ctx: Any, inputs: Tensor, from_inputs: Tensor, from_states: Tensor, biases: Tensor) -> Tensor:
        _, steps, batch, _ = inputs.shape
        flat = inputs.flatten(1, 2)
        with _tensor_cores():
            gates = torch.baddbmm(biases[:, None], flat, from_inputs.mT)
            gates = gates.view(2, steps, batch, -1).transpose(0, 1).contiguous()
            state = memory = inputs.new_zeros(2, batch, from_states.shape[-1])
            states, memories, opened = [], [], []
            for step in gates.unbind():
                of_states = torch.bmm(state, from_states.mT)
                found = _CELLS._thnn_fused_lstm_cell(step.flatten(0, 1), of_states.flatten(0, 1), memory.flatten(0, 1))
                state, memory = (one.view_as(state) for one in found[:2])
                states.append(state)
                memories.append(memory)
                opened.append(found[2])
        all_states = torch.stack(states)
        ctx.save_for_backward(flat, from_inputs, from_states, all_states, *memories, *opened)
        return all_states

    @staticmethod
    def backward(ctx: Any, *gradients: Any) -> tuple[Tensor, Tensor, Tensor, Tensor]:
        flat, from_inputs, from_states, states, *kept = ctx.saved_tensors
        of_states: Tensor = gradients[0]
        steps, _, batch, _ = states.shape
        memories, opened = kept[:steps], kept[steps:]
        found: list[Tensor] = []
        of_memory: Tensor | None = None
        with _tensor_cores():
            for step in reversed(range(steps)):
                of_state = torch.baddbmm(of_states[step], found[-1], from_states) if found else of_states[step]
                before = memories[step - 1] if step else torch.zeros_like(memories[0])
                of_gates, of_memory, _ = _CELLS._thnn_fused_lstm_cell_backward_impl(
                    of_state.flatten(0, 1),
                    of_memory,
                    before.flatten(0, 1),
                    memories[step].flatten(0, 1),
                    opened[step],
                    has_bias=False,
                )
                found.append(of_gates.view(2, batch, -1))
            of_gates = torch.stack(found[::-1], dim=1)  # [2, steps, batch, 4 * width]
            later, earlier = of_gates[:, 1:].flatten(1, 2), states[:-1].transpose(0, 1).flatten(1, 2)
            of_gates = of_gates.flatten(1, 2)
            return (
                torch.bmm(of_gates, from_inputs).view(2, steps, batch, -1),
                torch.bmm(of_gates.mT, flat),
                torch.bmm(later.mT, earlier),
                of_gates.sum(1),
            )


@contextmanager
def _tensor_cores() -> Iterator[None]:
    """Let products of matrices be in TF32, as those of the library's LSTMs are."""
    precision = torch.get_float32_matmul_precision()
    torch.set_float32_matmul_precision("high")
    try:
        yield
    finally:
        torch.set_float32_matmul_precision(precision)
