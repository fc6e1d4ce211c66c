"""The probabilities of a model folder, fitted on gold trees and dependencies and put into its manifest; no torch."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal

from spanlin.decoding import Temperatures
from spanlin.dependencies.conllu import is_conllu
from spanlin.evaluation.calibration import Outcomes, expected_calibration_error
from spanlin.model_folder.calibration import ArcCalibration, Calibration
from spanlin.model_folder.folder import ModelFolder, open_folder, write_manifest
from spanlin.training.folder_arcs import arc_outcomes, fit_arc_calibration
from spanlin.training.folder_parses import fit_calibration
from spanlin.training.packaged import ParsedTreebank, parse_treebank
from spanlin.training.tree_scores import fit_temperatures, score_gold_trees
from spanlin.trees.tree import Tree

_MOST_TREES, _LONGEST_TREE = 250, 60  # of a treebank, and in words: what two temperatures are fitted on


@dataclass(frozen=True, kw_only=True)
class CalibrationErrors:
    """The expected calibration error on one file, with the old numbers and with the new ones.

    `of` constituents for a file of trees, of arcs for one of dependencies.
    """

    file: str
    of: Literal["constituents", "arcs"]
    before: float
    after: float


def calibrate_folder(path: str | Path, files: Sequence[str | Path]) -> list[CalibrationErrors]:
    """Fit the probabilities of a model folder on files of gold annotation, and write them into its manifest.

    Files whose names end in .conllu or .conllu.gz are dependencies, and others are trees; what no file is of stays as
    it was. The sentences must not be those it was trained on. Each file weighs as much as another of its kind.
    """
    folder = fitted = open_folder(path)
    names = [str(file) for file in files]
    arcs = {file: arc_outcomes(folder, file) for file in names if is_conllu(file)}
    treebanks = {file: parse_treebank(folder, file) for file in names if not is_conllu(file)}
    if treebanks:
        calibration, temperatures = fit_probabilities(folder, list(treebanks.values()))
        fitted = replace(fitted, calibration=calibration, temperatures=temperatures)
    if arcs:
        fitted = replace(fitted, arc_calibration=fit_arc_calibration(list(arcs.values())))
    write_manifest(fitted)
    return [
        CalibrationErrors(file=file, of="arcs", **_errors(arcs[file], folder.arc_calibration, fitted.arc_calibration))
        if file in arcs
        else CalibrationErrors(
            file=file,
            of="constituents",
            **_errors(treebanks[file].outcomes, folder.calibration, fitted.calibration),
        )
        for file in names
    ]


def fit_probabilities(folder: ModelFolder, treebanks: Sequence[ParsedTreebank]) -> tuple[Calibration, Temperatures]:
    """Return the calibration of constituents, and the temperatures of whole trees, that fit the gold trees best."""
    calibration = fit_calibration([treebank.outcomes for treebank in treebanks])
    return calibration, fit_temperatures([score_gold_trees(folder, _some(treebank.gold)) for treebank in treebanks])


def _some(trees: Sequence[Tree]) -> list[Tree]:
    """Return at most as many trees of a treebank as two temperatures need, from all over it; long ones take long."""
    short = [tree for tree in trees if len(tree.words) <= _LONGEST_TREE]
    return short[:: max(1, -(-len(short) // _MOST_TREES))]


def _errors(
    outcomes: Outcomes, before: Calibration | ArcCalibration, after: Calibration | ArcCalibration
) -> dict[str, float]:
    return {
        name: expected_calibration_error(calibration(outcomes.evidence), outcomes.correct)
        for name, calibration in (("before", before), ("after", after))
    }
