from __future__ import annotations

import itertools
from collections.abc import Callable

import numpy as np
import pytest

from runtime.conftest import TREES, export_target, model  # noqa: F401 (fixtures)
from spanlin.decoding import Temperatures
from spanlin.errors import EvaluationError
from spanlin.parser import Parser
from spanlin.runtime.options import ParseOptions
from spanlin.training.checkpoint import Model
from spanlin.training.tree_scores import GoldTree, fit_temperatures, score_gold_trees
from spanlin.trees.brackets import parse_tree
from spanlin.trees.labelled import labelled_splits
from spanlin.trees.transforms import strip_root

SHORT = [tree for tree in TREES if len(tree.words) <= 12]


@pytest.fixture(scope="module")
def parser(export_target: Callable[[str], tuple[Model, Parser]]) -> Parser:  # noqa: F811
    return export_target("both")[1]


@pytest.fixture(scope="module")
def gold(parser: Parser) -> list[GoldTree]:
    return score_gold_trees(parser.folder, SHORT)


def likelihood(gold: list[GoldTree], splits: float, labels: float) -> float:
    """By inverse temperatures."""
    temperatures = Temperatures(splits=1 / splits, labels=1 / labels)
    return float(np.mean([tree.log_prob(temperatures) for tree in gold]))


def test_a_gold_tree_is_as_probable_as_the_same_tree_among_all(parser: Parser) -> None:
    tree = min(SHORT, key=lambda tree: len(tree.words))
    assert len(tree.words) <= 4
    [scored] = score_gold_trees(parser.folder, [tree])
    splits = labelled_splits(strip_root(tree))
    names = (*splits.split_labels, *splits.word_labels)
    labels = tuple(parser.folder.labels.index(name) for name in names)
    temperatures = Temperatures(splits=2.0, labels=3.0)
    [parsed] = parser.parse_tokens([tree.words], ParseOptions(decoder="labelled"))
    # The best tree of the same search is the parser's own at temperature 1.
    lefts, rights, _, log_probs = scored.problem(Temperatures()).best_trees()
    assert parsed.splits == tuple(zip(lefts[0].tolist(), rights[0].tolist(), strict=True))
    assert parsed.probability == pytest.approx(np.exp(log_probs[0]), abs=1e-6)
    by_rank = scored.problem(temperatures, ranks=len(parser.folder.labels)).ranked_trees(0)
    [same] = [
        found.log_prob
        for found in itertools.islice(by_rank, 300_000)
        if found.spans == splits.spans and found.labels == labels
    ]
    assert scored.log_prob(temperatures) == pytest.approx(same, abs=1e-4)


def test_no_temperatures_nearby_make_the_gold_trees_likelier(gold: list[GoldTree]) -> None:
    fitted = fit_temperatures([gold])
    splits, labels = 1 / fitted.splits, 1 / fitted.labels
    best = likelihood(gold, splits, labels)
    assert best > likelihood(gold, 1.0, 1.0)
    for one, two in itertools.product((0.9, 1.0, 1.1), repeat=2):
        # Not below the least that is ever fitted: what is random is best not believed at all.
        assert best >= likelihood(gold, max(0.02, splits * one), max(0.02, labels * two)) - 1e-4


def test_treebanks_weigh_the_same_whatever_their_size(gold: list[GoldTree]) -> None:
    one, two = gold[:2], gold[2:]
    fitted = fit_temperatures([one, two * 3])
    again = fit_temperatures([one * 4, two, []])
    assert fitted.splits == pytest.approx(again.splits, rel=1e-3)
    assert fitted.labels == pytest.approx(again.labels, rel=1e-3)


def test_trees_with_labels_that_the_model_does_not_know_are_left_out(parser: Parser) -> None:
    strange = parse_tree("(TOP (QQ (DT the) (NN dog)))")
    assert score_gold_trees(parser.folder, [strange]) == []
    with pytest.raises(EvaluationError, match="no gold trees to fit temperatures on"):
        fit_temperatures([[]])
