from __future__ import annotations

import dataclasses
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
import pytest
import torch

from exported_networks import copy_graphs
from runtime.conftest import TREES
from shared_folders import made_once
from small_runs import untrained_model
from spanlin.errors import CheckpointError
from spanlin.model_folder.folder import WEIGHTS, ModelFolder, open_folder
from spanlin.model_folder.lookup import find_model
from spanlin.parser import Parser
from spanlin.runtime.graph_weights import GraphWeights
from spanlin.runtime.torch import TorchBackend
from spanlin.text import tokenize
from spanlin.training.checkpoint import Model
from spanlin.training.export import export_model
from tiny_encoders import Kind, make_encoder

WORDS = sorted({word for tree in TREES for word in tree.words})
TYPES = "pretrained.model.types.weight"
NETWORKS: dict[Kind, dict[str, Any]] = {
    "bert": {"scorer": {"separate_boundaries": True}},
    "roberta": {"scorer": {"label_model": "linearization"}},
    "mpnet": {"scorer": {"label_input": "subtract", "target": "right"}, "treebank_vectors": True},
}
ExportKind: TypeAlias = Callable[[Kind], tuple[Model, Path]]


def small_model(path: Path, *, kind: Kind = "bert", **changes: Any) -> Model:
    torch.manual_seed(6)
    encoder = make_encoder(path, WORDS, kind=kind, limit=32, width=32)
    context = {"kind": "none", "width": 32}
    made = untrained_model(
        TREES, **({"input": "pretrained", "pretrained": {"folder": str(encoder)}, "context": context} | changes)
    )
    with torch.no_grad():
        for weight in made.network.parameters():  # no two alike, not even the biases
            weight.add_(torch.randn_like(weight) * 0.1)
    return made


def used_weights(model: Model) -> dict[str, np.ndarray]:
    """The weights of a network; of the vectors for first and second sentences, only the first is ever read."""
    state = {name: value.numpy().copy() for name, value in model.network.state_dict().items()}
    return state | ({TYPES: state[TYPES][:1]} if TYPES in state else {})


def read_weights(folder: Path, model: Model) -> dict[str, np.ndarray]:
    wanted = {name: value.shape for name, value in used_weights(model).items()}
    return GraphWeights(open_folder(folder)).read(wanted)


@pytest.fixture(scope="module")
def export_kind(tmp_path_factory: pytest.TempPathFactory) -> ExportKind:
    """Makes a model over an encoder of this kind and its folder in fp32, once."""

    @cache
    def export(kind: Kind) -> tuple[Model, Path]:
        model = small_model(tmp_path_factory.mktemp("encoder") / "encoder", kind=kind, **NETWORKS[kind])
        return model, made_once(f"weights-{kind}", lambda path: export_model(model, path), tmp_path_factory)

    return export


@pytest.mark.parametrize(
    "kind", ["bert", pytest.param("roberta", marks=pytest.mark.slow), pytest.param("mpnet", marks=pytest.mark.slow)]
)
def test_an_fp32_graph_has_the_very_weights(kind: Kind, export_kind: ExportKind) -> None:
    model, folder = export_kind(kind)
    found = read_weights(folder, model)
    for name, expected in used_weights(model).items():
        np.testing.assert_array_equal(found[name], expected, err_msg=name)


def test_int8_weights_are_off_by_half_a_step_at_most(
    export_kind: ExportKind, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    model, fp32 = export_kind("bert")
    copy_graphs(fp32, monkeypatch)
    folder = export_model(model, tmp_path / "model", precision="int8")
    found = read_weights(folder, model)
    for name, expected in used_weights(model).items():
        if name.endswith("queries_keys_values.bias"):
            # The softmax takes away what the keys' bias adds, so that the graph has none.
            width = len(expected) // 3
            assert not found[name][width : 2 * width].any()
            expected[width : 2 * width] = 0
        exact = expected.ndim < 2 and "right_bias" not in name
        # Seven bits for the range of a row; vectors of pieces and the like have eight bits for all.
        step = np.abs(expected).max() / (63 if expected.ndim == 2 else 1)
        np.testing.assert_allclose(found[name], expected, rtol=0, atol=0 if exact else step, err_msg=name)
    sentences = [list(tree.words) for tree in TREES]
    assert len(list(Parser.load(folder, device="cpu").bracket_lines(sentences))) == len(sentences)


def test_halved_weights_are_read(export_kind: ExportKind, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    model, fp32 = export_kind("bert")
    copy_graphs(fp32, monkeypatch)
    found = read_weights(export_model(model, tmp_path / "model", precision="fp16"), model)
    for name, expected in used_weights(model).items():
        np.testing.assert_array_equal(found[name], expected.astype(np.float16), err_msg=name)


def test_torch_gives_the_same_trees_by_the_weights_of_the_graph(folder: Path) -> None:
    assert not (folder / WEIGHTS).exists()
    sentences = [list(tree.words) for tree in TREES]
    in_torch, in_onnx = Parser.load(folder, device="cpu"), Parser.load(folder)
    assert list(in_torch.bracket_lines(sentences)) == list(in_onnx.bracket_lines(sentences))


@pytest.mark.slow
def test_a_mix_of_layers_needs_its_weights_beside_the_graph(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pretrained = {"folder": str(tmp_path / "encoder"), "mix_layers": True}
    model = small_model(tmp_path / "encoder", pretrained=pretrained)
    folder = export_model(model, tmp_path / "model")
    with pytest.raises(CheckpointError, match="without weights for torch: export it again with --with-weights"):
        Parser.load(folder, device="cpu")
    copy_graphs(folder, monkeypatch)
    export_model(model, folder, with_weights=True)
    sentences = [list(tree.words) for tree in TREES]
    assert len(list(Parser.load(folder, device="cpu").bracket_lines(sentences))) == len(sentences)


def test_the_packaged_model_parses_in_torch_but_for_what_quantized_activations_change() -> None:
    text = (Path(__file__).parents[2] / "README.md").read_text(encoding="utf-8")
    sentences = [sentence.words for sentence in tokenize(text) if 5 <= len(sentence.words) <= 40]
    assert len(sentences) > 50
    in_torch, in_onnx = Parser.load(device="cpu"), Parser.load()
    pairs = list(zip(in_torch.bracket_lines(sentences), in_onnx.bracket_lines(sentences), strict=True))
    # With weights in the wrong places, hardly a tree would be the same.
    assert sum(one != other for one, other in pairs) <= 0.25 * len(sentences)


def without_weights(details: dict[str, Any], **changes: Any) -> dict[str, Any]:
    return {name: value for name, value in (details | changes).items() if value is not None}


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"weights": None}, "exported without weights for torch: export it again with --with-weights"),
        ({"network": None}, "torch cannot run what was exported from this network: give its checkpoint instead"),
        ({"weights": []}, "do not fit its manifest: details.weights must name a tensor"),
        ({"weights": {"project.weight": 1}}, "do not fit its manifest: details.weights must name a tensor"),
        ({"weights": {}}, "do not fit its manifest: .* is not in the graph"),
    ],
)
def test_a_manifest_that_does_not_tell_the_weights_is_an_error(changes: dict[str, Any], message: str) -> None:
    folder = open_folder(find_model("en"))
    told = dataclasses.replace(folder, details=without_weights(folder.details, **changes))
    with pytest.raises(CheckpointError, match=message):
        TorchBackend(told, device="cpu")


@pytest.mark.parametrize(
    ("parameter", "tensor", "message"),
    [
        ("project.weight", "val_58.T", r"project.weight has the shape \(384, 384\), not \(768, 384\)"),
        ("project.weight", "val_258", r"project.weight has the shape \(384, 768\), not \(768, 384\)"),
        ("project.weight", "row_one", r"project.weight has the shape \(\), not"),
        ("project.weight", "", "project.weight is not in the graph"),
        ("project.weight", "val_9", r"project.weight has the shape \(\), not"),
        ("project.bias", "network.labels.right.bias", r"project.bias has the shape \(256,\), not \(768,\)"),
    ],
)
def test_a_tensor_of_another_shape_is_an_error(parameter: str, tensor: str, message: str) -> None:
    folder = open_folder(find_model("en"))
    names = folder.details["weights"] | {parameter: tensor}
    told = dataclasses.replace(folder, details=folder.details | {"weights": names})
    with pytest.raises(CheckpointError, match=f"its weights do not fit its manifest: {message}"):
        TorchBackend(told, device="cpu")


def sized(part: str, **sizes: Any) -> ModelFolder:
    """The packaged model, with other sizes in its manifest."""
    folder = open_folder(find_model("en"))
    table: dict[str, Any] = folder.details
    for key in part.split("."):
        table = table[key]
    table.update(sizes)
    return folder


@pytest.mark.parametrize(
    ("folder", "message"),
    [
        (sized("encoder", num_hidden_layers=10**9), "1000000000 layers, but only"),
        (sized("network.context", layers=10**9), "1000000000 layers, but only"),
        (sized("encoder", intermediate_size=10**12), "widen.weight has the shape"),
        (sized("encoder", num_hidden_layers=7), "layers.6.queries_keys_values.weight is not in the graph"),
        (sized("network.scorer", label_width=10**9), "weight has the shape"),
    ],
)
def test_sizes_that_are_not_the_graphs_take_no_memory(folder: ModelFolder, message: str) -> None:
    with pytest.raises(CheckpointError, match=f"its weights do not fit its manifest: .*{message}"):
        TorchBackend(folder, device="cpu")
