"""Which predicted word is which gold word."""

from __future__ import annotations

import pytest

from conllu_samples import small_sentence
from spanlin.dependencies import parse_conllu
from spanlin.errors import EvaluationError
from spanlin.evaluation.ud_alignment import align
from spanlin.evaluation.ud_text import UDText, ud_text


def text_of(tokens: str, name: str = "gold") -> UDText:
    """Return a text of one sentence; `don't=do+n't` is a multi-word token."""
    lines = []
    count = 0
    for token in tokens.split():
        form, _, parts = token.partition("=")
        words = parts.split("+") if parts else [form]
        if parts:
            lines.append(f"{count + 1}-{count + len(words)}\t{form}" + "\t_" * 8)
        for word in words:
            count += 1
            lines.append(f"{count}\t{word}\t_\t_\t_\t_\t{0 if count == 1 else 1}\tdep\t_\t_")
    return ud_text(parse_conllu("\n".join([*lines, "", ""])), name)


def pairs(gold: str, predicted: str) -> list[tuple[str, str]]:
    one, two = text_of(gold), text_of(predicted, "predicted")
    found = align(one, two)
    assert found.gold_of == {predicted_word: gold_word for gold_word, predicted_word in found.pairs}
    assert found.pairs == sorted(found.pairs)
    return [(one.words[gold_word].form, two.words[predicted_word].form) for gold_word, predicted_word in found.pairs]


def test_tokens_are_the_same_if_they_cover_the_same_characters() -> None:
    assert pairs("ab c de", "a b c d e") == [("c", "c")]
    assert pairs("a b c", "a b c") == [("a", "a"), ("b", "b"), ("c", "c")]
    assert pairs("abc", "a b c") == []


def test_words_of_multi_word_tokens_are_aligned_by_their_forms() -> None:
    assert pairs("I don't=do+not go", "I don't=Do+n't go") == [("I", "I"), ("do", "Do"), ("go", "go")]
    assert pairs("I don't=do+n't go", "I do n't go") == [("I", "I"), ("do", "do"), ("n't", "n't"), ("go", "go")]
    assert pairs("aba=a+b+a c", "ab=b+a a c") == [("b", "b"), ("a", "a"), ("c", "c")]


def test_overlapping_multi_word_tokens_are_one_stretch() -> None:
    assert pairs("ab=a+b cd=c+d e", "a bc=b+c d e") == [("a", "a"), ("b", "b"), ("c", "c"), ("d", "d"), ("e", "e")]


def test_a_word_that_leads_into_a_multi_word_token_is_not_of_its_stretch() -> None:
    assert pairs("a bc=b+c", "ab c") == [("c", "c")]


@pytest.mark.parametrize(
    ("gold", "predicted", "said"),
    [
        ("abc d", "abc e", "'d' in sentence 1 of gold and 'e' in sentence 1 of predicted"),
        ("abc d", "abc", "'d' in sentence 1 of gold and '' in sentence 1 of predicted"),
        ("a" * 30, "b" * 30, f"'{'a' * 20}' in sentence 1 of gold and '{'b' * 20}' in"),
    ],
)
def test_other_text_is_an_error_that_shows_where_it_begins(gold: str, predicted: str, said: str) -> None:
    with pytest.raises(EvaluationError) as caught:
        pairs(gold, predicted)
    assert str(caught.value).startswith(f"the texts differ: {said}")
    assert str(caught.value).endswith("; score predictions for the same text")


def test_the_sentence_of_a_difference_is_counted_in_each_file() -> None:
    gold = small_sentence((0, "root"), (1, "obj"))
    one = ud_text(parse_conllu(gold + gold), "gold")
    two = ud_text(parse_conllu(small_sentence((0, "root"), (1, "x"), (1, "x"), (1, "x"), forms="abaX")), "predicted")
    with pytest.raises(EvaluationError, match="'b' in sentence 2 of gold and 'X' in sentence 1 of predicted"):
        align(one, two)
