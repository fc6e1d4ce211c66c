"""What the dependencies of a model score against the gold ones of a file, and how far its probabilities are true."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from spanlin.dependencies.sentence import EMPTY, ConlluSentence, MultiWordToken, Row, Word
from spanlin.evaluation.calibration import expected_calibration_error
from spanlin.evaluation.ud_score import UDScore, score_dependencies


class WordParse(NamedTuple):
    """What a model says of a word; `probability` is that of its head."""

    head: int
    relation: str
    universal_tag: str
    tag: str
    probability: float


@dataclass(frozen=True, kw_only=True)
class DependencyModelScore:
    """The score of a model's dependencies, and other figures of the model.

    `sentences` are the predicted ones. `calibration_error` is the expected one of the words' heads, and `calibrated`
    says whether the probabilities were fitted. `seconds` run from the words in memory to the dependencies.
    """

    score: UDScore
    sentences: tuple[ConlluSentence, ...]
    model: str
    device: str
    precision: str
    calibration_error: float | None
    calibrated: bool
    seconds: float

    @property
    def sentences_per_second(self) -> float:
        """How fast the model parsed."""
        return len(self.sentences) / max(self.seconds, 1e-9)

    def to_dict(self) -> dict[str, Any]:
        """Return the score's numbers, and those of the model under `model`."""
        about = {
            "path": self.model,
            "device": self.device,
            "precision": self.precision,
            "calibration_error": self.calibration_error,
            "dependencies_calibrated": self.calibrated,
            "seconds": self.seconds,
            "sentences_per_second": self.sentences_per_second,
        }
        return {**self.score.to_dict(), "model": about}

    def to_json(self) -> str:
        """Return all numbers as one JSON object; unknown ones are null."""
        return json.dumps(self.to_dict(), ensure_ascii=False, allow_nan=False, indent=2)

    def to_text(self) -> str:
        """Return the score's tables and the model's lines."""
        error = "n/a" if self.calibration_error is None else f"{self.calibration_error:.4f}"
        rows = [
            ("Model", self.model),
            ("calibration error of arcs", f"{error} ({'' if self.calibrated else 'un'}calibrated)"),
            ("sentences/s", f"{self.sentences_per_second:.0f} ({self.device}, {self.precision})"),
        ]
        return "\n".join([self.score.to_text(), "", *(f"{name:<29} {value}" for name, value in rows)])


def score_model_dependencies(
    gold: Sequence[ConlluSentence],
    parses: Sequence[Sequence[WordParse]],
    *,
    model: str,
    device: str,
    precision: str,
    calibrated: bool,
    seconds: float,
) -> DependencyModelScore:
    """Return the score of a model's parses of the gold sentences' words."""
    sentences = tuple(_predicted(sentence, words) for sentence, words in zip(gold, parses, strict=True))
    outcomes = [
        (parse.probability, parse.head == word.head)
        for sentence, words in zip(gold, parses, strict=True)
        for word, parse in zip(sentence.words, words, strict=True)
        if word.head is not None
    ]
    error = None
    if outcomes:
        probabilities, correct = zip(*outcomes, strict=True)
        error = expected_calibration_error(np.array(probabilities), np.array(correct))
    return DependencyModelScore(
        score=score_dependencies(gold, sentences),
        sentences=sentences,
        model=model,
        device=device,
        precision=precision,
        calibration_error=error,
        calibrated=calibrated,
        seconds=seconds,
    )


def _predicted(gold: ConlluSentence, parses: Sequence[WordParse]) -> ConlluSentence:
    """Return the gold sentence with what the model says of its words, and nothing else that is gold."""
    left = iter(parses)
    rows: list[Row] = []
    for row in gold.rows:
        if isinstance(row, MultiWordToken):
            rows.append(row)
        elif isinstance(row, Word):
            found = next(left)
            rows.append(
                Word(
                    form=row.form,
                    upos=found.universal_tag,
                    xpos=found.tag,
                    head=found.head,
                    deprel=found.relation,
                    deps=EMPTY,
                    misc=row.misc,
                )
            )
    return ConlluSentence(tuple(rows), gold.comments)
