"""Each key of a network's configuration is named by the message about it."""

from __future__ import annotations

from typing import Any

import pytest

from spanlin.config.network import NetworkConfig
from spanlin.config.table import config_from_table
from spanlin.errors import ConfigError
from spanlin.network.encoders.native import NativeSizes

FRACTIONS = [
    *("lexical.dropout", "pretrained.dropout", "context.dropout", "scorer.dropout", "dependencies.dropout"),
    "lexical.joined_dropout",
    "loss.label_smoothing",
]


@pytest.mark.parametrize("key", [*FRACTIONS, "unknown_treebank_rate"])
@pytest.mark.parametrize("value", [-0.1, 1.0])
def test_a_share_is_in_its_range_or_its_key_is_named(key: str, value: float) -> None:
    part, _, name = key.rpartition(".")
    table: dict[str, Any] = {part: {name: value}} if part else {name: value}
    with pytest.raises(ConfigError, match=rf"^network\.{key} must be in \[0, 1\), got {value}$"):
        config_from_table(NetworkConfig, table)


@pytest.mark.parametrize(
    ("table", "message"),
    [
        ({"lexical": 3}, "lexical must be a table, got 3"),
        ({"lexical": {"evil": 3}}, "unknown key lexical.evil; known here: .*word_width"),
        ({"context": {"kind": "gru"}}, "context.kind must be one of .*, got 'gru'"),
        ({"context": {"width": "wide"}}, "context.width must be of type int, got 'wide'"),
        ({"context": {"width": True}}, "context.width must be of type int, got True"),
        ({"dependencies": {"width": 0}}, "network.dependencies.width must be at least 1, got 0"),
        ({"dependencies": {"relation_width": -1}}, "network.dependencies.relation_width must not be negative, got -1"),
        ({"dependencies": {"weight": 0}}, "network.dependencies.weight must be positive, got 0"),
        (
            {"dependencies": {"input": "encoder"}},
            "network.dependencies.input = 'encoder' needs network.context.kind = 'none', got 'bilstm'",
        ),
        (
            {"dependencies": {"universal_tags": "shared"}, "scorer": {"tag_head": False}},
            "network.dependencies.universal_tags = 'shared' needs network.scorer.tag_head = true: choose 'own'",
        ),
        (
            {"context": {"width": 10**30}},
            "context.width must be a finite number, a whole one at most 92233720368547758",
        ),
    ],
)
def test_a_wrong_value_is_named_with_its_key(table: dict[str, Any], message: str) -> None:
    with pytest.raises(ConfigError, match=f"^{message}"):
        config_from_table(NetworkConfig, table)


@pytest.mark.parametrize(
    ("kind", "padding", "first", "buckets"), [("bert", 0, 0, 0), ("roberta", 1, 2, 0), ("mpnet", 1, 2, 32)]
)
def test_an_encoder_of_each_kind_has_its_own_defaults(kind: str, padding: int, first: int, buckets: int) -> None:
    sizes = ("vocab_size", "hidden_size", "num_hidden_layers", "num_attention_heads", "intermediate_size")
    table = {"model_type": kind, "max_position_embeddings": 8, "type_vocab_size": 2} | dict.fromkeys(sizes, 4)
    found = NativeSizes.from_table(table, "config.json")
    assert (found.pad_token_id, found.first_position) == (padding, first)
    assert found.relative_attention_num_buckets == buckets
    assert found.type_vocab_size == (0 if kind == "mpnet" else 2)
