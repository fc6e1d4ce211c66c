from __future__ import annotations

from pathlib import Path

import pytest
import torch

from generated_treebank import generate_trees
from small_runs import splits_of, untrained_model
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
    return export_model(model, tmp_path_factory.mktemp("exported") / "model", card="# a card\n")
