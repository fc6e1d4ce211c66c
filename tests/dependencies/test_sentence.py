from __future__ import annotations

import pytest

from conllu_samples import DOGS
from spanlin.dependencies import ConlluSentence, Dependencies, MultiWordToken, Word, parse_conllu
from spanlin.errors import DependencyError

(SENTENCE,) = parse_conllu(DOGS)


def test_comments_are_found_by_their_key() -> None:
    assert SENTENCE.sent_id == "dogs-1"
    assert SENTENCE.comment("newdoc id") == "dogs"
    assert SENTENCE.comment("a remark without a value") == ""
    assert SENTENCE.comment("translation") is None
    assert SENTENCE.text == SENTENCE.joined_text == "Dogs don't bark."


def test_the_words_of_a_multi_word_token_have_places_of_their_own_where_they_can() -> None:
    assert [SENTENCE.text[start:end] for start, end in SENTENCE.offsets] == ["Dogs", "do", "n't", "bark", "."]
    rows = (MultiWordToken(1, 2, "du", misc="SpaceAfter=No"), Word("de"), Word("le"), Word("vin"))
    assert ConlluSentence(rows).text == "duvin"
    assert ConlluSentence(rows).offsets == ((0, 2), (0, 2), (2, 5))


def test_a_text_with_other_space_than_the_words_say_still_has_them() -> None:
    sentence = ConlluSentence((Word("a b"), Word("c"), Word(" d")), ("# text = a b\u00a0 c d",))
    assert [sentence.text[start:end] for start, end in sentence.offsets] == ["a b", "c", " d"]


def test_a_text_without_the_words_is_an_error() -> None:
    sentence = ConlluSentence((Word("a"), Word("b")), ("# text = a c",))
    with pytest.raises(DependencyError, match=r"^the text has 'c' where the token 'b' should be$"):
        _ = sentence.offsets


def test_dependencies_can_be_replaced() -> None:
    assert SENTENCE.dependencies.heads == (4, 4, 4, 0, 4)
    new = Dependencies((2, 0, 2, 2, 2), ("a", "root", "c", "d", "e"))
    changed = SENTENCE.with_dependencies(new)
    assert changed.dependencies == new
    assert changed.comments == SENTENCE.comments
    assert changed.multi_word_tokens == SENTENCE.multi_word_tokens
    assert (changed.empty_nodes, changed.words[0].deps) == ((), "_")
    with pytest.raises(DependencyError, match=r"^dependencies of 1 words for a sentence of 5$"):
        SENTENCE.with_dependencies(Dependencies((0,), ("root",)))


def test_a_word_without_a_head_has_no_dependencies() -> None:
    with pytest.raises(DependencyError, match=r"^word 2, 'b', has no head$"):
        _ = ConlluSentence((Word("a", head=0), Word("b"))).dependencies
