"""What is counted for the scores of dependencies."""

from __future__ import annotations

from conllu_samples import small_sentence
from spanlin.dependencies import parse_conllu
from spanlin.evaluation.counts import Counts
from spanlin.evaluation.ud_alignment import Alignment, align
from spanlin.evaluation.ud_counts import PairCounter, UDCounts, count_stretches
from spanlin.evaluation.ud_text import Stretch, UDWord, ud_text

GOLD = small_sentence((2, "det"), (0, "root"), (2, "obj:x"), (2, "punct"), forms=["a", "b", "cd", "."])
PREDICTED = small_sentence((2, "obj"), (0, "root"), (2, "obj"), (2, "obj"), (2, "x"), forms=["a", "b", "c", "d", "."])


def aligned(gold: str, predicted: str) -> Alignment:
    return align(ud_text(parse_conllu(gold), "gold"), ud_text(parse_conllu(predicted), "predicted"))


def always(gold: UDWord, predicted: UDWord) -> bool:
    return True


def same_relation(gold: UDWord, predicted: UDWord) -> bool:
    return gold.relation == predicted.relation


def test_ratios_are_percentages_or_none() -> None:
    counts = UDCounts(gold=4, predicted=5, correct=2, aligned=3)
    assert (counts.precision, counts.recall, counts.f1) == (40.0, 50.0, 100 * (4 / 9))
    assert counts.aligned_accuracy == 100 * (2 / 3)
    nothing = UDCounts(0, 0, 0)
    assert {nothing.precision, nothing.recall, nothing.f1, nothing.aligned_accuracy} == {None}


def test_stretches_count_if_both_ends_are_the_same() -> None:
    gold = [Stretch(0, 2), Stretch(2, 3), Stretch(3, 5)]
    assert count_stretches(gold, [Stretch(0, 2), Stretch(2, 5)]) == (3, 2, 1, None)


def test_a_filter_asks_the_gold_word_of_a_pair() -> None:
    counter = PairCounter(aligned(GOLD, PREDICTED))
    assert counter.count(always) == (4, 5, 3, 3)
    assert counter.count(same_relation) == (4, 5, 1, 3)
    # obj: one in gold, which is not aligned; three in the prediction.
    assert counter.count(always, lambda word: word.relation == "obj") == (1, 3, 0, 0)
    assert counter.count(always, lambda word: word.relation == "det") == (1, 0, 1, 1)


def test_punctuation_is_what_is_so_in_gold_where_that_is_known() -> None:
    gold = GOLD.replace(".\t.\tNOUN", ".\t.\tPUNCT")
    predicted = PREDICTED.replace("a\ta\tNOUN", "a\ta\tPUNCT").replace("c\tc\tNOUN", "c\tc\tPUNCT")
    assert gold != GOLD
    counter = PairCounter(aligned(gold, predicted))
    # Of the five predicted words, the full stop goes by its gold word and c by its own tag; a stays by its gold word.
    assert counter.count_without_punctuation(always) == (3, 3, 2, 2)


def test_relations_come_with_the_most_frequent_gold_one_first() -> None:
    found = PairCounter(aligned(GOLD, PREDICTED)).by_relation(always)
    assert found == {
        "obj": Counts(1, 3, 0),
        "root": Counts(1, 1, 1),
        "det": Counts(1, 0, 1),
        "punct": Counts(1, 0, 1),
        "x": Counts(0, 1, 0),
    }
    assert list(found) == ["obj", "root", "det", "punct", "x"]


def test_a_predicted_word_belongs_to_the_gold_sentence_in_which_it_starts() -> None:
    gold = small_sentence((0, "root"), (1, "x"), forms=["a", "b"]) + small_sentence((0, "root"), forms=["cd"])
    predicted = small_sentence((0, "root"), (1, "x"), (1, "x"), forms=["a", "bc", "d"])
    assert PairCounter(aligned(gold, predicted)).by_sentence(always) == (Counts(2, 2, 1), Counts(1, 1, 0))
