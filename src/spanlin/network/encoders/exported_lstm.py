"""An LSTM in either direction as an operator of ONNX, for a network that is being exported.

torch's exporter would write out an LSTM step by step, for the length of one example. ONNX has an operator for any
length, which reads each sequence of a batch to its own end, or from there.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import torch
from torch import Tensor, nn
from torch.onnx.ops import symbolic_multi_out

_OPSET = 14  # the last to change the operator
_NAMES = ("onnx_weights", "onnx_recurrence", "onnx_biases")


@contextmanager
def exportable_lstms(network: nn.Module) -> Iterator[None]:
    """Keep the weights of all LSTMs as ONNX orders them inside this context: a graph should not do that each time."""
    modules = [module for module in network.modules() if isinstance(module, nn.LSTM)]
    for module in modules:
        biases = torch.cat([_in_onnx_order(module.bias_ih_l0), _in_onnx_order(module.bias_hh_l0)])
        values = (_in_onnx_order(module.weight_ih_l0), _in_onnx_order(module.weight_hh_l0), biases)
        for name, value in zip(_NAMES, values, strict=True):
            module.register_buffer(name, value.unsqueeze(0), persistent=False)
    try:
        yield
    finally:
        for module in modules:
            for name in _NAMES:
                delattr(module, name)


def exported_lstm(x: Tensor, lengths: Tensor, module: nn.Module, *, leftward: bool) -> tuple[Tensor, Tensor]:
    """Return an LSTM's states, [batch, width, hidden], and its last ones, [batch, hidden], of [batch, width, features].

    `lengths`, [batch], are how many are read; if `leftward`, from the last to the first.
    """
    assert isinstance(module, nn.LSTM)
    batch, width, _ = x.shape
    hidden = module.hidden_size
    states, last, _ = symbolic_multi_out(
        "LSTM",
        [x.transpose(0, 1), *(module.get_buffer(name) for name in _NAMES), lengths.to(torch.int32)],
        {"direction": "reverse" if leftward else "forward", "hidden_size": hidden},
        dtypes=[x.dtype] * 3,
        shapes=[(width, 1, batch, hidden), (1, batch, hidden), (1, batch, hidden)],
        version=_OPSET,
    )
    return states.squeeze(1).transpose(0, 1), last.squeeze(0)


def _in_onnx_order(gates: Tensor | nn.Module) -> Tensor:
    """Return the weights of the gates as ONNX orders them: input, output, forget, cell."""
    assert isinstance(gates, Tensor)
    into, forget, cell, out = gates.detach().chunk(4)
    return torch.cat([into, out, forget, cell])
