"""BERT, RoBERTa and MPNet encoders in plain torch: the same function as transformers' from the same folder.

One file for the family, so that no release of another library can break it, nothing waits for the device, and the
whole parser can be captured as one static graph.
"""

from __future__ import annotations

import json
import math
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
import torch.nn.functional as F
from safetensors import SafetensorError
from safetensors.torch import load_file
from torch import Tensor, nn

from spanlin.errors import CheckpointError
from spanlin.network.encoders.exported_attention import exported_attention

FAMILY = frozenset({"bert", "roberta", "xlm-roberta", "camembert", "mpnet"})


@dataclass(frozen=True, kw_only=True)
class NativeSizes:
    """The numbers of a transformers `config.json` that matter here."""

    model_type: str
    vocab_size: int
    hidden_size: int
    num_hidden_layers: int
    num_attention_heads: int
    intermediate_size: int
    max_position_embeddings: int
    hidden_act: str = "gelu"
    layer_norm_eps: float = 1e-12
    hidden_dropout_prob: float = 0.1
    attention_probs_dropout_prob: float = 0.1
    type_vocab_size: int = 0
    pad_token_id: int = 0
    relative_attention_num_buckets: int = 0

    @classmethod
    def from_table(cls, table: dict[str, Any], source: str) -> NativeSizes:
        """Pick the known keys out of a config; anything that would change the function otherwise is an error."""
        known = {name: value for name, value in table.items() if name in cls.__dataclass_fields__ and value is not None}
        if known.get("model_type") == "mpnet":
            known["type_vocab_size"] = 0
            known.setdefault("relative_attention_num_buckets", 32)
            known.setdefault("pad_token_id", 1)
        elif known.get("model_type") != "bert":
            known.setdefault("pad_token_id", 1)
        try:
            sizes = cls(**known)
        except TypeError as error:
            raise CheckpointError(f"{source}: {error}") from error
        if sizes.hidden_act != "gelu" or table.get("position_embedding_type", "absolute") != "absolute":
            raise CheckpointError(f"{source}: only hidden_act 'gelu' and absolute positions are known")
        return sizes

    @property
    def first_position(self) -> int:
        """Where positions are counted from: RoBERTa and its relatives start after the padding id."""
        return 0 if self.model_type == "bert" else self.pad_token_id + 1


class NativeEncoder(nn.Module):
    """Word pieces to vectors."""

    def __init__(self, sizes: NativeSizes) -> None:
        super().__init__()
        self.sizes = sizes
        self.width = self.input_width = sizes.hidden_size
        self.vocabulary_size = sizes.vocab_size
        self.layer_count = sizes.num_hidden_layers
        self.limit = sizes.max_position_embeddings - sizes.first_position
        self.pieces = nn.Embedding(sizes.vocab_size, sizes.hidden_size)
        self.positions = nn.Embedding(sizes.max_position_embeddings, sizes.hidden_size)
        self.types = nn.Embedding(sizes.type_vocab_size, sizes.hidden_size) if sizes.type_vocab_size else None
        self.norm = nn.LayerNorm(sizes.hidden_size, eps=sizes.layer_norm_eps)
        self.dropout = nn.Dropout(sizes.hidden_dropout_prob)
        buckets = sizes.relative_attention_num_buckets
        self.distances = nn.Embedding(buckets, sizes.num_attention_heads) if buckets else None
        self.layers = nn.ModuleList(_Layer(sizes) for _ in range(sizes.num_hidden_layers))

    def forward(self, pieces: Tensor, mask: Tensor, added: Tensor | None = None) -> list[Tensor]:
        """Return the embeddings and the output of each layer, [batch, pieces, width] each; `mask` is true on pieces.

        `added` is added to the pieces' vectors before anything else.
        """
        length = pieces.shape[1]
        place = torch.arange(length, device=pieces.device)
        x = self.pieces(pieces) + self.positions(place + self.sizes.first_position)
        if added is not None:
            x = x + added
        if self.types is not None:
            x = x + self.types.weight[0]
        x = self.dropout(self.norm(x))
        bias: Tensor = mask.view(mask.shape[0], 1, 1, length)
        if self.distances is not None:
            buckets = _distance_buckets(place.unsqueeze(0) - place.unsqueeze(1), self.distances.num_embeddings)
            by_distance = self.distances(buckets).permute(2, 0, 1).unsqueeze(0)  # [1, heads, query, key]
            bias = by_distance.masked_fill(~bias, torch.finfo(by_distance.dtype).min)
        layers = [x]
        for layer in self.layers:
            layers.append(layer(layers[-1], bias))
        return layers

    def config_table(self) -> dict[str, Any]:
        """Return what `native_from_folder` reads back from a config.json."""
        return dict(vars(self.sizes))


class _Layer(nn.Module):
    def __init__(self, sizes: NativeSizes) -> None:
        super().__init__()
        width = sizes.hidden_size
        self.heads = sizes.num_attention_heads
        self.queries_keys_values = nn.Linear(width, 3 * width)
        self.mix = nn.Linear(width, width)
        self.attention_norm = nn.LayerNorm(width, eps=sizes.layer_norm_eps)
        self.widen = nn.Linear(width, sizes.intermediate_size)
        self.narrow = nn.Linear(sizes.intermediate_size, width)
        self.norm = nn.LayerNorm(width, eps=sizes.layer_norm_eps)
        self.dropout = nn.Dropout(sizes.hidden_dropout_prob)
        self.attention_dropout = sizes.attention_probs_dropout_prob

    def forward(self, x: Tensor, bias: Tensor) -> Tensor:
        batch, length, width = x.shape
        split = self.queries_keys_values(x).view(batch, length, 3, self.heads, width // self.heads)
        queries, keys, values = split.permute(2, 0, 3, 1, 4).unbind(0)
        if bias.dtype != torch.bool:
            bias = bias.to(queries.dtype)
        if torch.onnx.is_in_onnx_export():
            attended = exported_attention(queries, keys, values, bias)
        else:
            dropout = self.attention_dropout if self.training else 0.0
            attended = F.scaled_dot_product_attention(queries, keys, values, attn_mask=bias, dropout_p=dropout)
        joined = attended.transpose(1, 2).reshape(batch, length, width)
        x = self.attention_norm(x + self.dropout(self.mix(joined)))
        out: Tensor = self.norm(x + self.dropout(self.narrow(F.gelu(self.widen(x)))))
        return out


def _distance_buckets(distances: Tensor, count: int, farthest: int = 128) -> Tensor:
    """Return MPNet's bucket of each distance from a key to its query: one for each near one, far ones by logarithm."""
    half = count // 2
    exact = half // 2
    size = distances.abs()
    logarithmic = torch.log(size.clamp(min=1).float() / exact) / math.log(farthest / exact) * (half - exact)
    far = (exact + logarithmic.long()).clamp(max=half - 1)
    return torch.where(size < exact, size, far) + (distances > 0).long() * half


def native_from_folder(folder: Path, *, drop_layers: int = 0, weights: bool = True) -> NativeEncoder | None:
    """Return the encoder of a folder if it is one of the family, else None; `weights` off leaves them random."""
    path = folder / "config.json"
    try:
        table = json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise CheckpointError(f"{folder}: no config.json here; give a local transformers folder") from error
    except ValueError as error:
        raise CheckpointError(f"{path}: not JSON: {error}") from error
    if not isinstance(table, dict):
        raise CheckpointError(f"{path}: not a table of settings")
    if table.get("model_type") not in FAMILY:
        return None
    layers = table.get("num_hidden_layers", 0)
    if drop_layers:
        if not 0 < drop_layers < layers:
            raise CheckpointError(f"{folder}: cannot drop {drop_layers} of {layers} layers")
        table["num_hidden_layers"] = layers - drop_layers
    encoder = NativeEncoder(NativeSizes.from_table(table, str(path)))
    if weights:
        source = folder / "model.safetensors"
        try:
            found = load_file(source)
        except (OSError, SafetensorError) as error:
            raise CheckpointError(f"{source}: cannot be read: {error}; convert the encoder to safetensors") from error
        _load_transformers_weights(encoder, found, str(source))
    return encoder


_NAMES = {
    "embeddings.word_embeddings": "pieces",
    "embeddings.position_embeddings": "positions",
    "embeddings.token_type_embeddings": "types",
    "embeddings.LayerNorm": "norm",
    "encoder.relative_attention_bias": "distances",
}
_LAYER_NAMES = {
    "attention.output.dense": "mix",
    "attention.attn.o": "mix",
    "attention.output.LayerNorm": "attention_norm",
    "attention.LayerNorm": "attention_norm",
    "intermediate.dense": "widen",
    "output.dense": "narrow",
    "output.LayerNorm": "norm",
}
_ATTENTION = (
    ("attention.self.query", "attention.attn.q"),
    ("attention.self.key", "attention.attn.k"),
    ("attention.self.value", "attention.attn.v"),
)
_LAYER = re.compile(r"encoder\.layer\.(\d+)\.(.+)\.(weight|bias)")


def _load_transformers_weights(encoder: NativeEncoder, found: dict[str, Tensor], source: str) -> None:
    """Copy weights by transformers' names, with or without a model prefix such as `bert.`."""
    ours: dict[str, Tensor] = {}
    parts: dict[tuple[str, str], dict[int, Tensor]] = {}
    roles = {name: number for number, names in enumerate(_ATTENTION) for name in names}
    for key, value in found.items():
        name = re.sub(r"^(bert|roberta|mpnet)\.", "", key).replace(".gamma", ".weight").replace(".beta", ".bias")
        match = _LAYER.fullmatch(name)
        stem, _, kind = name.rpartition(".")
        if match is None and stem in _NAMES:
            ours[f"{_NAMES[stem]}.{kind}"] = value
        elif match is not None and int(match[1]) < encoder.layer_count:
            number, stem, kind = match.groups()
            if stem in roles:
                parts.setdefault((number, kind), {})[roles[stem]] = value
            elif stem in _LAYER_NAMES:
                ours[f"layers.{number}.{_LAYER_NAMES[stem]}.{kind}"] = value
    for (number, kind), three in parts.items():
        if len(three) == 3:
            ours[f"layers.{number}.queries_keys_values.{kind}"] = torch.cat([three[role] for role in range(3)])
    try:
        encoder.load_state_dict({name: value.float() for name, value in ours.items()})
    except RuntimeError as error:
        raise CheckpointError(
            f"{source}: the weights do not fit config.json: {str(error).splitlines()[-1].strip()}"
        ) from error
