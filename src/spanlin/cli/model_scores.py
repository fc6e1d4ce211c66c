"""The score of any model for `spanlin evaluate`: a checkpoint by training's own parser, all others by `Parser`."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import click

from spanlin.cli.extras import needs_train_extra
from spanlin.errors import TreeSyntaxError
from spanlin.model_folder.lookup import find_model
from spanlin.model_folder.path_kinds import is_checkpoint

if TYPE_CHECKING:
    from spanlin.evaluation.model_score import ModelScore
    from spanlin.evaluation.parameters import Parameters
    from spanlin.runtime.options import TreeDecoder


def score_any_model(
    model: str,
    gold: Path,
    *,
    decoder: TreeDecoder,
    device: str,
    precision: Literal["fp32", "bf16"] | None,
    tags: Literal["file", "predicted"],
    tagger: Path | None,
    treebank: str,
    parameters: Parameters,
    output: Path | None,
    on_bad: Callable[[TreeSyntaxError], None] | None,
) -> ModelScore:
    """Return what the trees of a model score; options that only a checkpoint has are a usage error for others."""
    path = find_model(model)
    if is_checkpoint(path):
        with needs_train_extra(f"{path}: evaluating a checkpoint"):
            from spanlin.training.evaluation import evaluate_model

        return evaluate_model(
            path,
            gold,
            decoder=decoder,
            device=device,
            precision=precision,
            tags=tags,
            tagger=tagger,
            treebank=treebank,
            parameters=parameters,
            output=output,
            on_bad=on_bad,
        )
    for name, value in (("precision", precision), ("tagger", tagger), ("treebank", treebank)):
        if value:
            raise click.UsageError(f"--{name} is for checkpoints, and fixed in {model}: leave it out.")
    from spanlin.model_evaluation import evaluate_parser
    from spanlin.parser import Parser

    parser = Parser.load(path, device=device)
    return evaluate_parser(
        parser, gold, name=model, decoder=decoder, tags=tags, parameters=parameters, output=output, on_bad=on_bad
    )
