"""The best tree and the best heads of a sentence together, in which every constituent has one head.

A constituent has one head if each of its words but one is governed by another word of it. That does not make the heads
projective: any dependency tree goes with one flat constituent; and even where all constituents have two children, as
in ((1 2) (3 4)), word 1 may govern word 3 while word 2, its own head, is the root. Joint decoding asks for a little
more: no arcs between the children of a constituent cross, if each child is taken as one word. All projective dependency
trees in which every constituent has one head are of that kind, and some others.

The score of a pair is that of the tree (see `labelled`), not normalised, plus that of the arcs. If the best tree and
the best heads go together, they are the best pair; that is looked at first. Otherwise bounds rule out constituents and
arcs that cannot be in the best pair, and a chart finds it among the rest. It is always the best one. O(n^6) time and
O(n^4) memory at worst, with small constants; O(n^5) and O(n^3) where bounds leave O(n) short constituents (see
`joint_chart`).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from spanlin.decoding.arcs import ArcConstraints, ArcScores, check_arc_scores
from spanlin.decoding.chart import Chart
from spanlin.decoding.constituents import LabelSet, SpanRules
from spanlin.decoding.head_spans import children_of, go_together, one_headed_spans
from spanlin.decoding.heads import decode_checked
from spanlin.decoding.joint_chart import JointChart, JointTree
from spanlin.decoding.joint_scores import JointScores
from spanlin.decoding.labelled import Temperatures
from spanlin.decoding.problem import best_trees_in
from spanlin.decoding.scores import check_sentence_scores
from spanlin.decoding.tree_roles import Role
from spanlin.errors import DecodingError
from spanlin.trees.tree import Span


@dataclass(frozen=True)
class JointParse:
    """A tree and heads. `spans` and `labels` are as in `LabelledTree`, heads count from 1 with 0 for the root's.

    `agreed` if the best tree and the best heads, each by itself, are this pair. `tree_loss` is by how much the tree
    scores less than the best tree by itself.
    """

    spans: tuple[Span, ...]
    labels: tuple[int, ...]
    heads: tuple[int, ...]
    score: float
    agreed: bool
    tree_loss: float


def decode_joint(
    left_boundary_log_probs: npt.ArrayLike | None,
    right_boundary_log_probs: npt.ArrayLike | None,
    label_log_probs: npt.ArrayLike,
    labels: LabelSet,
    arc_log_probs: npt.ArrayLike,
    *,
    rules: SpanRules | None = None,
    temperatures: Temperatures | None = None,
    arc_constraints: ArcConstraints | None = None,
) -> JointParse:
    """Return the best pair for one sentence of n words.

    Boundaries and labels are as in `LabelledProblem.of_sentence`, `arc_log_probs` [n, n + 1] as in `decode_heads`. To
    weigh trees against heads, scale the arcs.
    """
    boundaries = check_sentence_scores(left_boundary_log_probs, right_boundary_log_probs)
    words = boundaries.max_words
    temperatures = temperatures or Temperatures()
    shape = (words + 1, words + 1, len(labels))
    table = np.asarray(label_log_probs, dtype=np.float64)
    if table.shape not in (shape, (len(Role), *shape)):
        raise DecodingError(f"label_log_probs: must be {shape}, or one for each role, not of shape {table.shape}")
    arcs = np.asarray(arc_log_probs, dtype=np.float64)
    if arcs.shape != (words, words + 1):
        raise DecodingError(f"arc_log_probs: must be {(words, words + 1)}, not of shape {arcs.shape}")
    arc_scores = check_arc_scores([words], arcs[np.newaxis], [arc_constraints], is_batch=False)
    left, right = (
        None if side is None else side[0] / temperatures.splits for side in (boundaries.left, boundaries.right)
    )
    scores = JointScores.of(
        (left, right),
        np.broadcast_to(table, (len(Role), *shape)) / temperatures.labels,
        rules or SpanRules(labels, words),
        arc_scores.log_probs[0],
    )
    chart = scores.tree_chart()
    tree, agreed = _best_pair(scores, arc_scores, chart)
    if tree is None:
        raise DecodingError("no tree and heads in which every constituent has one head are possible together")
    spans, numbers = _binarized(tree.constituents, scores)
    tree_score = tree.score - float(scores.arcs[np.arange(words), tree.heads].sum())
    tree_loss = 0.0 if agreed else max(0.0, scores.best_tree_score(chart) - tree_score)
    return JointParse(spans, numbers, tuple(tree.heads.tolist()), tree.score, agreed, tree_loss)


def _best_pair(scores: JointScores, arc_scores: ArcScores, chart: Chart) -> tuple[JointTree | None, bool]:
    heads = decode_checked(arc_scores, "spanning")
    best_tree, best_heads = scores.best_tree_score(chart), float(heads.log_probs[0])
    if best_tree == -np.inf:
        return None, False
    constituents = _best_constituents(scores, chart)
    if go_together(constituents, heads.heads[0].tolist()):
        return JointTree(heads.heads[0], best_tree + best_heads, constituents), True
    lower_bound = max(_with_constituents(scores, constituents), _with_projective_heads(scores, arc_scores))
    if lower_bound > -np.inf:
        scores = scores.pruned(chart, best_heads, lower_bound)
    return JointChart(scores).best(), False


def _with_constituents(scores: JointScores, constituents: set[Span]) -> float:
    """Return the score of the best pair whose constituents are among these."""
    allowed = np.zeros_like(scores.left, dtype=np.bool_)
    for span in constituents:
        allowed[span.left, span.right] = True
    return JointChart(scores.allowing(allowed)).best_score()


def _with_projective_heads(scores: JointScores, arc_scores: ArcScores) -> float:
    """Return the score of the best pair with the best projective heads; -inf if there are none."""
    try:
        heads = decode_checked(arc_scores, "projective")
    except DecodingError:
        return -np.inf
    fitting = scores.allowing(one_headed_spans(heads.heads[0]))
    return fitting.best_tree_score(fitting.tree_chart()) + float(heads.log_probs[0])


def _best_constituents(scores: JointScores, chart: Chart) -> set[Span]:
    """Return the constituents of several words in the best tree, whatever the heads."""
    count = scores.word_count
    lefts, rights = best_trees_in(chart, np.array([count]))
    ends = dict.fromkeys(map(Span, lefts[0].tolist(), rights[0].tolist()))
    found = {Span(0, count)} if count > 1 else set()
    for split, span in enumerate(ends, start=1):
        for child, is_left in ((Span(span.left, split), True), (Span(split, span.right), False)):
            if child.right - child.left > 1 and (is_left or scores.right[child] >= scores.empty[child]):
                found.add(child)
    return found


def _binarized(constituents: set[Span], scores: JointScores) -> tuple[tuple[Span, ...], tuple[int, ...]]:
    """Return the spans of the binary tree by split point, and the labels of these and of the words."""
    count = scores.word_count
    by_split: dict[int, tuple[Span, int]] = {}
    words = [int(scores.best_labels[Role.ROOT, 0, 1])] * count
    roles = {Span(0, count): Role.ROOT}
    for span, children in children_of(constituents, count).items():  # parents before their children
        label = int(scores.best_labels[roles[span], span.left, span.right])
        for child in children[:-1]:
            by_split[child.right] = Span(child.left, span.right), label
            label = 0  # of the helpers over the children that are left
        for child in children:
            roles[child] = Role.RIGHT if child is children[-1] else Role.LEFT
            if child.right - child.left == 1:
                words[child.left] = int(scores.best_labels[roles[child], child.left, child.right])
    splits = [by_split[split] for split in range(1, count)]
    return tuple(span for span, _ in splits), (*(label for _, label in splits), *words)
