"""The small random grammar that tests train on; it lives with the experiments, whose `--data tiny` it makes too."""

from __future__ import annotations

from experiments.generated_treebank import generate_treebank, generate_trees

__all__ = ["generate_treebank", "generate_trees"]
