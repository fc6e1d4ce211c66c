from __future__ import annotations

from pathlib import Path
from typing import Any

import click
import pytest

from spanlin.cli.model_scores import score_any_model
from spanlin.errors import CheckpointError
from spanlin.evaluation.model_score import ModelScore
from spanlin.evaluation.parameters import COLLINS

GOLD = "(TOP (S (NP (NNS Dogs)) (VP (VBP bark)) (. .)))\n"


def score(folder: Path, model: str = "en", **changes: Any) -> ModelScore:
    (folder / "gold").write_text(GOLD, encoding="utf-8")
    usual: dict[str, Any] = {
        "decoder": "argmin",
        "device": "",
        "precision": None,
        "tags": "file",
        "tagger": None,
        "treebank": "",
        "parameters": COLLINS,
        "output": None,
        "on_bad": None,
    }
    return score_any_model(model, folder / "gold", **usual | changes)


def test_a_packaged_model_is_scored_by_its_parser(tmp_path: Path) -> None:
    found = score(tmp_path, decoder="cky", output=tmp_path / "trees")
    assert (found.model, found.decoder, found.score.f1) == ("en", "cky", 100.0)
    assert (tmp_path / "trees").read_text() == GOLD


@pytest.mark.parametrize(("name", "value"), [("precision", "bf16"), ("tagger", Path("x")), ("treebank", "x")])
def test_what_only_a_checkpoint_has_is_a_usage_error(tmp_path: Path, name: str, value: Any) -> None:
    with pytest.raises(click.UsageError, match=f"^--{name} is for checkpoints, and fixed in en: leave it out.$"):
        score(tmp_path, **{name: value})


def test_a_model_that_is_not_there_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(CheckpointError, match="no such model"):
        score(tmp_path, "nowhere")
