"""The encoder of an exported model as a transformers folder, so that peers can be given the very same one."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import torch
from safetensors.torch import load_file, save_file
from torch import Tensor

from spanlin.errors import CheckpointError
from spanlin.model_folder.folder import WEIGHTS, ModelFolder, open_folder

_PREFIX = "pretrained.model."
_EMBEDDINGS = {
    "pieces": "embeddings.word_embeddings",
    "positions": "embeddings.position_embeddings",
    "types": "embeddings.token_type_embeddings",
    "norm": "embeddings.LayerNorm",
    "distances": "encoder.relative_attention_bias",
}
_LAYER = {
    "mix": "attention.output.dense",
    "attention_norm": "attention.output.LayerNorm",
    "widen": "intermediate.dense",
    "narrow": "output.dense",
    "norm": "output.LayerNorm",
}
_MPNET_LAYER = _LAYER | {"mix": "attention.attn.o", "attention_norm": "attention.LayerNorm"}
_ATTENTION = ("attention.self.query", "attention.self.key", "attention.self.value")
_MPNET_ATTENTION = ("attention.attn.q", "attention.attn.k", "attention.attn.v")

_CLASSES = {"bert": ("BertModel", "BertTokenizer"), "mpnet": ("MPNetModel", "MPNetTokenizer")}
_ROLES: dict[str, dict[str, str]] = {
    "bert": {"cls": "[CLS]", "sep": "[SEP]", "pad": "[PAD]", "unk": "[UNK]", "mask": "[MASK]"},
    "mpnet": {
        "bos": "<s>",
        "eos": "</s>",
        "cls": "<s>",
        "sep": "</s>",
        "pad": "<pad>",
        "unk": "[UNK]",
        "mask": "<mask>",
    },
}


def write_encoder(model: str | Path, destination: Path) -> None:
    """Write the encoder and the tokenizer of a model folder that holds its weights."""
    folder = open_folder(model)
    kind, config = _config(folder)
    state = {
        name.removeprefix(_PREFIX): value.float()
        for name, value in load_file(folder.path / WEIGHTS).items()
        if name.startswith(_PREFIX)
    }
    destination.mkdir(parents=True, exist_ok=True)
    save_file(transformers_names(state, kind), destination / "model.safetensors", metadata={"format": "pt"})
    _, tokenizer_class = _CLASSES[kind]
    settings: dict[str, Any] = {f"{role}_token": piece for role, piece in _ROLES[kind].items()}
    settings |= {"tokenizer_class": tokenizer_class, "model_max_length": folder.piece_limit}
    for name, table in (("config.json", config), ("tokenizer_config.json", settings)):
        (destination / name).write_text(json.dumps(table, indent=1) + "\n", encoding="utf-8")
    text = folder.tokenizer.read_text(encoding="utf-8")
    (destination / "tokenizer.json").write_text(text, encoding="utf-8")
    # The older kind of tokenizer, which some peers ask for, reads a plain list.
    vocabulary: dict[str, int] = json.loads(text)["model"]["vocab"]
    lines = "".join(f"{piece}\n" for piece in sorted(vocabulary, key=lambda piece: vocabulary[piece]))
    (destination / "vocab.txt").write_text(lines, encoding="utf-8")


def _config(folder: ModelFolder) -> tuple[str, dict[str, Any]]:
    table = folder.details.get("encoder")
    if table is None or not (folder.path / WEIGHTS).is_file():
        raise CheckpointError(f"{folder.path}: exported without weights for torch: export it again with --with-weights")
    kind = table["model_type"]
    if kind not in _CLASSES:
        raise CheckpointError(f"{folder.path}: its encoder is {kind}; only {', '.join(_CLASSES)} can be written")
    return kind, table | {"architectures": [_CLASSES[kind][0]], "dtype": "float32"}


def transformers_names(state: dict[str, Tensor], kind: str) -> dict[str, Tensor]:
    """Return an encoder's weights by the names that transformers gives them."""
    names, attention = (_MPNET_LAYER, _MPNET_ATTENTION) if kind == "mpnet" else (_LAYER, _ATTENTION)
    found: dict[str, Tensor] = {}
    for key, value in state.items():
        stem, _, part = key.rpartition(".")
        if not stem.startswith("layers."):
            found[f"{_EMBEDDINGS[stem]}.{part}"] = value
            continue
        _, number, stem = stem.split(".")
        if stem == "queries_keys_values":
            for name, third in zip(attention, torch.chunk(value, 3), strict=True):
                found[f"encoder.layer.{number}.{name}.{part}"] = third.contiguous()
        else:
            found[f"encoder.layer.{number}.{names[stem]}.{part}"] = value
    return found
