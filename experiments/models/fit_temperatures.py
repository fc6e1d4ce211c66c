"""Fit the temperatures of a model folder on gold trees, measure them, and put them into its manifest.

python experiments/models/fit_temperatures.py FOLDER NAME=FILE... [--measure NAME=FILE]... [--result JSON]

Trees of up to 60 words are taken, at most 150 per file, from all over it. Files after --measure are only measured.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence
from dataclasses import asdict, replace
from datetime import UTC, datetime
from pathlib import Path

import numpy as np

from spanlin.decoding import Temperatures
from spanlin.evaluation.calibration import expected_calibration_error
from spanlin.model_folder.folder import ModelFolder, open_folder, write_manifest
from spanlin.training.tree_scores import GoldTree, fit_temperatures, score_gold_trees
from spanlin.trees.brackets import read_trees

MOST_TREES, LONGEST_TREE = 150, 60


def main() -> None:
    """Fit, measure, write."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("files", nargs="+", metavar="NAME=FILE")
    parser.add_argument("--measure", action="append", default=[], metavar="NAME=FILE")
    parser.add_argument("--result", type=Path)
    arguments = parser.parse_args()
    folder = open_folder(arguments.folder)
    fitted_on = {name: gold_trees(folder, file) for name, file in map(named, arguments.files)}
    measured = fitted_on | {name: gold_trees(folder, file) for name, file in map(named, arguments.measure)}
    temperatures = fit_temperatures(list(fitted_on.values()))
    result = {
        "date": datetime.now(UTC).date().isoformat(),
        "model": arguments.folder.resolve().name,
        "fitted_on": list(fitted_on),
        "temperatures": asdict(temperatures),
        "before": {name: figures(trees, Temperatures()) for name, trees in measured.items()},
        "after": {name: figures(trees, temperatures) for name, trees in measured.items()},
    }
    write_manifest(replace(folder, temperatures=temperatures))
    text = json.dumps(result, indent=1)
    print(text)
    if arguments.result:
        arguments.result.write_text(f"{text}\n", encoding="utf-8")


def named(argument: str) -> tuple[str, str]:
    """Return the name and the file of NAME=FILE."""
    name, _, file = argument.partition("=")
    return name, file


def gold_trees(folder: ModelFolder, file: str) -> list[GoldTree]:
    """Return some trees of a file with the model's scores."""
    short = [tree for tree in read_trees(file) if len(tree.words) <= LONGEST_TREE]
    return score_gold_trees(folder, short[:: max(1, -(-len(short) // MOST_TREES))])


def figures(trees: Sequence[GoldTree], temperatures: Temperatures) -> dict[str, float]:
    """Return how probable the gold trees are, and how far the best trees' probabilities are from being right."""
    gold = np.array([tree.log_prob(temperatures) for tree in trees])
    best = np.array([tree.problem(temperatures).best_trees()[3][0] for tree in trees])
    probabilities, exact = np.exp(np.minimum(best, 0.0)), np.abs(best - gold) < 1e-6
    return {
        "trees": len(trees),
        "mean_gold_log_prob": round(float(gold.mean()), 3),
        "mean_probability": round(float(probabilities.mean()), 4),
        "exact": round(float(exact.mean()), 4),
        "calibration_error": round(expected_calibration_error(probabilities, exact, bins=10), 4),
    }


if __name__ == "__main__":
    main()
