"""What a model folder scores on gold trees as it is shipped: brackets, tags, and how far to trust its probabilities."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from spanlin.errors import EvaluationError
from spanlin.evaluation.calibration import Outcomes, expected_calibration_error
from spanlin.evaluation.counts import Counts, ratio
from spanlin.evaluation.score import Score, score_trees
from spanlin.model_folder.calibration import Calibration
from spanlin.model_folder.folder import ModelFolder
from spanlin.training.folder_parses import FolderParse, folder_outcomes, parse_with_folder
from spanlin.trees.brackets import read_trees
from spanlin.trees.labelled import tree_from_splits
from spanlin.trees.transforms import add_root
from spanlin.trees.tree import Tree


@dataclass(frozen=True, kw_only=True)
class ParsedTreebank:
    """The trees of a file, and what a model folder makes of their words."""

    gold: tuple[Tree, ...]
    parses: tuple[FolderParse, ...]
    outcomes: Outcomes


@dataclass(frozen=True, kw_only=True)
class TreebankFigures:
    """What a model folder scores on one file.

    The score is of trees that carry the gold tags, by which EVALB drops punctuation, so that a tag can neither help
    nor harm. `confidence` is the mean probability of a predicted constituent, `precision` the share that is gold,
    punctuation counted; `calibration_error` lies between their bins.
    """

    name: str
    file: str
    score: Score
    word_count: int
    correct_tags: int
    confidence: float
    precision: float
    calibration_error: float

    @property
    def tagging_accuracy(self) -> float | None:
        """The percentage of all words, punctuation too, that have the gold tag."""
        return ratio(100.0 * self.correct_tags, self.word_count)

    def to_dict(self) -> dict[str, Any]:
        """Return the numbers as plain values."""
        score = self.score
        return {
            "file": self.file,
            "sentences": len(score.sentences),
            "words": self.word_count,
            "f1": score.f1,
            "precision": score.precision,
            "recall": score.recall,
            "complete_match": score.complete_match,
            "tagging_accuracy": self.tagging_accuracy,
            "calibration_error": self.calibration_error,
            "mean_confidence": self.confidence,
            "constituent_precision": self.precision,
            "by_label": {label: counts._asdict() for label, counts in score.by_label.items()},
        }


def parse_treebank(folder: ModelFolder, file: str | Path) -> ParsedTreebank:
    """Return the trees of a file beside those of a model folder."""
    gold = tuple(read_trees(file))
    if not gold:
        raise EvaluationError(f"{file}: no trees to score against")
    parses = tuple(parse_with_folder(folder, [tree.words for tree in gold]))
    return ParsedTreebank(gold=gold, parses=parses, outcomes=folder_outcomes(parses, gold))


def treebank_figures(name: str, file: str, treebank: ParsedTreebank, calibration: Calibration) -> TreebankFigures:
    """Return what a parsed treebank scores, and how a calibration does on it."""
    pairs = list(zip(treebank.gold, treebank.parses, strict=True))
    predicted = [add_root(tree_from_splits(parse.splits._replace(tags=gold.tags))) for gold, parse in pairs]
    probabilities = calibration(treebank.outcomes.evidence)
    error = expected_calibration_error(probabilities, treebank.outcomes.correct)
    return TreebankFigures(
        name=name,
        file=file,
        score=score_trees(treebank.gold, predicted),
        word_count=sum(len(parse.splits.words) for parse in treebank.parses),
        correct_tags=sum(sum(map(str.__eq__, gold.tags, parse.splits.tags)) for gold, parse in pairs),
        confidence=float(probabilities.mean()),
        precision=float(treebank.outcomes.correct.mean()),
        calibration_error=error,
    )


def frequent_labels(treebanks: Sequence[TreebankFigures], *, least_share: float = 0.002) -> Mapping[str, Counts]:
    """Return the counts over all treebanks of the labels that make up at least this share of the gold brackets."""
    sums: dict[str, Counts] = {}
    for treebank in treebanks:
        for label, counts in treebank.score.by_label.items():
            sums[label] = Counts(*map(sum, zip(sums.get(label, (0, 0, 0)), counts, strict=True)))
    least = least_share * sum(counts.gold for counts in sums.values())
    kept = {label: counts for label, counts in sums.items() if counts.gold >= least}
    return dict(sorted(kept.items(), key=lambda item: -item[1].gold))
