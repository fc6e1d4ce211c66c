from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spanlin.config.by_size import is_settled, settle, settle_as
from spanlin.config.table import config_from_table
from spanlin.config.toml_files import merge_tables
from spanlin.config.training import TrainingConfig

TREEBANK: dict[str, Any] = {"treebanks": [{"name": "t", "train": "train.txt"}]}
NAMED: dict[str, Any] = {
    "epochs": 7,
    "evaluate_every": 3,
    "batch": {"tokens": 900},
    "optimizer": {"warm_up_steps": 11},
    "network": {"context": {"width": 64, "layers": 4}},
}


def config_of(**keys: Any) -> TrainingConfig:
    return config_from_table(TrainingConfig, merge_tables(TREEBANK, keys))


def steps_of(config: TrainingConfig, tokens: int) -> float:
    return config.epochs * tokens / config.batch.tokens


def test_a_configuration_of_file_names_alone_is_not_settled_and_becomes_so() -> None:
    assert not is_settled(config_of())
    assert is_settled(settle(config_of(), tokens=5000))


@given(st.integers(1, 10**8))
def test_every_size_gets_steps_to_learn_in_and_a_warm_up_that_ends_soon(tokens: int) -> None:
    config = settle(config_of(), tokens=tokens)
    assert 200 <= config.batch.tokens <= 5500
    assert config.epochs >= 48
    assert config.epochs * -(-tokens // config.batch.tokens) >= 1200
    assert 1 <= config.optimizer.warm_up_steps <= max(1, 0.06 * config.epochs * -(-tokens // config.batch.tokens))
    assert 6 <= config.epochs / config.evaluate_every <= 8


def test_larger_treebanks_get_larger_batches_and_networks_and_no_more_epochs() -> None:
    sizes = [settle(config_of(), tokens=tokens) for tokens in (1_000, 8_000, 52_000, 180_000, 600_000)]
    batches = [config.batch.tokens for config in sizes]
    assert batches == sorted(batches)
    assert (batches[0], batches[-1]) == (200, 5000)
    assert [config.epochs for config in sizes] == [240, 80, 80, 80, 48]
    networks = [(config.network.context.width, config.network.context.layers) for config in sizes]
    assert networks == [(512, 2)] * 2 + [(1024, 3)] * 3


def test_a_pretrained_encoder_gets_fewer_epochs_and_one_network() -> None:
    pretrained = config_of(network={"input": "pretrained", "pretrained": {"folder": "e"}, "context": {"kind": "none"}})
    assert settle(pretrained, tokens=600_000).epochs < settle(config_of(), tokens=600_000).epochs / 2
    networks = [settle(pretrained, tokens=tokens).network.context for tokens in (1_000, 600_000)]
    assert [(context.width, context.layers) for context in networks] == [(1024, 2)] * 2


@pytest.mark.parametrize("tokens", [10, 10**4, 10**7])
def test_what_is_named_stays(tokens: int) -> None:
    config = config_of(**NAMED)
    assert is_settled(config)
    assert settle(config, tokens=tokens) == config


def test_the_warm_up_follows_the_epochs_and_batches_that_are_named() -> None:
    config = settle(config_of(epochs=10, batch={"tokens": 100}), tokens=20_000)
    assert config.optimizer.warm_up_steps == 100
    shared = settle(config_of(epochs=10, batch={"tokens": 100, "accumulate": 2}), tokens=20_000, processes=5)
    assert shared.optimizer.warm_up_steps == 10


def test_a_run_takes_the_numbers_of_another() -> None:
    settled = config_of(**NAMED)
    assert settle_as(config_of(), settled) == settled
    changes = {"optimizer": {"warm_up_steps": 5}, "network": {"context": {"layers": 1}}}
    own = settle_as(config_of(epochs=9, **changes), settled)
    assert (own.epochs, own.optimizer.warm_up_steps, own.network.context.layers) == (9, 5, 1)
    assert (own.evaluate_every, own.batch.tokens, own.network.context.width) == (3, 900, 64)
