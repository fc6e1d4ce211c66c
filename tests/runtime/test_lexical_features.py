from __future__ import annotations

from typing import Any

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from generated_treebank import generate_trees
from small_runs import untrained_model
from spanlin.runtime.lexical_features import LexicalFeatures
from spanlin.runtime.lexical_rows import LexicalRows
from spanlin.runtime.sentences import Sentences
from spanlin.runtime.words import WordTable
from spanlin.training.batches import BatchMaker
from spanlin.training.examples import without_tags

TREES = generate_trees(20, seed=5)
MODEL = untrained_model(TREES)
WORDS = st.sampled_from([*sorted({word for tree in TREES for word in tree.words}), "", "Dog", "zz\u00e9", "x" * 99])


def features() -> LexicalFeatures:
    return LexicalFeatures(lexicon=MODEL.featurizer.lexicon)


@given(st.lists(st.lists(WORDS, min_size=1, max_size=9), min_size=1, max_size=8), st.sampled_from([1, 4, 8]))
def test_rows_are_what_training_reads(sentences: list[list[str]], multiple: int) -> None:
    table = WordTable(features())
    Sentences(sentences[::2], table)  # the table has grown before
    made = Sentences(sentences, table)
    members = np.arange(len(sentences))
    rows, counts = made.rows(members, multiple=multiple)
    assert isinstance(rows, LexicalRows)
    examples = MODEL.featurizer([without_tags(words) for words in sentences], has_tree=False)
    wanted: Any = BatchMaker(examples)(members).lexical
    assert (rows.width + 2) % multiple == 0
    for row, count in enumerate(counts.tolist()):
        own = slice(0, count + 2)
        assert rows.words[row, own].tolist() == wanted.words[row, own].tolist()
        assert rows.vectors[row, own].tolist() == wanted.vectors[row, own].tolist()
        for place in range(count + 2):
            ours, theirs = rows.spelling_of[row, place], int(wanted.spelling_of[row, place])
            length = rows.spelling_lengths[ours]
            assert length == wanted.spelling_lengths[theirs]
            assert rows.spellings[ours, :length].tolist() == wanted.spellings[theirs, :length].tolist()
    assert not rows.words[np.arange(rows.words.shape[1]) >= (counts + 2)[:, np.newaxis]].any()
    assert list(rows.arrays) == ["words", "vectors", "spellings", "spelling_lengths", "spelling_of"]


def test_more_words_leave_the_features_before_them_as_they_are() -> None:
    empty = features()
    one = empty.extended(["the"])
    two = one.extended(["cat", "sat"])
    assert [len(found.word_ids) for found in (empty, one, two)] == [0, 1, 3]
    assert two.spellings[0].tolist() == one.spellings[0].tolist()
