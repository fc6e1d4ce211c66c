"""What a model in training scores on the dev files of its treebanks."""

from __future__ import annotations

import torch

from spanlin.training.checkpoint import Model
from spanlin.training.data import TrainingData
from spanlin.training.dependencies import KnownDependencies
from spanlin.training.dependency_parsing import parse_with_dependencies, predict_dependencies, score_attachments
from spanlin.training.parsing import parse_examples, score_parses
from spanlin.trees.labelled import LabelledSplits


class DevScores:
    """The dev sentences, read once for all evaluations."""

    def __init__(self, data: TrainingData, model: Model, *, device: torch.device) -> None:
        self.model = model
        self.device = device
        self.parts = [
            (
                treebank.name,
                treebank.dev,
                model.featurizer(treebank.dev.sentences, has_tree=False, treebank=treebank.name),
            )
            for treebank in data.treebanks
            if len(treebank.dev)
        ]

    def __call__(self) -> dict[str, float]:
        """Return the F1 of each treebank that has dev trees, and the LAS of each that has dev dependencies."""
        precision = self.model.config.precision
        scores: dict[str, float] = {}
        for name, dev, examples in self.parts:
            parses: list[LabelledSplits] = []
            found: list[KnownDependencies] = []
            has_arcs = bool(dev.dependencies) and self.model.network.dependencies is not None
            if dev.trees and has_arcs:
                parses, found = parse_with_dependencies(
                    self.model, examples, dev.sentences, device=self.device, precision=precision
                )
            elif dev.trees:
                parses = parse_examples(self.model, examples, dev.sentences, device=self.device, precision=precision)
            elif has_arcs:
                found = predict_dependencies(self.model, examples, device=self.device, precision=precision)
            if dev.trees:
                scores[name] = score_parses(dev.trees, parses).f1 or 0.0
            if has_arcs:
                scores[f"{name} LAS"] = score_attachments(dev.dependencies, found).las
        self.model.network.train()
        return scores
