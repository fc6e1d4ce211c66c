from __future__ import annotations

import copy
import dataclasses
from collections.abc import Callable, Sequence
from functools import cache
from pathlib import Path

import numpy as np
import pytest
import torch

from generated_treebank import generate_trees
from shared_folders import made_once
from small_runs import splits_of, untrained_model
from spanlin.parser import Parser
from spanlin.runtime.backend import SCORES, Arrays
from spanlin.runtime.sentences import Sentences
from spanlin.training.checkpoint import Model
from spanlin.training.export import export_model
from tiny_encoders import make_encoder

TREES = generate_trees(40, seed=5)
LIMIT = 40


@pytest.fixture(scope="session")
def model(tmp_path_factory: pytest.TempPathFactory) -> Model:
    """A small network over a tiny encoder; its weights are random, so its trees are odd and often illegal."""
    words = sorted({word for tree in TREES for word in tree.words})
    folder = make_encoder(tmp_path_factory.mktemp("encoder"), words, kind="bert", limit=LIMIT, width=32)
    torch.manual_seed(3)
    made = untrained_model(
        TREES,
        input="pretrained",
        pretrained={"folder": str(folder)},
        context={"kind": "none", "width": 32},
        treebank_vectors=True,
    )
    made.network.eval()
    # A head with some contrast, or every argmax would hang on rounding.
    with torch.no_grad():
        for name, weight in made.network.named_parameters():
            if not name.startswith("pretrained"):
                weight.mul_(4.0)
    assert splits_of(TREES)
    return made


@pytest.fixture(scope="session")
def folder(model: Model, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return made_once("fp32", lambda path: export_model(model, path, card="# a card\n"), tmp_path_factory)


@pytest.fixture(scope="session")
def folder_with_weights(model: Model, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The same network for torch too; rounded to bfloat16 first, so that the graph has the very weights torch has."""
    rounded = copy.deepcopy(model.network)
    with torch.no_grad():
        for weight in rounded.parameters():
            weight.copy_(weight.bfloat16())
    made = dataclasses.replace(model, network=rounded)
    return made_once("with-weights", lambda path: export_model(made, path, with_weights=True), tmp_path_factory)


@pytest.fixture(scope="session")
def export_target(model: Model, tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], tuple[Model, Parser]]:
    """Makes a model with this target, and its parser, once."""

    @cache
    def export(target: str) -> tuple[Model, Parser]:
        made = retargeted(model, target=target)
        return made, Parser.load(made_once(f"target-{target}", lambda path: export_model(made, path), tmp_path_factory))

    return export


@pytest.fixture(
    scope="session",
    params=[pytest.param("left", marks=pytest.mark.slow), pytest.param("right", marks=pytest.mark.slow), "both"],
)
def exported(
    request: pytest.FixtureRequest, export_target: Callable[[str], tuple[Model, Parser]]
) -> tuple[Model, Parser]:
    """A model with this target, and its parser."""
    return export_target(request.param)


def scores_of(model: Model) -> list[str]:
    """The names of the scores that a model gives."""
    scorers = (model.network.left_scorer, model.network.right_scorer)
    return [name for name, scorer in zip(SCORES, scorers, strict=True) if scorer is not None]


def retargeted(model: Model, **scorer: str) -> Model:
    """The model with other scorers above the same encoder."""
    folder = model.config.network.pretrained.folder
    torch.manual_seed(4)
    made = untrained_model(
        TREES,
        input="pretrained",
        pretrained={"folder": folder},
        context={"kind": "none", "width": 32},
        scorer=scorer,
    )
    made.network.eval()
    with torch.no_grad():
        for name, weight in made.network.named_parameters():
            if not name.startswith("pretrained.model"):
                weight.mul_(4.0)
            if "shapes" in name or "pieces" in name:  # else all words are alike to it
                weight.normal_()
    return made


def run_graph(parser: Parser, sentences: Sequence[Sequence[str]], outputs: Sequence[str]) -> Arrays:
    """What a parser's network says of some sentences, as one batch."""
    made = Sentences(sentences, parser._runner._table)
    rows, counts = made.rows(np.arange(len(sentences)), multiple=1)
    return parser._runner.backend.run(rows, counts, outputs)
