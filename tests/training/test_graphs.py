"""Training by CUDA graphs gives what training without them gives, and resumes after a stop.

Where the device is the CPU, a twin that records nothing takes the graphs' place: there it is the loop around them that
is tested.
"""

from __future__ import annotations

import copy
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from torch import Tensor, nn

from generated_treebank import generate_treebank, generate_trees
from small_runs import small_config, splits_of, untrained_model
from spanlin.config.toml_files import merge_tables
from spanlin.config.training import TrainingConfig
from spanlin.network.batch import Batch
from spanlin.network.loss import SoftTargets, soft_targets
from spanlin.training import loop, schedule
from spanlin.training.batches import BatchMaker
from spanlin.training.checkpoint import Model, load_model
from spanlin.training.graphs import GraphedLoss
from spanlin.training.loss_module import LossModule
from spanlin.training.metrics import Event
from spanlin.training.parsing import autocast, parse_examples
from spanlin.training.processes import own_stream
from spanlin.trees.brackets import read_trees
from spanlin.trees.labelled import LabelledSplits
from tiny_encoders import make_encoder

Treebank = tuple[Path, Path]
GPU = (pytest.mark.gpu, pytest.mark.skipif(not torch.cuda.is_available(), reason="no GPU"))
DEVICES = ["cpu", pytest.param("cuda", marks=GPU)]
ENCODERS = ["bilstm", "transformer", "bert"]
VARIANTS: dict[str, dict[str, Any]] = {
    "graph layers": {"scorer": {"graph_layers": 2, "separate_boundaries": True}},
    "joint norm": {"context": {"kind": "transformer", "joint_norm": True, "positions": "learned"}},
}
TREES = generate_trees(64, seed=21)


@pytest.fixture(autouse=True)
def _exact_products() -> Iterator[None]:
    """No TF32 in the LSTM, which would make much of a difference in the last bit; products have none as it is."""
    before = torch.backends.cudnn.allow_tf32
    torch.backends.cudnn.allow_tf32 = False
    yield
    torch.backends.cudnn.allow_tf32 = before


@pytest.fixture(scope="module", autouse=True)
def _no_pictures() -> Iterator[None]:
    """A machine with a GPU may have no matplotlib."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(loop, "draw_curves", lambda folder: folder)
        yield


@pytest.fixture(scope="module")
def treebank(tmp_path_factory: pytest.TempPathFactory) -> Treebank:
    return generate_treebank(tmp_path_factory.mktemp("treebank"), train=96, dev=16)


@pytest.fixture(scope="module")
def encoder_folder(treebank: Treebank, tmp_path_factory: pytest.TempPathFactory) -> Path:
    words = [word for tree in (*read_trees(treebank[0]), *TREES) for word in tree.words]
    return make_encoder(tmp_path_factory.mktemp("encoder"), words, width=32, limit=128)


@pytest.fixture(scope="module")
def teacher(treebank: Treebank, tmp_path_factory: pytest.TempPathFactory) -> Path:
    config = small_config(*treebank, epochs=2, seed=2)
    return loop.train(config, tmp_path_factory.mktemp("teacher") / "run", device="cpu").best


def network_of(encoder: str, encoder_folder: Path) -> dict[str, Any]:
    if encoder == "bert":
        return {"input": "pretrained", "pretrained": {"folder": str(encoder_folder)}, "context": {"kind": "none"}}
    if encoder in VARIANTS:
        return VARIANTS[encoder]
    return {"context": {"kind": encoder}}


class Plain:
    """What `GraphedLoss` does, without graphs, on any device."""

    def __init__(self, loss_module: nn.Module, *, device: torch.device, precision: str) -> None:
        self._module, self._device, self._precision = loss_module, device, precision
        for weight in loss_module.parameters():
            weight.grad = torch.zeros_like(weight)

    def __call__(self, batch: Batch, soft: SoftTargets | None, scale: float) -> Tensor:
        with autocast(self._device, self._precision):
            loss: Tensor = self._module(batch, soft) * scale
        loss.backward()  # type: ignore[no-untyped-call]
        return loss.detach()


class Counted(GraphedLoss):
    """Graphs, and how often each was replayed."""

    made: list[Counted]

    def __init__(self, loss_module: nn.Module, *, device: torch.device, precision: str) -> None:
        super().__init__(loss_module, device=device, precision=precision)
        self.calls = 0
        self.made.append(self)

    def __call__(self, batch: Batch, soft: SoftTargets | None, scale: float) -> Tensor:
        self.calls += 1
        return super().__call__(batch, soft, scale)

    @property
    def replays(self) -> int:
        return self.calls - len(self._recorder._seen)  # the first batch of a shape runs as it is


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch) -> Any:
    """Trains and returns the loss of every step; all runs make the batches that graphs need."""
    monkeypatch.setattr(schedule, "_REPORT_STEPS", 1)
    monkeypatch.setattr(loop._Run, "_uses_graphs", lambda _: True)

    def train(
        config: TrainingConfig, folder: Path, device: str, *, graphs: bool, resume: bool = False, stop: int = 0
    ) -> dict[int, float]:
        Counted.made = []
        twin: Any = (Counted if device == "cuda" else Plain) if graphs else lambda *_, **__: None
        monkeypatch.setattr(loop, "GraphedLoss", twin)
        losses: dict[int, float] = {}

        def watch(event: Event) -> None:
            if event.kind == "step":
                losses[event.step] = event.loss
            if stop and event.kind == "saved" and event.step >= stop:
                raise InterruptedError

        if stop:
            with pytest.raises(InterruptedError):
                loop.train(config, folder, device=device, watch=watch)
        else:
            loop.train(config, folder, device=device, watch=watch, resume=resume)
        if graphs and device == "cuda":
            (counted,) = Counted.made
            assert len(counted._recorder)
            assert counted.replays > counted.calls / 3, "hardly a graph was replayed"
        return losses

    return train


def assert_close(found: dict[int, float], wanted: dict[int, float]) -> None:
    """The same steps had the same losses; rounding grows from step to step."""
    assert list(found) == list(wanted)
    steps = sorted(wanted)
    first = steps[: len(steps) // 4]
    assert [found[step] for step in first] == pytest.approx([wanted[step] for step in first], rel=5e-3)
    assert [found[step] for step in steps] == pytest.approx([wanted[step] for step in steps], rel=0.03)


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("encoder", ENCODERS)
def test_a_run_by_graphs_has_the_losses_and_trees_of_one_without(
    *, encoder: str, device: str, treebank: Treebank, encoder_folder: Path, tmp_path: Path, run: Any
) -> None:
    config = small_config(*treebank, network=network_of(encoder, encoder_folder), epochs=5)
    by_graphs = run(config, tmp_path / "graphs", device, graphs=True)
    without = run(config, tmp_path / "plain", device, graphs=False)
    assert len(without) >= 20
    assert without[max(without)] < 0.8 * without[1]
    assert_close(by_graphs, without)
    splits = splits_of(list(read_trees(treebank[1])))
    models = [load_model(tmp_path / name / "last") for name in ("graphs", "plain")]
    parses = [parse_examples(model, model.featurizer(splits), splits) for model in models]
    assert share_of_equal(*parses) >= 0.8


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("dropout", [0.0, 0.2])
def test_a_run_by_graphs_that_stopped_goes_on_as_if_it_had_not(
    dropout: float, device: str, treebank: Treebank, tmp_path: Path, run: Any
) -> None:
    network = {name: {"dropout": dropout} for name in ("lexical", "context", "scorer")}
    network["context"]["recurrent_dropout"] = dropout
    changes: dict[str, Any] = {"averaging": 0.9, "save_every": 7, "epochs": 4, "batch": {"accumulate": 2}}
    config = small_config(*treebank, network=network, **changes)
    whole = run(config, tmp_path / "whole", device, graphs=True)
    before = run(config, tmp_path / "stopped", device, graphs=True, stop=7)
    after = run(config, tmp_path / "stopped", device, graphs=True, resume=True)
    assert max(before) == 7
    assert min(after) == 8
    assert_close(before | after, whole)


@pytest.mark.parametrize("device", DEVICES)
def test_a_student_by_graphs_has_the_losses_of_one_without(
    device: str, treebank: Treebank, teacher: Path, tmp_path: Path, run: Any
) -> None:
    config = small_config(*treebank, epochs=5)
    config = replace(config, distillation=replace(config.distillation, teachers=(str(teacher),), tree_share=0.3))
    by_graphs = run(config, tmp_path / "graphs", device, graphs=True)
    assert_close(by_graphs, run(config, tmp_path / "plain", device, graphs=False))


def share_of_equal(some: list[LabelledSplits], others: list[LabelledSplits]) -> float:
    return sum(one == two for one, two in zip(some, others, strict=True)) / len(others)


def batches_of(model: Model, *, size: int) -> list[Batch]:
    """Batches of the same shapes over and over: sentences of 9 to 16 words, with other ones in each."""
    examples = model.featurizer(splits_of(TREES))
    numbers = np.array([number for number, tree in enumerate(TREES) if 8 < len(tree.words) <= 16])
    maker = BatchMaker(examples, multiple=8)
    starts = range(0, len(numbers) - size, size)
    assert len(starts) >= 3
    return [maker(numbers[start : start + size]) for start in starts]


@pytest.mark.parametrize("precision", ["fp32", "bf16"])
@pytest.mark.parametrize("encoder", [*ENCODERS, *VARIANTS])
@pytest.mark.parametrize("lessons", [False, True])
@pytest.mark.gpu
@pytest.mark.skipif(not torch.cuda.is_available(), reason="no GPU")
def test_a_replayed_graph_adds_the_loss_and_the_gradients_of_its_batch(
    *, lessons: bool, encoder: str, precision: str, encoder_folder: Path
) -> None:
    torch.manual_seed(1)
    model = untrained_model(TREES, **merge_tables(network_of(encoder, encoder_folder), {"scorer": {"target": "both"}}))
    device = torch.device("cuda")
    module = LossModule(model, 0.5)
    # Copied before the move: a copy of an LSTM on a GPU has its weights in pieces, of which cuDNN warns.
    twin = copy.deepcopy(module).to(device)
    module.to(device)
    batches = [batch.to(device) for batch in batches_of(model, size=4)]
    tolerance = 1e-4 if precision == "fp32" else 2e-2
    with own_stream(device):
        graphed = GraphedLoss(module, device=device, precision=precision)
        plain = Plain(twin, device=device, precision=precision)
        for turn in range(3):
            for number, batch in enumerate(batches):
                soft = None
                if lessons:
                    assert batch.has_tree is not None
                    with torch.no_grad():
                        soft = soft_targets([twin.network], [batch], gold=batch.targets, has_tree=batch.has_tree)
                scale = 1 / (1 + turn + number)
                for one in (module, twin):
                    for weight in one.parameters():
                        assert weight.grad is not None
                        weight.grad.zero_()
                wanted, found = plain(batch, soft, scale), graphed(copy.deepcopy(batch), soft, scale)
                assert found.item() == pytest.approx(wanted.item(), rel=tolerance)
                for (name, weight), other in zip(module.named_parameters(), twin.parameters(), strict=True):
                    assert weight.grad is not None
                    assert other.grad is not None
                    difference = (weight.grad - other.grad).abs().max().item()
                    assert difference <= tolerance * (1 + other.grad.abs().max().item()), name
        assert 0 < len(graphed._recorder) < len(batches)


@pytest.mark.parametrize("precision", ["fp32", "bf16"])
@pytest.mark.parametrize("encoder", ENCODERS)
@pytest.mark.gpu
@pytest.mark.skipif(not torch.cuda.is_available(), reason="no GPU")
def test_a_training_by_graphs_reaches_95_f1(encoder: str, precision: str, encoder_folder: Path, tmp_path: Path) -> None:
    wider = {"lexical": {"word_width": 32, "char_width": 16}, "scorer": {"hidden_width": 64, "label_width": 48}}
    context = {"width": 64, "layers": 2 if encoder == "transformer" else 1, "heads": 4, "feed_forward_width": 128}
    large = generate_treebank(tmp_path / "treebank", train=800, dev=100)
    network = merge_tables(merge_tables(network_of(encoder, encoder_folder), wider), {"context": context})
    config = small_config(*large, network=network, precision=precision, epochs=12, batch={"sentences": 24})
    result = loop.train(config, tmp_path / "run", device="cuda")
    assert result.best_score > 95
    model = load_model(result.best)
    gold = splits_of(list(read_trees(large[1])))
    examples = model.featurizer(gold)
    parses = []
    for name in ("cpu", "cuda"):
        model.network.to(name)
        parses.append(parse_examples(model, examples, gold, device=torch.device(name)))
    assert share_of_equal(*parses) >= 0.98
