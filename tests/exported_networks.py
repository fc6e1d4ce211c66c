"""Small networks of every kind with random weights, and model folders of them, each exported once."""

from __future__ import annotations

import random
import shutil
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest
import torch

from generated_treebank import generate_trees
from shared_folders import made_once
from small_runs import untrained_model
from spanlin.model_folder.folder import GRAPH, LABEL_GRAPH
from spanlin.training import export
from spanlin.training.checkpoint import Model
from spanlin.training.export import export_model
from spanlin.training.parsing import parse_sentences, predict_tags
from spanlin.trees.labelled import LabelledSplits, tree_from_splits
from spanlin.trees.transforms import add_root
from tiny_encoders import make_encoder

TREES = generate_trees(40, seed=5)
LIMIT = 40
# Each is a network that others are not: what it takes, its context, its targets, labels and tags.
KINDS: dict[str, dict[str, Any]] = {
    "bilstm": {"lexical": {"vectors": "VECTORS"}, "context": {"layers": 2}},
    "transformer": {
        "context": {
            "kind": "transformer",
            "layers": 2,
            "positions": "learned",
            "joint_norm": True,
            "attention_scale": "model",
        },
        "scorer": {"target": "right", "normalization": "none", "label_model": "linearization", "tag_head": False},
    },
    "tagged": {"lexical": {"tag_width": 8}, "scorer": {"target": "left", "tag_head": False}},
    "encoder": {
        "input": "pretrained",
        "pretrained": {"folder": "bert"},
        "scorer": {"label_input": "subtract", "separate_boundaries": True, "graph_layers": 1},
    },
    "deberta": {"input": "pretrained", "pretrained": {"folder": "deberta"}, "context": {"kind": "transformer"}},
}
TAGGERS: dict[str, dict[str, Any]] = {
    "tagged": {"input": "pretrained", "pretrained": {"folder": "bert"}, "context": {"kind": "none"}},
}


class Exported(NamedTuple):
    """A network, the one that tags for it, if any, and the model folder of both."""

    model: Model
    tagger: Model | None
    folder: Path


def export_once(kind: str, factory: pytest.TempPathFactory) -> Exported:
    """Return a network of this kind and its folder in fp32."""
    sources = made_once("sources", _write_sources, factory)
    model = random_model(KINDS[kind], sources, seed=4)
    tagger = random_model(TAGGERS[kind], sources, seed=5) if kind in TAGGERS else None
    folder = made_once(f"kind-{kind}", lambda path: export_model(model, path, tagger=tagger), factory)
    return Exported(model, tagger, folder)


def copy_graphs(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let exports of the very network that an fp32 folder has copy its graphs: a trace would give the same bytes."""
    for writer, name in (("write_parser_graph", GRAPH), ("write_label_graph", LABEL_GRAPH)):
        source = folder / name
        monkeypatch.setattr(export, writer, lambda _, path, source=source: shutil.copyfile(source, path))


def random_model(changes: dict[str, Any], sources: Path, *, seed: int) -> Model:
    """Return a small model whose scores have some contrast, or every argmax would hang on rounding.

    A Transformer's must not have too much of it: two scores of almost 1 are one number.
    """
    changes = dict(changes)
    contrast = 1.5 if changes.get("context", {}).get("kind") == "transformer" else 4.0
    if "pretrained" in changes:
        changes["pretrained"] = {"folder": str(sources / changes["pretrained"]["folder"])}
    if "vectors" in changes.get("lexical", {}):
        changes["lexical"] = changes["lexical"] | {"vectors": str(sources / "vectors.txt")}
    torch.manual_seed(seed)
    model = untrained_model(TREES, **changes)
    model.network.eval()
    with torch.no_grad():
        for name, weight in model.network.named_parameters():
            if not name.startswith("pretrained.model"):
                weight.mul_(contrast)
            if "shapes" in name or "pieces" in name:  # else all words are alike to it
                weight.normal_()
            if "graph_layers" in name and "outer" in name:  # else it adds nothing
                weight.normal_(std=0.3)
    return model


def _write_sources(folder: Path) -> None:
    words = sorted({word for tree in TREES for word in tree.words})
    draw = np.random.default_rng(0)
    folder.mkdir(parents=True)
    lines = [f"{word} {' '.join(map(str, draw.normal(size=6)))}\n" for word in [*words[::2], "UNSEEN"]]
    (folder / "vectors.txt").write_text("".join(lines), encoding="utf-8")
    for kind in ("bert", "deberta"):
        make_encoder(folder / kind, words, kind=kind, limit=LIMIT, width=32)


def random_sentences(count: int, *, longest: int = 60, seed: int = 1) -> list[tuple[str, ...]]:
    """Return sentences of 1 to so many words, some with words or characters that no network has seen."""
    draw = random.Random(seed)
    known = sorted({word for tree in TREES for word in tree.words})
    odd = ["unseen", "zzq", "日本語", "x" * 50, "Dogs", "(", "", "\ud800", "``"]
    return [
        tuple(draw.choice(odd if draw.random() < 0.2 else known) for _ in range(draw.randint(1, longest)))
        for _ in range(count)
    ]


def torch_lines(exported: Exported, sentences: list[tuple[str, ...]]) -> list[str]:
    """Return the trees of the checkpoint in torch, read as training reads them."""
    splits = [LabelledSplits(words, ("XX",) * len(words), (), (), ()) for words in sentences]
    if exported.tagger is not None:
        tags = predict_tags(exported.tagger, exported.tagger.featurizer(splits, has_tree=False))
        splits = [one._replace(tags=own) for one, own in zip(splits, tags, strict=True)]
    model = exported.model
    parses = parse_sentences(model, model.featurizer(splits, has_tree=False), splits)
    own_tags = (parse.splits if parse.tags is None else parse.splits._replace(tags=parse.tags) for parse in parses)
    return [str(add_root(tree_from_splits(one))) for one in own_tags]
