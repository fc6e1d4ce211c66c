from __future__ import annotations

import pytest
import torch
from torch import nn

from spanlin.config.network import ContextConfig
from spanlin.errors import ConfigError
from spanlin.network.encoders.bilstm import BiLstm
from spanlin.network.encoders.recurrent_dropout import run_lstm


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
