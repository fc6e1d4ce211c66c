from __future__ import annotations

import pytest

from spanlin.runtime.lexicon import MAX_SPELLING, SPELLING_WIDTH, START, STOP, UNKNOWN, Lexicon, with_spelled_edges


def test_ids_count_from_where_the_special_ones_end() -> None:
    lexicon = Lexicon(["the", "cat"], ["a", "c"])
    assert [lexicon.word_id(word) for word in ("the", "cat", "The", "")] == [4, 5, UNKNOWN, UNKNOWN]
    assert lexicon.vector_id("the") == 0


def test_a_vector_is_looked_up_by_the_word_as_it_stands_then_in_lower_case() -> None:
    lexicon = Lexicon([], [], ["the", "cat", "Paris"])
    assert lexicon.vector_id("The") == lexicon.vector_id("the") == 1
    assert lexicon.vector_id("Paris") == 3
    assert lexicon.vector_id("paris") == lexicon.vector_id("zebra") == 0


@pytest.mark.parametrize("word", ["", "ab", "xax", "a" * MAX_SPELLING, "a" * 20 + "b" * 20])
def test_a_word_is_spelled_between_a_start_and_a_stop(word: str) -> None:
    ids = {"a": 4, "b": 5}
    read = word if len(word) <= MAX_SPELLING else word[:15] + word[-15:]
    expected = [START, *(ids.get(char, UNKNOWN) for char in read), STOP]
    table, lengths = Lexicon([], ["a", "b"]).spell([word, "b"])
    assert table.shape == (2, SPELLING_WIDTH)
    assert lengths.tolist() == [len(expected), 3]
    assert table[0].tolist() == expected + [0] * (SPELLING_WIDTH - len(expected))


def test_the_edges_of_a_sentence_are_spelled_as_no_word_is() -> None:
    table, lengths = with_spelled_edges(*Lexicon([], ["a"]).spell(["a"]))
    spelled = [table[row, : lengths[row]].tolist() for row in range(3)]
    assert spelled == [[START, 4, STOP], [START, START, STOP], [START, STOP, STOP]]


@pytest.mark.parametrize(
    ("given", "known"),
    [('"', "``"), ("''", "``"), ("{", "-LCB-"), ("1/2", r"1\/2"), ("-RSB-", "]"), ("]", "]"), ("``", "``")],
)
def test_a_text_may_write_quotes_and_brackets_otherwise_than_a_treebank(given: str, known: str) -> None:
    lexicon = Lexicon(["``", "-LCB-", r"1\/2", "]"], list("`-LCB1/2]\\"))
    assert lexicon.word_id(given) == lexicon.word_id(known) != UNKNOWN
    spelled, other = lexicon.spell([given, known])[0]
    assert spelled.tolist() == other.tolist()


def test_a_word_of_its_own_is_no_other_spelling() -> None:
    lexicon = Lexicon(["``", "''", '"'], list("`'\""))
    assert [lexicon.word_id(word) for word in ("``", "''", '"')] == [4, 5, 6]
