from __future__ import annotations

import warnings
from pathlib import Path

import onnx
import onnxruntime
import pytest
import torch
from torch import Tensor, nn

from spanlin.network.encoders.exported_lstm import exportable_lstms, exported_lstm


class Pair(nn.Module):
    """Both directions, all states and the last ones."""

    def __init__(self) -> None:
        super().__init__()
        self.rightward, self.leftward = nn.LSTM(5, 8, batch_first=True), nn.LSTM(5, 8, batch_first=True)

    def forward(self, x: Tensor, lengths: Tensor) -> tuple[Tensor, ...]:
        found = (
            exported_lstm(x, lengths, module, leftward=leftward)
            for module, leftward in ((self.rightward, False), (self.leftward, True))
        )
        return tuple(tensor for both in found for tensor in both)


@pytest.fixture(scope="module")
def pair() -> Pair:
    torch.manual_seed(1)
    return Pair().eval()


@pytest.fixture(scope="module")
def graph(pair: Pair, tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("lstm") / "graph.onnx"
    batch, width = (torch.export.Dim(name, min=2) for name in ("batch", "width"))
    with warnings.catch_warnings(), exportable_lstms(pair), torch.inference_mode():
        warnings.simplefilter("ignore")
        torch.onnx.export(
            pair,
            (torch.randn(3, 7, 5), torch.tensor([7, 4, 5])),
            str(path),
            input_names=["x", "lengths"],
            dynamic_shapes=({0: batch, 1: width}, {0: batch}),
            dynamo=True,
            external_data=False,
            verbose=False,
        )
    return path


@pytest.mark.parametrize("lengths", [[9, 1, 4, 9], [1], [30], [2, 2]])
def test_the_operator_reads_each_sequence_to_its_end_from_either_side(
    lengths: list[int], pair: Pair, graph: Path
) -> None:
    session = onnxruntime.InferenceSession(str(graph), providers=["CPUExecutionProvider"])
    x = torch.randn(len(lengths), max(lengths), 5)
    given = {"x": x.numpy(), "lengths": torch.tensor(lengths).numpy()}
    from_left, last_right, from_right, last_left = map(torch.from_numpy, session.run(None, given))
    for row, length in enumerate(lengths):
        own = x[row : row + 1, :length]
        with torch.no_grad():
            rightward, (end, _) = pair.rightward(own)
            leftward, (start, _) = pair.leftward(own.flip(1))
        torch.testing.assert_close(from_left[row, :length], rightward[0])
        torch.testing.assert_close(last_right[row], end[0, 0])
        torch.testing.assert_close(from_right[row, :length], leftward[0].flip(0))
        torch.testing.assert_close(last_left[row], start[0, 0])


def test_the_graph_holds_the_weights_as_the_operator_takes_them(graph: Path) -> None:
    model = onnx.load(str(graph))
    weights = {item.name for item in model.graph.initializer}
    nodes = [node for node in model.graph.node if node.op_type == "LSTM"]
    assert len(nodes) == 2
    assert all(name in weights for node in nodes for name in node.input[1:4])


def test_nothing_is_left_in_the_network(pair: Pair) -> None:
    before = {name for name, _ in pair.named_buffers()}
    with exportable_lstms(pair):
        assert len(list(pair.named_buffers())) == 6
        assert not [name for name in pair.state_dict() if "onnx" in name], "nor is it saved"
    assert {name for name, _ in pair.named_buffers()} == before == set()
