"""`spanlin evaluate`: predicted trees, or those of a model, against gold ones."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import click
from click.core import ParameterSource

from spanlin.cli.evaluate_dependencies import check_conllu_usage, evaluate_conllu, evaluate_model_conllu
from spanlin.cli.model_scores import score_any_model
from spanlin.dependencies.conllu import is_conllu
from spanlin.errors import TreeSyntaxError
from spanlin.evaluation.evalb import EvalbOutput
from spanlin.evaluation.files import evalb_files, score_files
from spanlin.evaluation.parameters import find_parameters
from spanlin.evaluation.report import comparison_to_dict, comparison_to_text
from spanlin.evaluation.significance import compare_scores

if TYPE_CHECKING:
    from spanlin.evaluation.model_score import ModelScore
    from spanlin.runtime.options import TreeDecoder

_FILE = click.Path(exists=True, dir_okay=False, path_type=Path)
_FOLDER = click.Path(exists=True, file_okay=False, path_type=Path)
_Format = Literal["table", "json", "evalb"]

DECODERS = ("argmin", "largest", "cky", "min-change", "minimum-risk")
"""Those that every kind of model has; `spanlin.training.parsing`, which lists them, needs torch."""

_MODEL_OPTIONS = ("decoder", "device", "precision", "tags", "tagger", "treebank", "output")


@click.command()
@click.argument("gold", type=_FILE)
@click.argument("predicted", type=_FILE, required=False)
@click.argument("predicted2", type=_FILE, required=False)
@click.option(
    "--params",
    default="collins",
    show_default=True,
    metavar="FILE|NAME",
    help="An EVALB parameter file, or the built-in collins or nk.",
)
@click.option(
    "--format",
    "output_format",
    type=click.Choice(["table", "json", "evalb"]),
    default="table",
    show_default=True,
    help="Tables, one JSON object, or what EVALB prints.",
)
@click.option(
    "--skip-bad",
    is_flag=True,
    help="Count malformed trees as empty lines (with --model: leave them out) and report them, instead of stopping.",
)
@click.option(
    "--model",
    metavar="NAME|FOLDER|hf:OWNER/NAME",
    help="Parse the words of GOLD with this model and score its trees: a packaged or installed one, a folder that "
    "`spanlin export` made, one on Hugging Face's hub, or a checkpoint (needs torch).",
)
@click.option(
    "--decoder",
    type=click.Choice(DECODERS),
    default="argmin",
    show_default=True,
    help="With --model: how a tree is chosen.",
)
@click.option(
    "--device",
    default="",
    help="With --model: cuda, cuda:N or cpu, in torch.  [default: onnxruntime; for a checkpoint, cuda if there is one]",
)
@click.option(
    "--precision",
    type=click.Choice(["fp32", "bf16"]),
    help="With a checkpoint: the precision of the numbers.  [default: that of training on cuda, fp32 on cpu]",
)
@click.option(
    "--tags",
    type=click.Choice(["file", "predicted"]),
    default="file",
    show_default=True,
    help="With --model: the tags by which EVALB drops words, and which a model that reads tags is given.",
)
@click.option("--treebank", default="", help="With a checkpoint: which of its treebanks to annotate like.")
@click.option("--tagger", type=_FOLDER, help="With a checkpoint that reads tags: another one, which predicts them.")
@click.option(
    "--output",
    type=click.Path(dir_okay=False, path_type=Path),
    help="With --model: write its trees, one per line, or its dependencies, to this file.",
)
def evaluate(
    gold: Path,
    predicted: Path | None,
    predicted2: Path | None,
    *,
    params: str,
    output_format: _Format,
    skip_bad: bool,
    model: str | None,
    decoder: TreeDecoder,
    device: str,
    precision: Literal["fp32", "bf16"] | None,
    tags: Literal["file", "predicted"],
    treebank: str,
    tagger: Path | None,
    output: Path | None,
) -> None:
    """Score PREDICTED trees against GOLD by labelled brackets, exactly as EVALB does.

    With PREDICTED2, score both and test whether their difference is significant. Files may be gzip and in any layout.
    If both have one tree per line and the same number of lines, an empty line stands for a sentence without a tree;
    otherwise, empty lines mean nothing. The evalb format needs one tree per line.

    With --model and no PREDICTED, the trees are those that a model finds for the words of GOLD. Its tagging
    accuracy, its speed and how many greedy trees are certified are reported, too (in the evalb format, on stderr).

    Files whose names end in .conllu or .conllu.gz are scored by their dependencies, exactly as the official evaluation
    of Universal Dependencies does: UAS, LAS, CLAS, tags, words, sentences and more. With --model, they are those that a
    model finds for the words of GOLD, and the calibration error of its arcs' probabilities is reported, too.

    \b
    Examples:
      spanlin evaluate gold.txt predicted.txt
      spanlin evaluate gold.txt predicted.txt --format evalb --params COLLINS.prm
      spanlin evaluate gold.txt one.txt two.txt
      spanlin evaluate gold.conllu predicted.conllu
      spanlin evaluate --model en gold.txt
      spanlin evaluate --model my-parser gold.conllu
      spanlin evaluate --model runs/mine/best gold.txt --decoder cky
    """  # noqa: D301 (click's mark for lines that stay as they are)
    if is_conllu(gold):
        check_conllu_usage(click.get_current_context(), model, predicted, output_format)
        if model is None:
            evaluate_conllu(gold, predicted, predicted2, output_format)
        else:
            evaluate_model_conllu(gold, model, output_format, device=device, output=output)
        return
    _check_usage(click.get_current_context(), model, predicted)
    parameters = find_parameters(params)
    bad: list[TreeSyntaxError] = []
    on_bad = bad.append if skip_bad else None
    if model is not None:
        result = score_any_model(
            model,
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
        status = _print_model_score(result, output_format)
        _report_bad(bad, "left out")
        click.get_current_context().exit(status)
    assert predicted is not None
    if output_format == "evalb":
        if predicted2 is not None:
            raise click.UsageError("--format evalb scores one prediction: leave out PREDICTED2.")
        printed = evalb_files(gold, predicted, parameters=parameters, on_bad=on_bad)
        _print_evalb(printed)
        _report_bad(bad, "counted as an empty line")
        click.get_current_context().exit(printed.exit_status)
    first = score_files(gold, predicted, parameters=parameters, on_bad=on_bad)
    if predicted2 is None:
        click.echo(first.to_json() if output_format == "json" else first.to_text())
    else:
        second = score_files(gold, predicted2, parameters=parameters, on_bad=on_bad)
        comparison = compare_scores(first, second)
        if output_format == "json":
            both = {"first": first.to_dict(), "second": second.to_dict(), "comparison": comparison_to_dict(comparison)}
            click.echo(json.dumps(both, ensure_ascii=False, allow_nan=False, indent=2))
        else:
            titles = (f"=== {predicted} ===", f"=== {predicted2} ===", "=== Comparison ===")
            texts = (first.to_text(), second.to_text(), comparison_to_text(comparison))
            click.echo("\n\n".join(f"{title}\n\n{text}" for title, text in zip(titles, texts, strict=True)))
    _report_bad(bad, "counted as an empty line")


def _check_usage(context: click.Context, model: str | None, predicted: Path | None) -> None:
    if model is not None:
        if predicted is not None:
            raise click.UsageError("--model makes the predicted trees itself: leave out PREDICTED, or --model.")
        return
    for name in _MODEL_OPTIONS:
        if context.get_parameter_source(name) is ParameterSource.COMMANDLINE:
            raise click.UsageError(f"--{name} goes with --model: name a model, or leave it out.")
    if predicted is None:
        raise click.UsageError("Missing argument 'PREDICTED': give the predicted trees, or --model to make them.")


def _print_model_score(result: ModelScore, output_format: _Format) -> int:
    """Print and return the exit status, which only EVALB makes depend on what it finds."""
    if output_format != "evalb":
        click.echo(result.to_json() if output_format == "json" else result.to_text())
        return 0
    printed = result.score.to_evalb()
    _print_evalb(printed)
    click.echo(result.model_to_text(), err=True)
    return printed.exit_status


def _print_evalb(printed: EvalbOutput) -> None:
    # Bytes, for EVALB copies words as they stand whatever the encoding of the terminal.
    click.echo(printed.errors.encode(), nl=False, err=True)
    click.echo(printed.output.encode(), nl=False)


def _report_bad(bad: list[TreeSyntaxError], what_happened: str) -> None:
    messages = dict.fromkeys(map(str, bad))  # a gold tree is read once for each prediction
    for message in messages:
        click.echo(f"spanlin: {what_happened}: {message}", err=True)
    if messages:
        click.echo(f"spanlin: {len(messages)} malformed trees", err=True)
