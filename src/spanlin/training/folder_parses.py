"""What a model folder makes of the words of gold trees, and the calibration of its probabilities on them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields

import numpy as np
from numpy.typing import NDArray

from spanlin.errors import EvaluationError
from spanlin.evaluation.calibration import Outcomes, constituent_outcomes, fit_evidence_weights
from spanlin.model_folder.calibration import Calibration
from spanlin.model_folder.folder import ModelFolder
from spanlin.runtime.backend import CONFIDENCE, TREE, Arrays
from spanlin.runtime.batch_runner import BatchRunner
from spanlin.runtime.confidence import span_evidence
from spanlin.runtime.folder_features import features_of
from spanlin.runtime.onnx import OnnxBackend, available_cores
from spanlin.runtime.sentences import RunBatch
from spanlin.trees.labelled import LabelledSplits, splits_from_numbers
from spanlin.trees.tree import Tree


@dataclass(frozen=True, kw_only=True)
class FolderParse:
    """A sentence as a model folder parses it; `evidence` is that of its 2n-1 spans, those of the words last."""

    splits: LabelledSplits
    evidence: NDArray[np.float64]


def parse_with_folder(
    folder: ModelFolder, sentences: Sequence[Sequence[str]], *, threads: int = 0
) -> list[FolderParse]:
    """Return the parse of each tokenized sentence, none of which may be empty, in order."""
    for number, words in enumerate(sentences, start=1):
        if not words:
            raise EvaluationError(f"sentence {number} has no words to parse")

    def make(batch: RunBatch[Sequence[str]]) -> list[FolderParse]:
        evidence = span_evidence(batch.counts, batch.found)
        return [
            _parse(folder, words, {name: batch.found[name][place] for name in TREE}, evidence[place])
            for place, words in enumerate(batch.words)
        ]

    runner = BatchRunner(features_of(folder), OnnxBackend(folder, threads=1), workers=threads or available_cores())
    found = runner.run(sentences, lambda words: words, (*TREE, *CONFIDENCE), make)
    return [parse for _, parse in found if parse is not None]


def folder_outcomes(parses: Sequence[FolderParse], gold: Sequence[Tree]) -> Outcomes:
    """Return the outcome of every predicted constituent."""
    return constituent_outcomes([(parse.splits, parse.evidence) for parse in parses], gold)


def fit_calibration(treebanks: Sequence[Outcomes]) -> Calibration:
    """Return the calibration under which the outcomes are likeliest; each treebank weighs as much as another."""
    names = (item.name for item in fields(Calibration))
    return Calibration(**dict(zip(names, fit_evidence_weights(treebanks).tolist(), strict=True)))


def _parse(folder: ModelFolder, words: Sequence[str], tree: Arrays, evidence: NDArray[np.float64]) -> FolderParse:
    """Return the parse of a sentence from its rows of a batch's arrays."""
    count = len(words)
    tags = [folder.tags[tag] for tag in tree["tags"][:count].tolist()]
    rows = (tree[name].tolist() for name in ("lefts", "rights", "split_labels", "word_labels"))
    splits = splits_from_numbers(words, tags, *rows, labels=folder.labels)
    width = len(tree["lefts"])
    return FolderParse(splits=splits, evidence=evidence[np.r_[0 : count - 1, width : width + count]])
