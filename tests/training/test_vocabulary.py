from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from generated_treebank import generate_trees
from small_runs import splits_of
from spanlin.errors import CheckpointError
from spanlin.runtime.lexicon import UNKNOWN
from spanlin.training.vocabulary import Vocabularies, build_vocabularies
from spanlin.trees.labelled import labelled_splits
from spanlin.trees.transforms import EMPTY_LABEL
from spanlin.trees.tree import Leaf, Tree
from strategies import words

SPLITS = splits_of(generate_trees(40, seed=41))


def test_vocabularies_come_back_from_their_file(tmp_path: Path) -> None:
    built = build_vocabularies(SPLITS, min_word_count=1)
    built.save(tmp_path / "vocabularies.json")
    assert Vocabularies.load(tmp_path / "vocabularies.json").to_table() == built.to_table()


@given(st.lists(words, min_size=1, max_size=5))
def test_any_word_survives_the_file(tmp_path_factory: pytest.TempPathFactory, drawn: list[str]) -> None:
    sentence = labelled_splits(Tree("S", tuple(Leaf("X", word) for word in drawn)))
    built = build_vocabularies([sentence], min_word_count=1)
    path = tmp_path_factory.mktemp("vocabularies") / "vocabularies.json"
    built.save(path)
    assert set(Vocabularies.load(path).words.items) == set(drawn)


def test_a_word_that_utf_8_cannot_hold_survives_the_file(tmp_path: Path) -> None:
    sentence = labelled_splits(Tree("S", (Leaf("X", "\ud800"),)))
    build_vocabularies([sentence], min_word_count=1).save(tmp_path / "vocabularies.json")
    assert Vocabularies.load(tmp_path / "vocabularies.json").words.items == ("\ud800",)


def test_ids_do_not_depend_on_the_order_of_sentences() -> None:
    tables = [build_vocabularies(order, min_word_count=1).to_table() for order in (SPLITS, SPLITS[::-1])]
    assert tables[0] == tables[1]


def test_every_label_and_tag_has_an_id_and_the_empty_label_is_0() -> None:
    built = build_vocabularies(SPLITS, min_word_count=1)
    assert built.labels.id(EMPTY_LABEL) == 0
    for sentence in SPLITS:
        for label in (*sentence.split_labels, *sentence.word_labels):
            assert built.labels.items[built.labels.id(label)] == label
        for tag in sentence.tags:
            assert built.tags.items[built.tags.id(tag)] == tag
    assert built.labels.id("NO-SUCH-LABEL") == -1
    assert built.words.id("no-such-word") == UNKNOWN
    assert built.sizes.words == len(built.words) == len(built.words.items) + 4


def test_rare_words_get_no_id_of_their_own() -> None:
    counts = dict(zip(*words_and_counts(1), strict=True))
    kept, _ = words_and_counts(3)
    assert set(kept) == {word for word, count in counts.items() if count >= 3}
    assert len(kept) < len(counts)
    # Their characters are still known, so that their spelling can be read.
    chars = build_vocabularies(SPLITS, min_word_count=10_000).chars
    assert all(chars.id(char) != UNKNOWN for word in counts for char in word)


def words_and_counts(least: int) -> tuple[tuple[str, ...], tuple[int, ...]]:
    built = build_vocabularies(SPLITS, min_word_count=least)
    return built.words.items, built.word_counts


def test_trees_without_any_label_still_have_the_empty_one() -> None:
    bare = [sentence._replace(split_labels=(EMPTY_LABEL,) * len(sentence.split_labels)) for sentence in SPLITS[:1]]
    assert build_vocabularies(bare, min_word_count=1).labels.items[0] == EMPTY_LABEL


@pytest.mark.parametrize("text", ["", "{}", "[]", '{"words": 3}', '{"words": ["a"'])
def test_a_damaged_file_is_an_error(text: str, tmp_path: Path) -> None:
    path = tmp_path / "vocabularies.json"
    path.write_text(text)
    with pytest.raises(CheckpointError, match=r"vocabularies\.json: not the vocabularies of a checkpoint"):
        Vocabularies.load(path)


def test_a_missing_file_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(CheckpointError, match=r"vocabularies\.json: cannot be read: No such file"):
        Vocabularies.load(tmp_path / "vocabularies.json")
