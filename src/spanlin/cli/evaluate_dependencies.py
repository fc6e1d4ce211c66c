"""`spanlin evaluate` for CoNLL-U files: predicted dependencies against gold ones."""

from __future__ import annotations

import json
from pathlib import Path

import click
from click.core import ParameterSource

from spanlin.dependencies.conllu import is_conllu
from spanlin.evaluation.report import comparison_to_dict, comparison_to_text
from spanlin.evaluation.ud_score import compare_ud_scores, score_conllu_files

_OF_TREES = ("params", "decoder", "precision", "tags", "tagger", "treebank", "skip_bad")
_OF_MODELS = ("device", "output")


def check_conllu_usage(context: click.Context, model: str | None, predicted: Path | None, output_format: str) -> None:
    """Raise a usage error if dependencies are to be scored with what only trees or only models have."""
    if output_format == "evalb":
        raise click.UsageError("--format evalb is for trees: leave it out for CoNLL-U.")
    given = {name for name in context.params if context.get_parameter_source(name) is ParameterSource.COMMANDLINE}
    for name in _OF_TREES:
        if name in given:
            raise click.UsageError(f"--{name.replace('_', '-')} is for trees: leave it out for CoNLL-U.")
    if model is None:
        for name in _OF_MODELS:
            if name in given:
                raise click.UsageError(f"--{name} goes with --model: name a model, or leave it out.")
    elif predicted is not None:
        raise click.UsageError("--model makes the predicted dependencies itself: leave out PREDICTED, or --model.")


def evaluate_model_conllu(gold: Path, model: str, output_format: str, *, device: str, output: Path | None) -> None:
    """Print the score of a model's dependencies for the words of a file."""
    from spanlin.model_evaluation import evaluate_parser_dependencies
    from spanlin.parser import Parser

    found = evaluate_parser_dependencies(Parser.load(model, device=device), gold, name=model, output=output)
    click.echo(found.to_json() if output_format == "json" else found.to_text())


def evaluate_conllu(gold: Path, predicted: Path | None, predicted2: Path | None, output_format: str) -> None:
    """Print the score of one file of predicted dependencies, or of two and their difference."""
    if predicted is None:
        raise click.UsageError(
            "Missing argument 'PREDICTED': give the predicted dependencies, as CoNLL-U, or --model to make them."
        )
    for path in (predicted, predicted2):
        if path is not None and not is_conllu(path):
            raise click.UsageError(f"GOLD is CoNLL-U and {path} is not: its name must end in .conllu or .conllu.gz.")
    first = score_conllu_files(gold, predicted)
    if predicted2 is None:
        click.echo(first.to_json() if output_format == "json" else first.to_text())
        return
    second = score_conllu_files(gold, predicted2)
    comparisons = {metric: compare_ud_scores(first, second, metric) for metric in ("UAS", "LAS")}
    if output_format == "json":
        compared = {metric: comparison_to_dict(one) for metric, one in comparisons.items()}
        both = {"first": first.to_dict(), "second": second.to_dict(), "comparison": compared}
        click.echo(json.dumps(both, ensure_ascii=False, allow_nan=False, indent=2))
    else:
        lines = [comparison_to_text(one, metric) for metric, one in comparisons.items()]
        texts = {predicted: first.to_text(), predicted2: second.to_text(), "Comparison": "\n".join(lines)}
        click.echo("\n\n".join(f"=== {title} ===\n\n{text}" for title, text in texts.items()))
