"""SuPar's BiLSTM with fewer operations and the same results.

Its own goes over the words one by one, in Python, for each layer and each direction: of the operations of a training
step on sentences of 30 words, nine in ten are these. A GPU waits for them to be launched. Here both directions take
a step together, and the products of the inputs are made beforehand, all at once. Dropout is SuPar's: a mask per
sentence on a layer's inputs, and one on the states that go from word to word.
"""

from __future__ import annotations

import importlib
from collections.abc import Iterable
from typing import Any

TOLERANCE = 1e-3
"""How far the two may differ; matrix products are in TF32 on a GPU."""


def run_layers(
    inputs: Any, lengths: Any, forward_cells: Iterable[Any], backward_cells: Iterable[Any], *, dropout: float
) -> Any:
    """Return the states of the last layer, [words, sentences, 2 * width], for inputs [words, sentences, width].

    What stands beyond the end of a sentence means nothing. The cells are torch's, one for each layer.
    """
    torch = importlib.import_module("torch")
    words, sentences, _ = inputs.shape
    steps = torch.arange(words, device=inputs.device)[:, None]
    ends = lengths.to(inputs.device)[None, :]
    # Each sentence turned around in its place; the rest stays, so it comes after the end in both directions.
    turned = torch.where(steps < ends, ends - 1 - steps, steps)[:, :, None]
    for cells in zip(forward_cells, backward_cells, strict=True):
        if dropout:
            inputs = inputs * keep_mask(inputs[0], dropout)
        both = torch.stack((inputs, inputs.gather(0, turned.expand_as(inputs))))
        weights = torch.stack([cell.weight_ih.t() for cell in cells])
        biases = torch.stack([cell.bias_ih + cell.bias_hh for cell in cells])[:, None]
        gates = torch.baddbmm(biases, both.flatten(1, 2), weights)
        gates = gates.unflatten(1, (words, sentences)).transpose(0, 1).contiguous()
        recurrent = torch.stack([cell.weight_hh.t() for cell in cells])
        state = memory = inputs.new_zeros(2, sentences, recurrent.shape[1])
        mask = keep_mask(state, dropout) if dropout else None
        found = []
        for step in gates.unbind():
            output, memory = take_step(step, torch.bmm(state, recurrent), memory)
            found.append(output)
            state = output if mask is None else output * mask
        ahead, back = torch.stack(found).unbind(1)
        inputs = torch.cat((ahead, back.gather(0, turned.expand_as(back))), -1)
    return inputs


def keep_mask(like: Any, dropout: float) -> Any:
    """Return 0 with this probability and otherwise what keeps the mean, in the shape of a tensor."""
    return like.new_empty(like.shape).bernoulli_(1 - dropout) / (1 - dropout)


def take_step(inputs: Any, states: Any, memory: Any) -> tuple[Any, Any]:
    """Return the output and the memory of a cell, given the gates' inputs and states, [2, sentences, 4 * width]."""
    torch = importlib.import_module("torch")
    if inputs.is_cuda:
        # What torch's own cell calls there: one kernel.
        output, memory_after, _ = torch.ops.aten._thnn_fused_lstm_cell(
            inputs.flatten(0, 1), states.flatten(0, 1), memory.flatten(0, 1)
        )
        return output.view_as(memory), memory_after.view_as(memory)
    let_in, forget, new, let_out = (inputs + states).chunk(4, -1)
    memory = forget.sigmoid() * memory + let_in.sigmoid() * new.tanh()
    return let_out.sigmoid() * memory.tanh(), memory


def forward(self: Any, sequence: Any, hx: None = None) -> tuple[Any, None]:
    """Stand for `VariationalLSTM.forward`; its states at the end, which the parser does not use, are left out."""
    rnn = importlib.import_module("torch.nn.utils.rnn")
    inputs, lengths = rnn.pad_packed_sequence(rnn.PackedSequence(sequence.data, sequence.batch_sizes))
    dropout = self.dropout if self.training else 0.0
    states = run_layers(inputs, lengths, self.f_cells, self.b_cells, dropout=dropout)
    packed = rnn.pack_padded_sequence(states, lengths)
    return sequence._replace(data=packed.data), None


def install(model: Any) -> float:
    """Make the encoder of a model the quick one if both give the same, and return how far they differ."""
    torch = importlib.import_module("torch")
    lstm = model.encoder
    quick = type("Quick", (), {"__call__": lambda _, packed: forward(lstm, packed)})()
    was_training, precision = lstm.training, torch.get_float32_matmul_precision()
    lstm.eval()
    torch.set_float32_matmul_precision("highest")
    pairs = zip(trial(lstm, lstm), trial(quick, lstm), strict=True)
    difference = max(float((one - other).abs().max()) for one, other in pairs)
    torch.set_float32_matmul_precision(precision)
    lstm.train(was_training)
    if difference > TOLERANCE:
        raise ValueError(f"the quick BiLSTM differs from SuPar's by {difference:.1e}")
    type(lstm).forward = forward
    return difference


def trial(run: Any, lstm: Any) -> list[Any]:
    """Return the states of some made-up sentences and the gradients of all weights."""
    torch = importlib.import_module("torch")
    generator = torch.Generator().manual_seed(0)
    made_up = torch.randn(3, 7, lstm.input_size, generator=generator).to(next(lstm.parameters()).device)
    packed = importlib.import_module("torch.nn.utils.rnn").pack_padded_sequence(
        made_up, [4, 7, 1], batch_first=True, enforce_sorted=False
    )
    with torch.enable_grad():
        states = run(packed)[0].data
        return [states.detach(), *torch.autograd.grad(states.square().mean(), list(lstm.parameters()))]
