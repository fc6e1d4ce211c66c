from __future__ import annotations

from types import SimpleNamespace

import pytest
import torch
from torch import Tensor, nn

from spanlin.network.encoders import paired_lstm, recurrent_dropout
from spanlin.network.encoders.paired_lstm import run_paired
from spanlin.network.encoders.recurrent_dropout import run_both, run_lstm

GPU = (pytest.mark.gpu, pytest.mark.skipif(not torch.cuda.is_available(), reason="no GPU"))
DEVICES = ["cpu", pytest.param("cuda", marks=GPU)]


def cell(of_inputs: Tensor, of_states: Tensor, memory: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    """What torch has for GPUs alone, by the definition of an LSTM."""
    let_in, forget, new, let_out = (of_inputs + of_states).chunk(4, -1)
    let_in, forget, new, let_out = let_in.sigmoid(), forget.sigmoid(), new.tanh(), let_out.sigmoid()
    after = forget * memory + let_in * new
    return let_out * after.tanh(), after, torch.cat([let_in, forget, new, let_out], -1)


def cell_backward(
    of_state: Tensor, of_memory: Tensor | None, *kept: Tensor, has_bias: bool
) -> tuple[Tensor, Tensor, None]:
    assert not has_bias
    before, after, opened = kept
    let_in, forget, new, let_out = opened.chunk(4, -1)
    total = of_state * let_out * (1 - after.tanh() ** 2) + (0 if of_memory is None else of_memory)
    gates = (
        total * new * let_in * (1 - let_in),
        total * before * forget * (1 - forget),
        total * let_in * (1 - new**2),
        of_state * after.tanh() * let_out * (1 - let_out),
    )
    return torch.cat(gates, -1), total * forget, None


@pytest.fixture(params=DEVICES)
def device(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """A device; where torch has no kernels for the steps of an LSTM, ours from above."""
    if request.param == "cpu":
        cells = SimpleNamespace(_thnn_fused_lstm_cell=cell, _thnn_fused_lstm_cell_backward_impl=cell_backward)
        monkeypatch.setattr(paired_lstm, "_CELLS", cells)
    return str(request.param)


def weights_of(lstm: nn.LSTM) -> list[Tensor]:
    return list(lstm.parameters())


@pytest.mark.parametrize("steps", [1, 2, 9])
def test_a_pair_gives_what_both_lstms_give_and_learns_as_they_do(device: str, steps: int) -> None:
    torch.manual_seed(1)
    pair = [nn.LSTM(5, 6, batch_first=True).to(device) for _ in range(2)]
    both = [torch.randn(3, steps, 5, device=device, requires_grad=True) for _ in range(2)]
    weights = [*pair[0].parameters(), *pair[1].parameters(), *both]
    expected = [lstm(x)[0] for lstm, x in zip(pair, both, strict=True)]
    wanted = [torch.randn_like(states) for states in expected]
    found = run_paired([weights_of(lstm) for lstm in pair], (both[0], both[1]))
    near = 2e-3 if device == "cuda" else 1e-5  # products in TF32
    torch.testing.assert_close(list(found), expected, atol=near, rtol=near)
    gradients = [torch.autograd.grad(states, weights, wanted, allow_unused=True) for states in (expected, found)]
    torch.testing.assert_close(gradients[1], gradients[0], atol=near, rtol=near)


def test_a_pair_on_a_gpu_is_the_lstms_of_a_cpu(device: str) -> None:
    torch.manual_seed(1)
    one, other = (nn.LSTM(5, 6, batch_first=True) for _ in range(2))
    x, turned = torch.randn(3, 7, 5), torch.randn(3, 7, 5)
    expected = run_lstm(one, x), run_lstm(other, turned)
    if device == "cpu":
        assert run_both(one, other, x, turned)[0].equal(expected[0])
        return
    found = run_both(one.to(device), other.to(device), x.to(device), turned.bfloat16().to(device))
    torch.testing.assert_close([states.cpu() for states in found], list(expected), atol=2e-2, rtol=2e-2)
    assert {states.dtype for states in found} == {torch.float32}


@pytest.mark.gpu
@pytest.mark.skipif(not torch.cuda.is_available(), reason="no GPU")
def test_a_recorded_pair_gives_the_same() -> None:
    torch.manual_seed(1)
    pair = [nn.LSTM(5, 6, batch_first=True).cuda() for _ in range(2)]
    x, turned = (torch.randn(3, 7, 5, device="cuda") for _ in range(2))

    def passes() -> Tensor:
        loss = sum(states.sum() for states in run_both(pair[0], pair[1], x, turned))
        assert isinstance(loss, Tensor)
        torch.autograd.backward(loss)
        return loss.detach()

    def gradients() -> list[Tensor]:
        return [weight.grad.clone() for lstm in pair for weight in lstm.parameters() if weight.grad is not None]

    stream = torch.cuda.Stream()  # type: ignore[no-untyped-call]
    with torch.cuda.stream(stream):
        for lstm in pair:
            for weight in lstm.parameters():
                weight.grad = torch.zeros_like(weight)
        loss = passes()
        expected = gradients()
        graph = torch.cuda.CUDAGraph()
        stream.synchronize()
        with torch.cuda.graph(graph, stream=stream, capture_error_mode="thread_local"):
            recorded = passes()
        for lstm in pair:
            for weight in lstm.parameters():
                assert weight.grad is not None
                weight.grad.zero_()
        graph.replay()
        stream.synchronize()
        torch.testing.assert_close(recorded, loss)
        torch.testing.assert_close(gradients(), expected)


def test_without_a_gpu_both_lstms_drop_their_recurrence(monkeypatch: pytest.MonkeyPatch) -> None:
    seen = []
    monkeypatch.setattr(recurrent_dropout, "run_lstm", lambda module, x, *, dropout=0.0: seen.append(dropout))
    run_both(nn.LSTM(2, 3), nn.LSTM(2, 3), torch.zeros(1, 1, 2), torch.zeros(1, 1, 2), dropout=0.5)
    assert seen == [0.5, 0.5]
