from __future__ import annotations

import numpy as np

from generated_treebank import generate_trees
from small_runs import untrained_model
from spanlin.runtime.joined_rows import JoinedFeatures
from spanlin.runtime.lexical_features import LexicalFeatures
from spanlin.runtime.sentences import Sentences
from spanlin.runtime.words import WordTable

SENTENCES = [tree.words for tree in generate_trees(6, seed=3)]


def test_both_networks_get_the_rows_that_each_would_get_alone() -> None:
    one, two = (
        LexicalFeatures(lexicon=untrained_model(generate_trees(count, seed=3)).featurizer.lexicon) for count in (6, 2)
    )
    joined = JoinedFeatures(first=one, second=two, prefix="tagger_")
    made = [Sentences(SENTENCES, WordTable(features)) for features in (joined, one, two)]
    both, first, second = (sentences.rows(np.arange(6), multiple=4)[0] for sentences in made)
    assert both.width == first.width
    prefixed = {f"tagger_{name}": array for name, array in second.arrays.items()}
    assert list(both.arrays) == [*first.arrays, *prefixed]
    # Tables number the words in any order; spellings come with their own numbers.
    for name, array in (first.arrays | prefixed).items():
        if "spelling" not in name:
            assert both.arrays[name].tolist() == array.tolist()
    for prefix, rows in (("", first), ("tagger_", second)):
        spelled = [
            found["spellings"][found["spelling_of"]].tolist()
            for found in ({key.removeprefix(prefix): value for key, value in both.arrays.items()}, rows.arrays)
        ]
        assert spelled[0] == spelled[1]
    assert made[0].sizes.tolist() == made[1].sizes.tolist()
