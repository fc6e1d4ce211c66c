"""Model folders for torch: weights and sizes that do not belong together take no memory and say so."""

from __future__ import annotations

import dataclasses
import json
import shutil
import time
from pathlib import Path
from typing import Any

import pytest

from spanlin.errors import CheckpointError
from spanlin.model_folder.folder import MANIFEST, WEIGHTS, file_hash
from spanlin.model_folder.lookup import find_model
from spanlin.parser import Parser

torch = pytest.importorskip("torch")

LONGEST = 5.0  # seconds of work, however many others share the cores
SIZES = {
    "model_type": "bert",
    "vocab_size": 100,
    "hidden_size": 32,
    "num_hidden_layers": 1,
    "num_attention_heads": 2,
    "intermediate_size": 64,
    "max_position_embeddings": 40,
}
FEW = b"\x40" + bytes(7) + b'{"a":{"dtype":"F32","shape":[1],"data_offsets":[0,4]}}'.ljust(64) + bytes(4)

CASES: dict[str, tuple[bytes, dict[str, Any]]] = {
    "no_safetensors": (b"\x80\x04cos\nsystem\n(S'id'\ntR.", {}),
    "header_beyond_the_file": (b"\xff" * 8 + b"{}", {}),
    "other_weights": (FEW, {}),
    "absurd_width": (FEW, {"encoder": SIZES | {"hidden_size": 10**9, "vocab_size": 10**9}}),
    "absurd_depth": (FEW, {"encoder": SIZES | {"num_hidden_layers": 10**9}}),
    "encoder_no_object": (FEW, {"encoder": [1, 2]}),
    "sizes_no_numbers": (FEW, {"encoder": SIZES | {"hidden_size": "wide"}}),
    "network_unknown_key": (FEW, {"network": {"evil": 1}}),
    "network_no_object": (FEW, {"network": 7}),
    "treebanks_missing": (FEW, {"treebanks": None}),
}


@pytest.mark.parametrize("name", CASES)
def test_weights_that_do_not_fit_are_refused(name: str, tmp_path: Path) -> None:
    from spanlin.config.network import NetworkConfig

    raw, changes = CASES[name]
    folder = Path(shutil.copytree(find_model("en"), tmp_path / "model"))
    (folder / WEIGHTS).write_bytes(raw)
    manifest = json.loads((folder / MANIFEST).read_text(encoding="utf-8"))
    manifest["files"][WEIGHTS] = file_hash(folder / WEIGHTS)
    network = json.loads(json.dumps(dataclasses.asdict(NetworkConfig(input="pretrained", pretrained=_pretrained()))))
    manifest["details"] = {"treebank": "", "treebanks": [], "network": network, "encoder": SIZES} | changes
    (folder / MANIFEST).write_text(json.dumps(manifest), encoding="utf-8")
    start = time.process_time()
    with pytest.raises(CheckpointError, match=r"weights do not fit its manifest|damaged") as caught:
        Parser.load(folder, device="cpu")
    assert time.process_time() - start < LONGEST
    assert str(folder) in str(caught.value)
    assert "\n" not in str(caught.value)


def _pretrained() -> Any:
    from spanlin.config.network import PretrainedConfig

    return PretrainedConfig(folder="exported")
