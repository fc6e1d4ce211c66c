from __future__ import annotations

import pytest
import torch
from torch import nn

from spanlin.config.network import ContextConfig, LexicalConfig
from spanlin.errors import ConfigError
from spanlin.network.batch import LexicalInput
from spanlin.network.encoders.bilstm import BiLstm
from spanlin.network.encoders.lexical import LexicalEmbedding
from spanlin.network.encoders.recurrent_dropout import run_lstm

GPU = (pytest.mark.gpu, pytest.mark.skipif(not torch.cuda.is_available(), reason="no GPU"))
DEVICES = ["cpu", pytest.param("cuda", marks=GPU)]


def test_an_lstm_with_dropped_weights_is_one_that_has_0_there() -> None:
    torch.manual_seed(1)
    lstm, x = nn.LSTM(5, 6, batch_first=True), torch.randn(3, 7, 5)
    torch.manual_seed(2)
    mask = nn.functional.dropout(torch.ones(24, 6), 0.5)
    assert 0.3 < mask.eq(0).float().mean() < 0.7
    twin = nn.LSTM(5, 6, batch_first=True)
    twin.load_state_dict(lstm.state_dict() | {"weight_hh_l0": lstm.get_parameter("weight_hh_l0").detach() * mask})
    torch.manual_seed(2)
    torch.testing.assert_close(run_lstm(lstm, x, dropout=0.5), twin(x)[0])
    torch.testing.assert_close(run_lstm(lstm, x, dropout=0.0), lstm(x)[0])


def test_weights_that_are_not_dropped_learn() -> None:
    torch.manual_seed(1)
    lstm = nn.LSTM(5, 6, batch_first=True)
    torch.autograd.backward(run_lstm(lstm, torch.randn(3, 7, 5), dropout=0.5).sum())
    gradients = [weight.grad for weight in lstm.parameters()]
    assert all(gradient is not None and gradient.any() for gradient in gradients)
    recurrent = lstm.get_parameter("weight_hh_l0").grad
    assert recurrent is not None
    assert 0.2 < recurrent.eq(0).float().mean() < 0.8


def test_a_bilstm_drops_its_recurrence_in_training_alone() -> None:
    torch.manual_seed(1)
    encoder = BiLstm(5, ContextConfig(width=16, layers=2, dropout=0.0, recurrent_dropout=0.4))
    plain = BiLstm(5, ContextConfig(width=16, layers=2, dropout=0.0))
    plain.load_state_dict(encoder.state_dict())  # it has no weights of its own
    x, counts = torch.randn(2, 6, 5), torch.tensor([6, 4])
    assert encoder.eval()(x, counts).equal(plain.eval()(x, counts))
    encoder.train()
    first = encoder(x, counts)
    assert not first.allclose(encoder(x, counts))
    with pytest.raises(ConfigError, match=r"network\.context\.recurrent_dropout must be in \[0, 1\), got 1"):
        ContextConfig(recurrent_dropout=1.0)


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("dropout", [0.0, 0.5])
@pytest.mark.parametrize("given", [torch.float32, torch.bfloat16])
def test_an_lstm_is_as_precise_as_its_weights_under_autocast(device: str, dropout: float, given: torch.dtype) -> None:
    torch.manual_seed(1)
    lstm = nn.LSTM(5, 6, batch_first=True).to(device)
    x = torch.randn(3, 7, 5, device=device, dtype=given)
    torch.manual_seed(2)
    expected = run_lstm(lstm, x.float(), dropout=dropout)
    torch.manual_seed(2)
    with torch.autocast(device, dtype=torch.bfloat16):
        found = run_lstm(lstm, x, dropout=dropout)
        assert (found @ found.new_ones(6, 2)).dtype == torch.bfloat16, "what follows is as before"
    assert found.dtype == torch.float32
    torch.testing.assert_close(found, expected)
    torch.autograd.backward(found.sum())
    gradient = lstm.get_parameter("weight_hh_l0").grad
    assert gradient is not None
    assert gradient.dtype == torch.float32


def test_an_lstm_of_sixteen_bits_takes_wider_input() -> None:
    lstm = nn.LSTM(5, 6, batch_first=True).bfloat16()
    assert run_lstm(lstm, torch.randn(3, 7, 5)).dtype == torch.bfloat16


@pytest.mark.parametrize("device", DEVICES)
def test_both_encoders_run_their_lstms_so(device: str) -> None:
    torch.manual_seed(1)
    encoder = BiLstm(5, ContextConfig(width=16, layers=2, dropout=0.0)).to(device)
    x, counts = torch.randn(2, 6, 5, device=device), torch.tensor([6, 4], device=device)
    config = LexicalConfig(word_width=0, char_width=8, dropout=0.0)
    spelled = LexicalEmbedding(config, word_count=1, char_count=9, tag_count=1, vectors=None).to(device)
    given = LexicalInput(
        words=torch.zeros(2, 3, dtype=torch.long),
        tags=torch.zeros(2, 3, dtype=torch.long),
        vectors=torch.zeros(2, 3, dtype=torch.long),
        spellings=torch.randint(9, (4, 5), device=device),
        spelling_lengths=torch.tensor([5, 2, 1, 4], device=device),
        spelling_of=torch.tensor([[0, 1, 2], [3, 3, 0]], device=device),
    )
    assert spelled.spelling is not None
    expected = encoder(x, counts), spelled.spelling(given.spellings, given.spelling_lengths), spelled(given)
    with torch.autocast(device, dtype=torch.bfloat16):
        found = encoder(x, counts), spelled.spelling(given.spellings, given.spelling_lengths), spelled(given)
    for one, other in zip(found, expected, strict=True):
        torch.testing.assert_close(one, other)
