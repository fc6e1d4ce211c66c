"""What a model folder makes of the words of gold dependencies, and the calibration of its arcs on them; no torch."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import fields
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from spanlin.dependencies.conllu import read_conllu
from spanlin.errors import DependencyError, EvaluationError
from spanlin.evaluation.calibration import Outcomes, fit_evidence_weights
from spanlin.model_folder.calibration import ArcCalibration
from spanlin.model_folder.folder import ModelFolder
from spanlin.runtime.backend import CONFIDENCE, OF_DEPENDENCIES
from spanlin.runtime.batch_runner import BatchRunner
from spanlin.runtime.confidence import arc_evidence
from spanlin.runtime.dependency_decoding import find_dependencies
from spanlin.runtime.folder_features import features_of
from spanlin.runtime.onnx import OnnxBackend, available_cores
from spanlin.runtime.sentences import RunBatch

_UNKNOWN = -1


class _GoldHeads(NamedTuple):
    """The words of a sentence and their heads, counted from 1, 0 for the root, -1 where the file does not say."""

    words: tuple[str, ...]
    heads: tuple[int, ...]


def arc_outcomes(folder: ModelFolder, file: str | Path, *, threads: int = 0) -> Outcomes:
    """Return the evidence for the head of every word of a CoNLL-U file, and whether it is the gold one.

    Words whose gold head is unknown are left out.
    """
    if not folder.relations:
        raise DependencyError(
            f"{folder.path}: this model was trained on trees alone and has no dependencies: leave out {file}"
        )
    gold = [
        _GoldHeads(
            tuple(word.form for word in sentence.words),
            tuple(_UNKNOWN if word.head is None else word.head for word in sentence.words),
        )
        for sentence in read_conllu(file)
    ]
    if not any(head != _UNKNOWN for sentence in gold for head in sentence.heads):
        raise EvaluationError(f"{file}: no heads to score against")
    backend = OnnxBackend(folder, threads=1)

    def make(batch: RunBatch[_GoldHeads]) -> list[tuple[NDArray[np.float64], NDArray[np.bool_]]]:
        found = find_dependencies(backend, batch.counts, batch.found)
        evidence = arc_evidence(batch.counts, found.log_probs, batch.found)
        made = []
        for row, sentence in enumerate(batch.items):
            heads = np.array(sentence.heads)
            known = heads != _UNKNOWN
            count = len(heads)
            made.append((evidence[row, :count][known], (found.heads[row, :count] == heads)[known]))
        return made

    runner = BatchRunner(features_of(folder), backend, workers=threads or available_cores())
    outputs = (*CONFIDENCE, *OF_DEPENDENCIES)
    results = [made for _, made in runner.run(gold, lambda item: item.words, outputs, make) if made is not None]
    evidence, correct = zip(*results, strict=True)
    return Outcomes(evidence=np.concatenate(evidence), correct=np.concatenate(correct))


def fit_arc_calibration(treebanks: Sequence[Outcomes]) -> ArcCalibration:
    """Return the calibration under which the outcomes are likeliest; each treebank weighs as much as another."""
    names = (item.name for item in fields(ArcCalibration))
    return ArcCalibration(**dict(zip(names, fit_evidence_weights(treebanks).tolist(), strict=True)))
