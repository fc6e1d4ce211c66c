"""Gold trees beside a model folder's scores, and the temperatures fitted on them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from spanlin.decoding import LabelledProblem, LabelSet, RankedLabels, SpanRules, Temperatures
from spanlin.decoding.scores import BoundaryScores, check_sentence_scores
from spanlin.decoding.tree_roles import Role, all_spans, span_roles
from spanlin.errors import EvaluationError
from spanlin.evaluation.calibration import fit_inverse_temperatures
from spanlin.model_folder.folder import ModelFolder
from spanlin.runtime.backend import LABEL_HALVES, SCORES, Backend
from spanlin.runtime.batch_runner import BatchRunner
from spanlin.runtime.folder_features import features_of
from spanlin.runtime.label_ranking import label_log_probs, spans_in_role
from spanlin.runtime.onnx import OnnxBackend, available_cores
from spanlin.runtime.sentences import RunBatch
from spanlin.trees.labelled import LabelledSplits, labelled_splits
from spanlin.trees.transforms import strip_root
from spanlin.trees.tree import Tree


@dataclass(frozen=True, kw_only=True)
class GoldTree:
    """A gold tree beside the network's scores for its sentence.

    `boundaries` is a batch of one; `labels` has [spans, labels] log-probabilities for each role, float32 to save room.
    `split_score` and `label_score` are the sums of the log-probabilities of its boundaries and of its labels.
    """

    known: LabelSet
    boundaries: BoundaryScores
    labels: tuple[NDArray[np.float32], ...]
    split_score: float
    label_score: float

    def problem(self, temperatures: Temperatures, *, ranks: int = 1) -> LabelledProblem:
        """Return the search among all labelled trees of the sentence, with the `ranks` best labels of each span."""
        words = self.boundaries.max_words
        rules = SpanRules(self.known, words)
        ranked = RankedLabels(self.known, 1, words, ranks=ranks)
        for role, log_probs in zip(Role, self.labels, strict=True):
            at = spans_in_role(words, role)
            ranked.put(role, (np.zeros_like(at[0]), *at), log_probs / temperatures.labels, rules.allowed(*at, role))
        return LabelledProblem(self.boundaries, ranked, temperatures)

    def log_prob(self, temperatures: Temperatures) -> float:
        """Return the log-probability of the gold tree."""
        score = self.split_score / temperatures.splits + self.label_score / temperatures.labels
        return score - float(self.problem(temperatures).log_partitions[0])


def score_gold_trees(folder: ModelFolder, trees: Iterable[Tree], *, threads: int = 0) -> list[GoldTree]:
    """Return the gold trees whose labels the model knows, with its scores; they take O(n^2) memory for n words."""
    numbers = {label: number for number, label in enumerate(folder.labels)}
    splits = [labelled_splits(strip_root(tree)) for tree in trees]
    splits = [one for one in splits if numbers.keys() >= {*one.split_labels, *one.word_labels}]
    known = LabelSet(folder.labels)
    backend = OnnxBackend(folder, threads=1)

    def make(batch: RunBatch[LabelledSplits]) -> list[GoldTree]:
        return [_gold_tree(batch, row, own, known, numbers, backend) for row, own in enumerate(batch.items)]

    runner = BatchRunner(features_of(folder), backend, workers=threads or available_cores())
    outputs = [name for name in (*SCORES, *LABEL_HALVES) if name in backend.outputs]
    return [made for _, made in runner.run(splits, lambda own: own.words, outputs, make) if made is not None]


def _gold_tree(  # noqa: PLR0917 (what a gold tree is made of)
    batch: RunBatch[LabelledSplits],
    row: int,
    splits: LabelledSplits,
    known: LabelSet,
    numbers: Mapping[str, int],
    backend: Backend,
) -> GoldTree:
    count = len(splits.words)
    sides = (batch.found[name][row, :count, :count] if name in batch.found else None for name in SCORES)
    boundaries = check_sentence_scores(*sides)
    left_half, right_half = (batch.found[name][row] for name in LABEL_HALVES)
    labels = tuple(
        label_log_probs(backend, (left_half, right_half), *spans_in_role(count, role), role) for role in Role
    )
    lefts, rights = np.array(splits.spans, dtype=np.int64).reshape(1, count - 1, 2).transpose(2, 0, 1)
    left_edges, right_edges = (edges[0] for edges in all_spans(lefts, rights))
    roles = span_roles(boundaries.word_counts, lefts, rights)[0]
    own = np.array([numbers[label] for label in (*splits.split_labels, *splits.word_labels)])
    label_score = 0.0
    for role in Role:
        places = np.zeros((count + 1, count + 1), dtype=np.int64)
        places[spans_in_role(count, role)] = np.arange(len(labels[role]))
        mine = roles == role
        label_score += float(labels[role][places[left_edges[mine], right_edges[mine]], own[mine]].sum())
    return GoldTree(
        known=known,
        boundaries=boundaries,
        labels=labels,
        split_score=float(boundaries.tree_scores(lefts, rights)[0]),
        label_score=label_score,
    )


def fit_temperatures(treebanks: Sequence[Sequence[GoldTree]]) -> Temperatures:
    """Return the temperatures under which the gold trees are likeliest; each treebank weighs as much as another.

    The log-probability of a gold tree is concave in the inverse temperatures: a log-linear model with two features.
    """
    treebanks = [trees for trees in treebanks if trees]
    if not treebanks:
        raise EvaluationError("no gold trees to fit temperatures on: give trees with labels that the model knows")

    def likelihood(inverse: NDArray[np.float64]) -> float:
        temperatures = _temperatures(inverse)
        return float(np.mean([np.mean([tree.log_prob(temperatures) for tree in trees]) for trees in treebanks]))

    return _temperatures(fit_inverse_temperatures(likelihood))


def _temperatures(inverse: NDArray[np.float64]) -> Temperatures:
    return Temperatures(splits=float(1.0 / inverse[0]), labels=float(1.0 / inverse[1]))
