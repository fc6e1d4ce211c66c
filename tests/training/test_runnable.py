"""A checkpoint given as a model gives the trees that training's own parser finds, in every place that takes a model."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import torch

from generated_treebank import generate_trees
from small_runs import splits_of, untrained_model
from spanlin.errors import CheckpointError, ConfigError
from spanlin.parser import Parser
from spanlin.runtime.options import ParseOptions
from spanlin.training.checkpoint import CHECKPOINT, Model, load_model, save_model, write_folder
from spanlin.training.parsing import parse_sentences
from spanlin.training.runnable import open_checkpoint
from spanlin.trees.labelled import LabelledSplits, tree_from_splits
from spanlin.trees.transforms import add_root
from tiny_encoders import Kind, make_encoder

TREES = generate_trees(30, seed=8)
WORDS = sorted({word for tree in TREES for word in tree.words})
LONG = [WORDS[number % len(WORDS)] for number in range(90)]


def saved(model: Model, folder: Path) -> Path:
    with torch.no_grad():
        for name, weight in model.network.named_parameters():
            if not name.startswith("pretrained.model"):  # some contrast, or every argmax would hang on rounding
                weight.mul_(3.0)
    write_folder(folder, lambda path: save_model(path, model), CHECKPOINT)
    return folder


def lexical_checkpoint(folder: Path, **changes: Any) -> Path:
    torch.manual_seed(2)
    return saved(untrained_model(TREES, **changes), folder)


def encoder_checkpoint(folder: Path, kind: Kind) -> Path:
    torch.manual_seed(2)
    encoder = make_encoder(folder.parent / "encoder", WORDS, kind=kind, limit=40, width=32)
    network: dict[str, Any] = {"pretrained": {"folder": str(encoder)}, "context": {"kind": "none", "width": 32}}
    return saved(untrained_model(TREES, input="pretrained", **network), folder)


def lines_of(checkpoint: Path) -> list[str]:
    """The trees that training's own parser finds."""
    model = load_model(checkpoint)
    sentences = [*splits_of(TREES), LabelledSplits(tuple(LONG), ("",) * len(LONG), (), (), ())]
    lines = []
    for parse in parse_sentences(model, model.featurizer(sentences, has_tree=False), sentences):
        tags = parse.tags or ("XX",) * len(parse.splits.words)
        lines.append(str(add_root(tree_from_splits(parse.splits._replace(tags=tags)))))
    return lines


def check(checkpoint: Path) -> Parser:
    parser = Parser.load(checkpoint, device="cpu")
    sentences = [*(tree.words for tree in TREES), LONG]
    assert list(parser.bracket_lines(sentences)) == lines_of(checkpoint)
    return parser


@pytest.mark.parametrize("kind", ["bert", "deberta"])
def test_a_checkpoint_over_an_encoder_parses(kind: Kind, tmp_path: Path) -> None:
    parser = check(encoder_checkpoint(tmp_path / "best", kind))
    assert not parser.folder.is_calibrated
    assert parser.parse_tokens([["a", "b"], []], ParseOptions(k_best=2))[1].words == ()


@pytest.mark.parametrize(
    "changes",
    [
        {},
        {"context": {"kind": "transformer"}, "scorer": {"label_model": "linearization", "target": "left"}},
        {"lexical": {"word_width": 0}, "scorer": {"target": "right", "tag_head": False}},
    ],
)
def test_a_checkpoint_with_embeddings_of_its_own_parses(changes: dict[str, Any], tmp_path: Path) -> None:
    parser = check(lexical_checkpoint(tmp_path / "best", **changes))
    (parsed,) = parser.parse("Unseen wörds, too.", ParseOptions(decoder="labelled"))
    assert parsed.words == ("Unseen", "wörds", ",", "too", ".")


@pytest.mark.gpu
@pytest.mark.skipif(not torch.cuda.is_available(), reason="no GPU")
@pytest.mark.parametrize("kind", ["", "bert", "deberta"])
def test_checkpoints_parse_on_a_gpu(kind: Any, tmp_path: Path) -> None:
    folder = tmp_path / "best"
    checkpoint = encoder_checkpoint(folder, kind) if kind else lexical_checkpoint(folder)
    parser = Parser.load(checkpoint)
    assert (parser.backend.device, parser.backend.precision) == ("cuda", "bf16" if kind else "fp32")
    sentences = [*(tree.words for tree in TREES), LONG]
    pairs = list(zip(parser.bracket_lines(sentences), lines_of(checkpoint), strict=True))
    # Random weights tie often, and bfloat16 has three digits.
    assert sum(one != other for one, other in pairs) <= (len(pairs) // 2 if kind else 1)


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"scorer": {"normalization": "span", "target": "left"}}, "it scores each span by itself"),
        ({"lexical": {"tag_width": 8}}, "it reads tags"),
    ],
)
def test_a_network_that_no_parser_runs_says_why(changes: dict[str, Any], reason: str, tmp_path: Path) -> None:
    checkpoint = lexical_checkpoint(tmp_path / "best", **changes)
    with pytest.raises(CheckpointError) as caught:
        Parser.load(checkpoint)
    assert str(caught.value).startswith(f"{checkpoint}: {reason} (network.")
    assert str(caught.value).endswith(": only `spanlin evaluate` can parse with it")


def test_a_device_that_is_not_there_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="device 'nowhere' cannot be used"):
        open_checkpoint(lexical_checkpoint(tmp_path / "best"), device="nowhere")
