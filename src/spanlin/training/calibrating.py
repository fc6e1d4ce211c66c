"""The probabilities of a model folder, fitted on gold trees and put into its manifest; no torch."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from spanlin.decoding import Temperatures
from spanlin.evaluation.calibration import expected_calibration_error
from spanlin.model_folder.calibration import Calibration
from spanlin.model_folder.folder import ModelFolder, open_folder, write_manifest
from spanlin.training.folder_parses import fit_calibration
from spanlin.training.packaged import ParsedTreebank, parse_treebank
from spanlin.training.tree_scores import fit_temperatures, score_gold_trees
from spanlin.trees.tree import Tree

_MOST_TREES, _LONGEST_TREE = 250, 60  # of a treebank, and in words: what two temperatures are fitted on


@dataclass(frozen=True, kw_only=True)
class CalibrationErrors:
    """The expected calibration error of constituents on one file, with the old numbers and with the new ones."""

    file: str
    before: float
    after: float


def calibrate_folder(path: str | Path, files: Sequence[str | Path]) -> list[CalibrationErrors]:
    """Fit the probabilities of a model folder on files of gold trees, and write them into its manifest.

    The trees must not be those it was trained on. Each file weighs as much as another.
    """
    folder = open_folder(path)
    treebanks = {str(file): parse_treebank(folder, file) for file in files}
    calibration, temperatures = fit_probabilities(folder, list(treebanks.values()))
    write_manifest(replace(folder, calibration=calibration, temperatures=temperatures))
    return [
        CalibrationErrors(file=file, before=_error(treebank, folder.calibration), after=_error(treebank, calibration))
        for file, treebank in treebanks.items()
    ]


def fit_probabilities(folder: ModelFolder, treebanks: Sequence[ParsedTreebank]) -> tuple[Calibration, Temperatures]:
    """Return the calibration of constituents, and the temperatures of whole trees, that fit the gold trees best."""
    calibration = fit_calibration([treebank.outcomes for treebank in treebanks])
    return calibration, fit_temperatures([score_gold_trees(folder, _some(treebank.gold)) for treebank in treebanks])


def _some(trees: Sequence[Tree]) -> list[Tree]:
    """Return at most as many trees of a treebank as two temperatures need, from all over it; long ones take long."""
    short = [tree for tree in trees if len(tree.words) <= _LONGEST_TREE]
    return short[:: max(1, -(-len(short) // _MOST_TREES))]


def _error(treebank: ParsedTreebank, calibration: Calibration) -> float:
    return expected_calibration_error(calibration(treebank.outcomes.evidence), treebank.outcomes.correct)
