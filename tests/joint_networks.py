"""A small network of trees and dependencies with random weights, and its model folder."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch

from generated_treebank import generate_trees
from shared_folders import made_once
from small_runs import random_dependencies, splits_of, untrained_model
from spanlin.training.checkpoint import Model
from spanlin.training.dependencies import KnownDependencies
from spanlin.training.export import export_model

TREES = generate_trees(30, seed=8)
KNOWN = random_dependencies(splits_of(TREES), seed=9)
SENTENCES = [list(tree.words) for tree in TREES]


def joint_model() -> Model:
    """Return the network, with some contrast between its scores."""
    torch.manual_seed(4)
    model = untrained_model(TREES, KNOWN)
    model.network.eval()
    with torch.no_grad():
        for weight in model.network.parameters():
            weight.mul_(2.0)
    return model


def joint_folder(factory: pytest.TempPathFactory) -> Path:
    """Return its model folder, made once for all tests."""
    return made_once("joint-network", lambda path: export_model(joint_model(), path), factory)


def write_conllu_of(known: list[KnownDependencies], path: Path) -> Path:
    """Write dependencies of the first trees as CoNLL-U; a head of -1 is unknown."""
    sentences = [
        "".join(
            f"{number}\t{word}\t_\t_\t_\t_\t{'_' if head < 0 else head}\t_\t_\t_\n"
            for number, (word, head) in enumerate(zip(words, one.heads, strict=True), start=1)
        )
        for words, one in zip(SENTENCES, known, strict=False)
    ]
    path.write_text("\n".join([*sentences, ""]), encoding="utf-8")
    return path
