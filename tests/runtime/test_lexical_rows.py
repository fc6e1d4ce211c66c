from __future__ import annotations

import numpy as np

from spanlin.runtime.lexical_rows import FlatLexical
from spanlin.runtime.lexicon import START, STOP, Lexicon, with_spelled_edges

SPELLINGS, LENGTHS = with_spelled_edges(*Lexicon([], "abc").spell(["a", "b", "ccc"]))
FLAT = FlatLexical(
    words=np.array([4, 5, 4, 6]),
    vectors=np.array([1, 0, 1, 0]),
    spelling_ids=np.array([0, 1, 0, 2]),
    spellings=SPELLINGS,
    spelling_lengths=LENGTHS,
    word_starts=np.array([0, 1]),
    word_counts=np.array([1, 3]),
)


def test_a_batch_has_a_row_for_each_sentence_and_a_spelling_for_each_distinct_word() -> None:
    rows = FLAT.rows(np.array([1, 0]), width=4, multiple=1)
    assert rows.words.tolist() == [[START, 5, 4, 6, STOP, 0], [START, 4, STOP, 0, 0, 0]]
    assert rows.vectors.tolist() == [[0, 0, 1, 0, 0, 0], [0, 1, 0, 0, 0, 0]]
    assert rows.width == 4
    assert rows.spellings.shape == (5, 5)  # three words and two edges; the longest has three letters
    assert rows.spelling_lengths.tolist() == [3, 3, 5, 3, 3]
    assert FLAT.sizes.tolist() == [3, 5]
    alone = FLAT.rows(np.array([0]), width=2, multiple=1)
    assert alone.spellings.tolist() == [[START, 4, STOP], [START, START, STOP], [START, STOP, STOP]]
    assert alone.spelling_of.tolist() == [[1, 0, 2, 1]]


def test_shapes_are_multiples_where_they_are_wanted() -> None:
    rows = FLAT.rows(np.array([0, 1]), width=6, multiple=8)
    assert rows.spellings.shape == (512, 8)
    assert int(rows.spelling_of.max()) < 5
    assert (rows.spelling_lengths > 0).all()
