"""An LSTM in the precision of its weights, with dropout in its recurrence at the speed of the library's own kernels.

Under autocast, torch runs LSTMs of a GPU in fp16, whatever type autocast has. Small gradients are 0 there unless the
loss is scaled, so autocast is off here.

Masks on the states would need a kernel for every step. Instead weights from state to state are dropped, once for a
whole batch (DropConnect; Wan et al. 2013, Merity et al. 2018): the LSTM is then the usual one with other weights.
"""

from __future__ import annotations

import warnings

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from spanlin.network.encoders.paired_lstm import run_paired

_WEIGHTS = ("weight_ih_l0", "weight_hh_l0", "bias_ih_l0", "bias_hh_l0")


def run_lstm(module: nn.Module, x: Tensor, *, dropout: float = 0.0) -> Tensor:
    """Return the states of a one-layer LSTM over [batch, steps, features], with this share of its recurrence dropped.

    They have the type of its weights. All random numbers are torch's and are drawn on the device, so that the passes
    can be recorded as one graph.
    """
    assert isinstance(module, nn.LSTM)
    weights: list[Tensor] = [module.get_parameter(name) for name in _WEIGHTS]
    with torch.autocast(x.device.type, enabled=False):
        x = x.to(weights[0].dtype)
        if not dropout:
            states: Tensor = module(x)[0]
            return states
        weights[1] = F.dropout(weights[1], dropout)
        start = x.new_zeros(1, x.shape[0], module.hidden_size)
        with warnings.catch_warnings():
            # New weights cannot lie where the old ones do; copying them there takes next to no time.
            warnings.filterwarnings("ignore", message="RNN module weights are not part of single contiguous chunk")
            found = torch.lstm(x, (start, start), weights, True, 1, 0.0, module.training, False, True)
    return found[0]


def run_both(
    rightward: nn.Module, leftward: nn.Module, x: Tensor, turned: Tensor, *, dropout: float = 0.0
) -> tuple[Tensor, Tensor]:
    """Return the states of two LSTMs of one size over `x` and over `turned`, as `run_lstm` does for each."""
    if not x.is_cuda:
        return run_lstm(rightward, x, dropout=dropout), run_lstm(leftward, turned, dropout=dropout)
    pair: list[list[Tensor]] = [[one.get_parameter(name) for name in _WEIGHTS] for one in (rightward, leftward)]
    kind = pair[0][0].dtype
    with torch.autocast(x.device.type, enabled=False):
        if dropout:
            pair = [[of_inputs, F.dropout(of_states, dropout), *biases] for of_inputs, of_states, *biases in pair]
        return run_paired(pair, (x.to(kind), turned.to(kind)))
