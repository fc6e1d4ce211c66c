from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import torch
import transformers
from bench.__main__ import main
from click.testing import CliRunner
from safetensors.torch import save_file

from generated_treebank import generate_trees
from small_runs import untrained_model
from spanlin.model_folder.folder import GRAPH, LABEL_GRAPH, WEIGHTS, ModelFolder, write_manifest
from spanlin.network.encoders.native import NativeEncoder
from spanlin.training.checkpoint import Model
from tiny_encoders import Kind, make_encoder

TREES = generate_trees(20, seed=9)


def small_model(folder: Path, kind: Kind) -> Model:
    words = sorted({word for tree in TREES for word in tree.words})
    source = make_encoder(folder, words, kind=kind, limit=40, width=32)
    return untrained_model(
        TREES, input="pretrained", pretrained={"folder": str(source)}, context={"kind": "none", "width": 32}
    )


def write_model_folder(folder: Path, model: Model, *, with_weights: bool) -> None:
    """Write what an export does, but for the graphs, which no one runs here."""
    assert model.network.pretrained is not None
    assert model.featurizer.pieces is not None
    encoder = model.network.pretrained.model
    assert isinstance(encoder, NativeEncoder)
    folder.mkdir()
    for name in (GRAPH, LABEL_GRAPH):
        (folder / name).write_bytes(b"")
    (folder / "tokenizer.json").write_text(model.featurizer.pieces.text, encoding="utf-8")
    details: dict[str, Any] = {"treebank": "", "treebanks": []}
    if with_weights:
        details["encoder"] = encoder.config_table()
        save_file({name: value.contiguous() for name, value in model.network.state_dict().items()}, folder / WEIGHTS)
    sizes: dict[str, Any] = {"precision": "fp32", "piece_limit": 40, "shape_step": 0}
    write_manifest(ModelFolder(path=folder, labels=("S",), tags=("N",), details=details, **sizes))


@pytest.mark.parametrize("kind", ["bert", "mpnet"])
def test_the_written_encoder_does_what_the_model_s_own_does(kind: Kind, tmp_path: Path) -> None:
    model = small_model(tmp_path / "source", kind)
    write_model_folder(tmp_path / "model", model, with_weights=True)
    done = CliRunner().invoke(main, ["encoder", str(tmp_path / "model"), str(tmp_path / "written")])
    assert done.exit_code == 0, done.output
    written = transformers.AutoModel.from_pretrained(tmp_path / "written").eval()
    assert written.dtype == torch.float32
    pretrained = model.network.pretrained
    assert pretrained is not None
    pieces = torch.arange(5, 15).view(2, 5)
    mask = torch.ones_like(pieces, dtype=torch.bool)
    with torch.inference_mode():
        expected = pretrained.model.eval()(pieces, mask)[-1]
        found = written(input_ids=pieces, attention_mask=mask.long()).last_hidden_state
    torch.testing.assert_close(found, expected, rtol=1e-4, atol=1e-5)


def test_the_written_tokenizer_splits_as_the_model_s_own(tmp_path: Path) -> None:
    model = small_model(tmp_path / "source", "bert")
    write_model_folder(tmp_path / "model", model, with_weights=True)
    CliRunner().invoke(main, ["encoder", str(tmp_path / "model"), str(tmp_path / "written")])
    tokenizer = transformers.AutoTokenizer.from_pretrained(tmp_path / "written")
    own = transformers.PreTrainedTokenizerFast(tokenizer_file=str(tmp_path / "model" / "tokenizer.json"))
    text = " ".join(TREES[0].words)
    assert tokenizer(text)["input_ids"] == own(text)["input_ids"]


def test_a_model_without_weights_is_refused(tmp_path: Path) -> None:
    write_model_folder(tmp_path / "model", small_model(tmp_path / "source", "bert"), with_weights=False)
    done = CliRunner().invoke(main, ["encoder", str(tmp_path / "model"), str(tmp_path / "written")])
    assert done.exit_code == 1
    assert "export it again with --with-weights" in done.output
