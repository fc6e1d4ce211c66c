"""Every variant of the network trains, parses with every decoder, and survives a checkpoint."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from generated_treebank import generate_trees
from small_runs import small_network, splits_of, untrained_model
from spanlin.config.network import LexicalConfig, LossConfig, PretrainedConfig, ScorerConfig
from spanlin.config.training import OptimizerConfig
from spanlin.network.loss import gold_loss
from spanlin.training.batches import BatchMaker
from spanlin.training.checkpoint import Model, load_model, save_model
from spanlin.training.optimizer import build_optimizer
from spanlin.training.parsing import DECODERS, parse_examples
from spanlin.trees.labelled import tree_from_splits
from tiny_encoders import KINDS, make_encoder

TREES = generate_trees(40, seed=61)
SPLITS = splits_of(TREES)
WORDS = [word for tree in TREES for word in tree.words]
STEPS = 12

# One change from the small network each; each configuration key is named at least once (a test below counts).
LEXICAL: dict[str, dict[str, Any]] = {
    "the small network": {},
    "target left": {"scorer": {"target": "left"}},
    "target right": {"scorer": {"target": "right"}},
    "target both": {"scorer": {"target": "both"}},
    "normalization by right boundary": {"scorer": {"normalization": "right-boundary"}},
    "normalization per span": {"scorer": {"normalization": "span", "target": "left"}},
    "no normalization": {"scorer": {"normalization": "none"}},
    "no normalization, target right": {"scorer": {"normalization": "none", "target": "right"}},
    "no normalization, target both": {"scorer": {"normalization": "none", "target": "both"}},
    "a representation for each boundary": {"scorer": {"separate_boundaries": True}},
    "labels by linearization": {"scorer": {"label_model": "linearization"}},
    "labels by linearization, target both": {"scorer": {"label_model": "linearization", "target": "both"}},
    "labels on the predicted tree": {"loss": {"label_tree": "predicted"}},
    "labels on the predicted tree, target right": {"loss": {"label_tree": "predicted"}, "scorer": {"target": "right"}},
    "labels on the predicted tree, per span": {
        "loss": {"label_tree": "predicted"},
        "scorer": {"normalization": "span", "target": "left"},
    },
    "labels by linearization on the predicted tree": {
        "loss": {"label_tree": "predicted"},
        "scorer": {"label_model": "linearization"},
    },
    "label input subtracted": {"scorer": {"label_input": "subtract"}},
    "loss not divided by length": {"loss": {"divide_by_length": False}},
    "normalized over trees": {"loss": {"objective": "trees"}},
    "normalized over trees, target both": {"loss": {"objective": "trees"}, "scorer": {"target": "both"}},
    "tags weigh nothing": {"loss": {"tag_weight": 0.0}},
    "labels smoothed": {"loss": {"label_smoothing": 0.1}},
    "no tag head": {"scorer": {"tag_head": False}},
    "other widths and dropout": {"scorer": {"hidden_width": 20, "label_width": 12, "dropout": 0.1}},
    "tags as input": {"lexical": {"tag_width": 8}},
    "tags alone": {"lexical": {"tag_width": 8, "word_width": 0, "char_width": 0}},
    "words alone": {"lexical": {"char_width": 0, "dropout": 0.1}},
    "dropout of all embeddings together, none of labels": {
        "lexical": {"joined_dropout": 0.1},
        "scorer": {"label_dropout": False},
    },
    "characters alone": {"lexical": {"word_width": 0, "char_embedding_width": 12, "unknown_z": 0.0}},
    "frozen vectors": {"lexical": {"vectors": "GLOVE", "train_vectors": False}},
    "trained vectors": {"lexical": {"vectors": "GLOVE", "train_vectors": True, "vector_limit": 30}},
    "vectors alone": {"lexical": {"vectors": "GLOVE", "word_width": 0, "char_width": 0}},
    "treebank vectors": {"treebank_vectors": True, "unknown_treebank_rate": 0.5},
    "two BiLSTM layers": {"context": {"kind": "bilstm", "layers": 2, "dropout": 0.1}},
    "a BiLSTM with recurrent dropout": {"context": {"recurrent_dropout": 0.2}},
    "no MLPs but their dropout": {"scorer": {"role_dropout": True, "dropout": 0.1}},
    "graph layers": {"scorer": {"graph_layers": 2}},
    "a Transformer": {"context": {"kind": "transformer"}},
    "Kitaev and Klein's Transformer": {
        "context": {"kind": "transformer", "positions": "learned", "joint_norm": True, "attention_scale": "model"},
    },
    "a Transformer of two layers": {"context": {"kind": "transformer", "layers": 2, "heads": 4, "dropout": 0.1}},
    "a Transformer, target both": {"context": {"kind": "transformer"}, "scorer": {"target": "both"}},
}
PRETRAINED: dict[str, dict[str, Any]] = {
    **{f"{kind} kind": {"pretrained": {"folder": kind}, "context": {"kind": "none"}} for kind in KINDS},
    "first piece": {"pretrained": {"folder": "bert", "piece": "first"}, "context": {"kind": "none"}},
    "last piece": {"pretrained": {"folder": "bert", "piece": "last"}, "context": {"kind": "none"}},
    "no capitals": {"pretrained": {"folder": "bert", "shapes": False}, "context": {"kind": "none"}},
    "mean piece": {"pretrained": {"folder": "roberta", "piece": "mean"}, "context": {"kind": "none"}},
    "mixed layers": {"pretrained": {"folder": "mpnet", "mix_layers": True}, "context": {"kind": "none"}},
    "a dropped layer": {"pretrained": {"folder": "bert", "drop_layers": 1}, "context": {"kind": "none"}},
    "a dropped layer, mixed": {
        "pretrained": {"folder": "deberta", "drop_layers": 1, "mix_layers": True, "dropout": 0.1},
        "context": {"kind": "none"},
    },
    "a BiLSTM above": {"pretrained": {"folder": "bert"}, "context": {"kind": "bilstm"}},
    "a Transformer above": {"pretrained": {"folder": "roberta"}, "context": {"kind": "transformer"}},
    "windows": {"pretrained": {"folder": "short"}, "context": {"kind": "none"}},
    "pretrained, target both": {
        "pretrained": {"folder": "mpnet"},
        "context": {"kind": "none"},
        "scorer": {"target": "both", "label_model": "linearization"},
    },
}
VARIANTS = LEXICAL | {name: {"input": "pretrained", **changes} for name, changes in PRETRAINED.items()}


@pytest.fixture(scope="module")
def sources(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """Where the word vectors and the encoders lie that the variants name."""
    root = tmp_path_factory.mktemp("sources")
    generator = np.random.default_rng(0)
    glove = root / "glove.txt"
    distinct = sorted(set(WORDS))[::2]
    glove.write_text("".join(f"{word} {' '.join(map(str, generator.normal(size=6)))}\n" for word in distinct))
    return {
        "GLOVE": glove,
        "short": make_encoder(root / "short", WORDS, limit=16, width=16),
        **{kind: make_encoder(root / kind, WORDS, kind=kind, limit=128, width=16) for kind in KINDS},
    }


def with_sources(changes: dict[str, Any], sources: dict[str, Path]) -> dict[str, Any]:
    return {
        key: with_sources(value, sources)
        if isinstance(value, dict)
        else str(sources[value])
        if key in ("vectors", "folder")
        else value
        for key, value in changes.items()
    }


def train_a_little(model: Model) -> list[float]:
    """Take some steps over one batch; return the loss before each and after the last."""
    maker = BatchMaker(model.featurizer(SPLITS), unknown_rates=model.vocabularies.unknown_rates(0.8))
    network = model.network
    optimizer = build_optimizer(network, OptimizerConfig())
    for group in optimizer.param_groups:
        group["lr"] = 1e-2
    losses = []
    for step in range(STEPS + 1):
        # The first and last losses are taken as they are in parsing, so that no hidden word or dropout blurs them.
        network.train(0 < step < STEPS)
        batch = maker(np.arange(len(SPLITS)), seed=(step,) if 0 < step < STEPS else None)
        loss = gold_loss(network, network.score(batch), batch).total / len(SPLITS)
        losses.append(loss.item())
        if step < STEPS:
            torch.autograd.backward(loss)
            optimizer.step()
            optimizer.zero_grad()
    return losses


@pytest.mark.parametrize("name", VARIANTS)
def test_a_variant_trains_parses_with_every_decoder_and_survives_a_checkpoint(
    name: str, sources: dict[str, Path], tmp_path: Path
) -> None:
    torch.manual_seed(7)
    model = untrained_model(TREES, **with_sources(VARIANTS[name], sources))
    losses = train_a_little(model)
    assert np.isfinite(losses).all()
    assert losses[-1] < 0.9 * losses[0]
    save_model(tmp_path, model)
    loaded = load_model(tmp_path)
    some = SPLITS[:12]
    for decoder in DECODERS:
        parses = parse_examples(model, model.featurizer(some), some, decoder=decoder, predicted_tags=True)
        assert [parse.words for parse in parses] == [sentence.words for sentence in some]
        assert all(tree_from_splits(parse).words == parse.words for parse in parses)
        assert parse_examples(loaded, loaded.featurizer(some), some, decoder=decoder, predicted_tags=True) == parses


@pytest.mark.parametrize("trained", [False, True])
def test_vectors_move_only_if_they_are_trained(trained: bool, sources: dict[str, Path]) -> None:
    model = untrained_model(TREES, lexical={"vectors": str(sources["GLOVE"]), "train_vectors": trained})
    assert model.network.lexical is not None
    assert model.network.lexical.vectors is not None
    before = model.network.lexical.vectors.weight.clone()
    train_a_little(model)
    assert before.equal(model.network.lexical.vectors.weight) != trained


def test_every_configuration_key_is_some_variants() -> None:
    for part, kind in (
        ("scorer", ScorerConfig),
        ("loss", LossConfig),
        ("lexical", LexicalConfig),
        ("pretrained", PretrainedConfig),
    ):
        named = {key for changes in VARIANTS.values() for key in changes.get(part, {})}
        assert named == set(kind.__dataclass_fields__), part


def test_every_choice_of_a_key_is_some_variants() -> None:
    scorers = [small_network(scorer=changes.get("scorer", {})).scorer for changes in VARIANTS.values()]
    assert {scorer.target for scorer in scorers} == {"left", "right", "both"}
    assert {scorer.normalization for scorer in scorers} == {"right-boundary", "span", "none"}
    assert {scorer.label_input for scorer in scorers} == {"concatenate", "subtract"}
    assert {scorer.label_model for scorer in scorers} == {"spans", "linearization"}
