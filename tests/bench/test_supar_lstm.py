from __future__ import annotations

import pytest
import torch
from bench.peers.supar_lstm import forward, install, run_layers
from torch.nn.utils.rnn import PackedSequence, pack_padded_sequence, pad_packed_sequence

LENGTHS = torch.tensor([5, 3, 1])


class OneByOne(torch.nn.Module):
    """The slow twin, in the form of SuPar's: torch's cells, layer by layer and word by word."""

    def __init__(self, width: int, hidden: int, layers: int, dropout: float) -> None:
        super().__init__()
        widths = [width, *[2 * hidden] * (layers - 1)]
        self.f_cells = torch.nn.ModuleList(torch.nn.LSTMCell(size, hidden) for size in widths)
        self.b_cells = torch.nn.ModuleList(torch.nn.LSTMCell(size, hidden) for size in widths)
        self.input_size, self.dropout = width, dropout

    def forward(self, sequence: PackedSequence) -> tuple[PackedSequence, None]:
        inputs, lengths = pad_packed_sequence(PackedSequence(sequence.data, sequence.batch_sizes), batch_first=True)
        sentences = [states(row[:length], self) for row, length in zip(inputs, lengths.tolist(), strict=True)]
        padded = torch.nn.utils.rnn.pad_sequence(sentences, batch_first=True)
        return sequence._replace(data=pack_padded_sequence(padded, lengths, batch_first=True).data), None


def states(sentence: torch.Tensor, model: OneByOne) -> torch.Tensor:
    for cells in zip(model.f_cells, model.b_cells, strict=True):
        ways = []
        for cell, order in zip(cells, (range(len(sentence)), reversed(range(len(sentence)))), strict=True):
            found, pair = {}, None
            for place in order:
                pair = cell(sentence[place : place + 1], pair)
                found[place] = pair[0]
            ways.append(torch.cat([found[place] for place in range(len(sentence))]))
        sentence = torch.cat(ways, -1)
    return sentence


@pytest.fixture
def model() -> OneByOne:
    torch.manual_seed(1)
    return OneByOne(4, 6, 3, 0.5)


def packed() -> PackedSequence:
    torch.manual_seed(2)
    return pack_padded_sequence(torch.randn(5, 3, 4), LENGTHS)


def test_states_and_gradients_are_those_of_going_word_by_word(model: OneByOne) -> None:
    model.eval()
    slow = model(packed())[0].data
    slow.square().sum().backward()
    wanted = [parameter.grad.clone() for parameter in model.parameters() if parameter.grad is not None]
    model.zero_grad()
    quick = forward(model, packed())[0].data
    quick.square().sum().backward()
    torch.testing.assert_close(quick, slow)
    torch.testing.assert_close([parameter.grad for parameter in model.parameters()], wanted)


def test_words_beyond_the_end_of_a_sentence_change_nothing(model: OneByOne) -> None:
    inputs = torch.randn(5, 3, 4)
    other = inputs.clone()
    other[3:, 1] = 100.0
    other[1:, 2] = 100.0
    one, two = (run_layers(item, LENGTHS, model.f_cells, model.b_cells, dropout=0.0) for item in (inputs, other))
    torch.testing.assert_close(one[:, 0], two[:, 0])
    torch.testing.assert_close(one[:3, 1], two[:3, 1])
    torch.testing.assert_close(one[:1, 2], two[:1, 2])


def test_dropout_drops_the_same_inputs_and_states_at_every_word_of_a_sentence() -> None:
    class Recorder(torch.nn.LSTMCell):
        """A cell whose gates let everything in and out, so that masks show in the outputs."""

        def __init__(self) -> None:
            super().__init__(1, 1)
            with torch.no_grad():
                self.weight_ih.zero_()
                self.weight_hh.zero_()
                self.weight_ih[2] = 1.0
                self.bias_ih[:] = torch.tensor([50.0, -50.0, 0.0, 50.0])
                self.bias_hh.zero_()

    torch.manual_seed(3)
    found = run_layers(torch.ones(4, 200, 1), torch.full((200,), 4), [Recorder()], [Recorder()], dropout=0.5)
    ahead = found[..., 0]
    dropped, kept = torch.tanh(torch.tanh(torch.tensor(0.0))), torch.tanh(torch.tanh(torch.tensor(2.0)))
    assert torch.equal(ahead, ahead[:1].expand_as(ahead))
    assert set(ahead.unique().tolist()) == {float(dropped), float(kept)}
    assert 60 <= int((ahead[0] == 0).sum()) <= 140


def test_it_is_installed_where_it_gives_the_same_and_refused_where_not() -> None:
    class Same(OneByOne):
        """A class of its own, so that the other tests keep theirs."""

    class Holder:
        encoder = Same(4, 6, 2, 0.5)

    assert install(Holder) < 1e-5
    assert Same.forward is forward

    class Doubled(OneByOne):
        def forward(self, sequence: PackedSequence) -> tuple[PackedSequence, None]:
            found = super().forward(sequence)[0]
            return found._replace(data=2 * found.data), None

    class Other:
        encoder = Doubled(4, 6, 1, 0.5)

    with pytest.raises(ValueError, match="differs"):
        install(Other)
