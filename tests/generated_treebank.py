"""The small random grammar that tests train on: that of the example treebank, by way of the experiments."""

from __future__ import annotations

from experiments.generated_treebank import generate_treebank

from spanlin.trees.treebanks.example import generate_trees

__all__ = ["generate_treebank", "generate_trees"]
