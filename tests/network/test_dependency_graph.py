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
                log_probs = relate(*arc)[0]
                assert int(found["relations"][row, word]) == int(log_probs.argmax())
                torch.testing.assert_close(log_probs.exp().sum(), torch.tensor(1.0))
        assert found["universal_tags"].equal(scores.universal_tags.argmax(dim=-1))
