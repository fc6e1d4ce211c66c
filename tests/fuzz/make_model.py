"""Makes the tiny model folder that fuzzing changes: `PYTHONPATH=src:tests:. python tests/fuzz/make_model.py`.

A network of the packaged model's kind with random weights, as small as it gets: the fewer bytes, the more of the
changes hit something.
"""

from __future__ import annotations

import shutil
import tempfile
from pathlib import Path

import torch
from fuzz.folder_edits import MODEL

from generated_treebank import generate_trees
from small_runs import untrained_model
from spanlin.training.export import export_model
from tiny_encoders import make_encoder


def main() -> None:
    trees = generate_trees(6, seed=5)
    words = sorted({word for tree in trees for word in tree.words})
    with tempfile.TemporaryDirectory() as work:
        encoder = make_encoder(Path(work) / "encoder", words, kind="bert", limit=16, width=8, layers=1)
        torch.manual_seed(3)
        made = untrained_model(
            trees,
            input="pretrained",
            pretrained={"folder": str(encoder)},
            context={"kind": "none", "width": 8},
            scorer={"hidden_width": 4, "label_width": 4},
        )
        made.network.eval()
        shutil.rmtree(MODEL, ignore_errors=True)
        export_model(made, MODEL, card="# A card\n", precision="int8")


if __name__ == "__main__":
    main()
