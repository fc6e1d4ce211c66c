"""What a checkpoint scores on a treebank file: it parses the words of the gold trees, and its trees are compared."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Literal

import torch

from spanlin.errors import CheckpointError, EvaluationError, TreeSyntaxError
from spanlin.evaluation.model_score import ModelScore, PathLike, TagSource, check_output, read_gold, score_model
from spanlin.evaluation.parameters import COLLINS, Parameters
from spanlin.network.device import choose_device
from spanlin.training.checkpoint import Model, load_model
from spanlin.training.parsing import parse_sentences, predict_tags
from spanlin.trees.labelled import LabelledSplits, labelled_splits
from spanlin.trees.transforms import strip_root

Precision = Literal["fp32", "bf16"]


def evaluate_model(
    model: Model | PathLike,
    gold: PathLike,
    *,
    decoder: str = "argmin",
    device: str = "",
    precision: Precision | None = None,
    tags: TagSource = "file",
    tagger: Model | PathLike | None = None,
    treebank: str = "",
    parameters: Parameters = COLLINS,
    output: PathLike | None = None,
    on_bad: Callable[[TreeSyntaxError], None] | None = None,
) -> ModelScore:
    """Return the score of a model, or of the one in a checkpoint folder, on the trees of a file.

    With `tags` from the file the trees that are scored carry the file's tags, by which EVALB drops punctuation, so
    that a tag can neither help nor harm; a model that reads tags is given those. With predicted ones nothing but the
    words is used: the trees carry the model's own tags, as an EVALB run over `output` would see them, and a model
    that reads tags gets them from the `tagger`, another checkpoint. `output` gets the predicted trees with predicted
    tags, one per line. `treebank` names the one whose annotation is wanted, for a model with treebank vectors.
    Without `precision`, a GPU computes in the model's own and a CPU in fp32.
    """
    check_output(output)
    name = "in memory" if isinstance(model, Model) else os.fspath(model)
    where = choose_device(device)
    parser = _load(model, where)
    _check_tags(parser, name, tags, tagger)
    known = parser.vocabularies.treebanks.items
    if treebank and (not parser.config.network.treebank_vectors or treebank not in known):
        has_vectors = parser.config.network.treebank_vectors
        reason = f"it knows {', '.join(known)}" if has_vectors else "it was trained without treebank vectors"
        raise EvaluationError(f"{name}: no treebank {treebank!r}: {reason}")
    used = precision or (parser.config.precision if where.type == "cuda" else "fp32")
    gold_trees = read_gold(gold, on_bad=on_bad)
    sentences = [labelled_splits(strip_root(tree)) for tree in gold_trees]
    tagging_model = None if tagger is None else _load(tagger, where)

    started = time.perf_counter()
    given = sentences if tagging_model is None else _tagged(tagging_model, sentences, where, used)
    examples = parser.featurizer(given, has_tree=False, treebank=treebank)
    parses = parse_sentences(parser, examples, given, decoder=decoder, device=where, precision=used)
    seconds = time.perf_counter() - started

    return score_model(
        gold_trees,
        parses,
        model=name,
        decoder="cky" if parser.config.network.scorer.normalization == "span" else decoder,
        device=str(where),
        precision=used,
        seconds=seconds,
        tags=tags,
        parameters=parameters,
        output=output,
    )


def _load(model: Model | PathLike, device: torch.device) -> Model:
    loaded = model if isinstance(model, Model) else load_model(Path(model))
    loaded.network.to(device)
    return loaded


def _check_tags(model: Model, name: str, tags: TagSource, tagger: Model | PathLike | None) -> None:
    network = model.config.network
    reads_tags = network.input == "lexical" and network.lexical.tag_width > 0
    if tagger is not None and not reads_tags:
        raise CheckpointError(f"{name}: this model reads no tags (tag_width is 0): leave out the tagger")
    if tags == "predicted" and reads_tags and tagger is None:
        raise CheckpointError(f"{name}: this model reads tags: to parse without those of the file, give a tagger")
    if tags == "predicted" and not network.scorer.tag_head and tagger is None:
        raise CheckpointError(f"{name}: this model predicts no tags (tag_head is off): take those of the file")


def _tagged(
    tagger: Model, sentences: Sequence[LabelledSplits], device: torch.device, precision: str
) -> list[LabelledSplits]:
    found = predict_tags(tagger, tagger.featurizer(sentences, has_tree=False), device=device, precision=precision)
    return [sentence._replace(tags=tags) for sentence, tags in zip(sentences, found, strict=True)]
