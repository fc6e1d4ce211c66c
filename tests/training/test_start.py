"""Training that starts from a model: its network, its weights, and what it can say, by name."""

from __future__ import annotations

import shutil
import signal
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import torch
from torch import nn

from generated_treebank import generate_treebank, generate_trees
from small_runs import random_dependencies, small_config, splits_of, untrained_model
from spanlin.config.network import NetworkConfig
from spanlin.config.training import TrainingConfig, load_config
from spanlin.errors import CheckpointError, ConfigError
from spanlin.parser import Parser
from spanlin.training.checkpoint import CHECKPOINT, Model, load_model, save_model, write_folder
from spanlin.training.export import export_model
from spanlin.training.loop import train
from spanlin.training.metrics import Event
from spanlin.training.parsing import parse_sentences
from spanlin.training.start import read_model, read_start, started_model, with_start
from spanlin.training.vocabulary import build_vocabularies
from spanlin.trees.brackets import parse_tree, write_trees
from tiny_encoders import make_encoder

TREES = generate_trees(60, seed=3)
WORDS = sorted({word for tree in TREES for word in tree.words})
HEADLINE = parse_tree("(TOP (HEADLINE (NP (NN dogs)) (VP (VBZ bark))))")
"""Its labels, in part, and its tags are none of the grammar's."""


def network(folder: Path) -> dict[str, Any]:
    encoder = make_encoder(folder, WORDS, width=32)
    return {"input": "pretrained", "pretrained": {"folder": str(encoder)}, "context": {"kind": "none", "width": 32}}


@pytest.fixture(scope="module")
def start(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A checkpoint over an encoder that has learned the grammar a little."""
    folder = tmp_path_factory.mktemp("start")
    files = generate_treebank(folder / "treebank", train=300, dev=30)
    config = small_config(*files, network=network(folder / "encoder"), epochs=6, evaluate_every=6)
    return train(config, folder / "run", device="cpu").best


@pytest.fixture(scope="module")
def exported(start: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return export_model(start, tmp_path_factory.mktemp("exported") / "model", precision="int8")


@pytest.fixture
def few(tmp_path: Path) -> tuple[Path, Path]:
    return generate_treebank(tmp_path / "few", train=12, dev=12, seed=9)


def from_start(files: tuple[Path, Path], start: str | Path, **changes: Any) -> TrainingConfig:
    config = small_config(*files, **{"epochs": 1, **changes})
    return replace(config, network=NetworkConfig(), start=str(start))


def brackets_of(model: Model) -> list[str]:
    sentences = splits_of(TREES[:20])
    model.network.eval()
    parses = parse_sentences(model, model.featurizer(sentences, has_tree=False), sentences)
    return [f"{parse.splits}" for parse in parses]


def rows_of(head: nn.Module) -> list[nn.Parameter]:
    """The last layer's weights, a row for each label or tag, and its biases."""
    return list(head.parameters())[-2:]


@pytest.mark.parametrize("kind", ["checkpoint", "model folder"])
def test_a_model_with_more_labels_parses_as_the_one_it_starts_from(kind: str, start: Path, exported: Path) -> None:
    path = start if kind == "checkpoint" else exported
    expected = brackets_of(read_model(str(path)))
    found = read_model(str(path))
    vocabularies = with_start(build_vocabularies(splits_of([HEADLINE]), min_word_count=1, treebanks=["new"]), found)
    assert vocabularies.labels.items[: len(found.vocabularies.labels)] == found.vocabularies.labels.items
    assert {"HEADLINE"} == set(vocabularies.labels.items) - set(found.vocabularies.labels.items)
    assert {"VBZ", "NN"} <= set(vocabularies.tags.items)
    assert vocabularies.treebanks.items[-1] == "new"
    torch.manual_seed(1)
    model = started_model(found.config, vocabularies, found)
    assert model.network.tag_head is not None
    with torch.no_grad():  # nothing new is ever chosen
        rows_of(model.network.labels)[1][len(found.vocabularies.labels) :] = -1e4
        rows_of(model.network.tag_head)[1][len(found.vocabularies.tags) :] = -1e4
    assert brackets_of(model) == expected


def test_rows_go_with_their_names_wherever_these_are(start: Path) -> None:
    found = load_model(start)
    backwards = replace(
        found.vocabularies,
        labels=type(found.vocabularies.labels)(
            (found.vocabularies.labels.items[0], *found.vocabularies.labels.items[:0:-1]), special=False
        ),
    )
    model = started_model(found.config, backwards, found)
    before, after = (rows_of(one.network.labels)[0] for one in (found, model))
    assert after[1].equal(before[-1])
    assert after[0].equal(before[0])


@pytest.mark.parametrize("kind", ["checkpoint", "model folder"])
def test_a_run_goes_on_from_where_its_start_was(
    kind: str, start: Path, exported: Path, few: tuple[Path, Path], tmp_path: Path
) -> None:
    path = start if kind == "checkpoint" else exported
    alone = train(small_config(*few, epochs=1), tmp_path / "alone", device="cpu")
    result = train(from_start(few, path), tmp_path / "run", device="cpu")
    assert result.best_score > 65
    assert alone.best_score < 40
    config = load_config(tmp_path / "run" / "config.toml")
    assert config.start == str(path)
    assert config.network == read_model(str(path)).config.network
    export_model(result.best, tmp_path / "model")
    assert Parser.load(tmp_path / "model").parse_tokens([WORDS[:5]])[0].words == tuple(WORDS[:5])


def test_a_run_learns_labels_that_its_start_has_not(start: Path, tmp_path: Path) -> None:
    write_trees([HEADLINE] * 40, tmp_path / "headlines.txt")
    files = tmp_path / "headlines.txt", tmp_path / "headlines.txt"
    result = train(from_start(files, start, epochs=12, evaluate_every=12), tmp_path / "run", device="cpu")
    assert result.best_score == 100


def test_a_resumed_run_needs_its_start_no_more(start: Path, few: tuple[Path, Path], tmp_path: Path) -> None:
    copied = tmp_path / "start"
    write_folder(copied, lambda folder: save_model(folder, load_model(start)), CHECKPOINT)
    config = from_start(few, copied, epochs=3)
    whole = train(config, tmp_path / "whole", device="cpu")

    def watch(event: Event) -> None:
        if event.kind == "step":  # the first one
            signal.raise_signal(signal.SIGTERM)

    assert train(config, tmp_path / "halves", device="cpu", watch=watch).interrupted
    shutil.rmtree(copied)
    finished = train(config, tmp_path / "halves", resume=True, device="cpu")
    assert finished.steps == whole.steps
    expected = load_model(whole.best).network.state_dict()
    for name, weights in load_model(finished.best).network.state_dict().items():
        assert weights.equal(expected[name]), name


def test_heads_start_too_where_there_are_dependencies_to_learn(tmp_path: Path) -> None:
    known = random_dependencies(splits_of(TREES), seed=1)
    model = untrained_model(TREES, known, **network(tmp_path / "encoder"))
    plain = build_vocabularies(splits_of(TREES), min_word_count=1)
    assert started_model(model.config, with_start(plain, model), model).network.dependencies is None
    vocabularies = with_start(build_vocabularies(splits_of(TREES), dependencies=known[:1], min_word_count=1), model)
    started = started_model(model.config, vocabularies, model).network
    assert vocabularies.relations.items == model.vocabularies.relations.items
    assert started.dependencies is not None
    assert model.network.dependencies is not None
    for name, weights in started.dependencies.named_parameters():
        assert weights.equal(model.network.dependencies.get_parameter(name)), name


def test_what_cannot_be_started_from_is_told_in_a_line(start: Path, few: tuple[Path, Path], tmp_path: Path) -> None:
    with pytest.raises(CheckpointError, match=r"^nowhere: no such model; give a model folder"):
        train(from_start(few, "nowhere"), tmp_path / "run", device="cpu")
    lexical = tmp_path / "lexical"
    write_folder(lexical, lambda folder: save_model(folder, untrained_model(TREES)), CHECKPOINT)
    with pytest.raises(CheckpointError, match=r"lexical: training starts from models with a pretrained encoder"):
        read_start(from_start(few, lexical), str(lexical))
    with pytest.raises(ConfigError, match=r"^network: a run with `start` has the network of that model"):
        train(replace(small_config(*few), start=str(start)), tmp_path / "run", device="cpu")


def test_a_model_folder_teaches(exported: Path, few: tuple[Path, Path], tmp_path: Path) -> None:
    teacher = read_model(str(exported))
    target = teacher.config.network.scorer.target
    config = small_config(*few, network={"scorer": {"target": target}}, epochs=1)
    config = replace(config, distillation=replace(config.distillation, teachers=(str(exported),)))
    best = train(config, tmp_path / "run", device="cpu").best
    assert load_model(best).vocabularies.labels.items == teacher.vocabularies.labels.items
