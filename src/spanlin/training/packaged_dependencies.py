"""What a model folder scores on gold dependencies as it is shipped: heads, relations, tags, and how far to trust it."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from spanlin.dependencies.conllu import read_conllu
from spanlin.dependencies.sentence import ConlluSentence
from spanlin.errors import EvaluationError
from spanlin.evaluation.ud_model_score import WordParse, score_model_dependencies
from spanlin.model_folder.folder import ModelFolder
from spanlin.runtime.backend import CONFIDENCE, OF_DEPENDENCIES, TREE
from spanlin.runtime.batch_runner import BatchRunner
from spanlin.runtime.confidence import arc_evidence
from spanlin.runtime.dependency_decoding import find_dependencies
from spanlin.runtime.folder_features import features_of
from spanlin.runtime.onnx import OnnxBackend, available_cores
from spanlin.runtime.sentences import RunBatch


@dataclass(frozen=True, kw_only=True)
class DependencyFigures:
    """What a model folder scores on the words of one CoNLL-U file: percentages, and the calibration error of heads."""

    name: str
    file: str
    sentences: int
    words: int
    uas: float | None
    las: float | None
    universal_tags: float | None
    tags: float | None
    calibration_error: float | None

    def to_dict(self) -> dict[str, Any]:
        """Return the numbers as plain values."""
        return {key: value for key, value in asdict(self).items() if key != "name"}


def dependency_figures(name: str, file: str | Path, folder: ModelFolder) -> DependencyFigures:
    """Return what a model folder, calibrated as its arcs are to be, scores on the gold words of a CoNLL-U file."""
    gold = list(read_conllu(file))
    if not gold:
        raise EvaluationError(f"{file}: no sentences to score against")
    found = score_model_dependencies(
        gold,
        _word_parses(folder, gold),
        model=folder.path.name,
        device="cpu",
        precision=folder.precision,
        calibrated=True,
        seconds=0.0,
    )
    metrics = found.score.metrics
    return DependencyFigures(
        name=name,
        file=str(file),
        sentences=len(gold),
        words=sum(len(sentence.words) for sentence in gold),
        uas=found.score.uas,
        las=found.score.las,
        universal_tags=metrics["UPOS"].f1,
        tags=metrics["XPOS"].f1,
        calibration_error=found.calibration_error,
    )


def _word_parses(folder: ModelFolder, gold: list[ConlluSentence]) -> list[list[WordParse]]:
    backend = OnnxBackend(folder, threads=1)

    def make(batch: RunBatch[ConlluSentence]) -> list[list[WordParse]]:
        found = find_dependencies(backend, batch.counts, batch.found)
        probabilities = folder.arc_calibration(arc_evidence(batch.counts, found.log_probs, batch.found))
        columns = (found.heads, found.relations, found.universal_tags, batch.found["tags"], probabilities)
        return [
            [
                WordParse(
                    head, folder.relations[relation], folder.universal_tags[universal], folder.tags[tag], probable
                )
                for head, relation, universal, tag, probable in zip(
                    *(column[row, : len(words)].tolist() for column in columns), strict=True
                )
            ]
            for row, words in enumerate(batch.words)
        ]

    runner = BatchRunner(features_of(folder), backend, workers=available_cores())
    outputs = (*TREE, *CONFIDENCE, *OF_DEPENDENCIES)
    parsed = runner.run(gold, lambda sentence: sentence.forms, outputs, make)
    return [words for _, words in parsed if words is not None]
