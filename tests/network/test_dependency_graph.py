from __future__ import annotations

import numpy as np
import torch

from generated_treebank import generate_trees
from small_runs import random_dependencies, splits_of, untrained_model
from spanlin.network.dependency_graph import RelationGraph, dependency_outputs
from spanlin.training.batches import BatchMaker

TREES = generate_trees(8, seed=5)
SPLITS = splits_of(TREES)


def test_outputs_are_the_best_heads_with_their_relations_and_what_others_are_made_from() -> None:
    torch.manual_seed(1)
    model = untrained_model(TREES, random_dependencies(SPLITS, seed=2))
    batch = BatchMaker(model.featurizer(SPLITS))(np.arange(len(TREES)))
    with torch.inference_mode():
        scorer, scores = model.network.eval().dependencies, model.network.score(batch).dependencies
        assert scorer is not None
        assert scores is not None
        found = dependency_outputs(scorer, scores)
        relate = RelationGraph(scorer)
        for row, sentence in enumerate(SPLITS):
            for word in range(len(sentence.words)):
                head = int(found["heads"][row, word])
                assert head == int(scores.heads[row, word].argmax())
                arc = found["relation_heads"][row, head : head + 1], found["relation_dependents"][row, word : word + 1]
                log_probs = relate(*arc, torch.tensor([head == 0]))[0]
                assert int(found["relations"][row, word]) == int(log_probs.argmax())
                torch.testing.assert_close(log_probs.exp().sum(), torch.tensor(1.0))
        assert found["universal_tags"].equal(scores.universal_tags.argmax(dim=-1))


def test_the_root_alone_has_the_relation_root() -> None:
    torch.manual_seed(1)
    known = random_dependencies(SPLITS, seed=2)
    model = untrained_model(TREES, known)
    root = model.vocabularies.relations.id("root")
    batch = BatchMaker(model.featurizer(SPLITS))(np.arange(len(TREES)))
    with torch.inference_mode():
        scorer, scores = model.network.eval().dependencies, model.network.score(batch).dependencies
        assert scorer is not None
        assert scores is not None
        free = others = 0
        for seed in range(4):
            heads = torch.randint(0, 3, scores.heads.shape[:2], generator=torch.Generator().manual_seed(seed))
            raw = scorer.relation_scores(scores, heads).argmax(dim=-1)
            found = scorer.best_relations(scores, heads)
            assert (found == root).equal(heads == 0)
            others += int((found != raw).sum())
            free += int(((found == raw) & (heads != 0)).sum())
            halves = scores.relation_heads[:, 0], scores.relation_dependents[:, 0]
            roots = torch.arange(len(TREES)) % 2 == 0
            assert (RelationGraph(scorer)(*halves, roots).argmax(dim=-1) == root).equal(roots)
        assert others
        assert free


def test_a_network_that_does_not_know_the_relation_root_names_all_arcs_as_it_likes() -> None:
    known = [one._replace(relations=("dep",) * len(one.relations)) for one in random_dependencies(SPLITS, seed=2)]
    model = untrained_model(TREES, known)
    scorer = model.network.dependencies
    assert scorer is not None
    scores = torch.randn(2, 3, 1)
    assert scorer.with_root_alone(scores, torch.ones(2, 3, dtype=torch.bool)).equal(scores)
