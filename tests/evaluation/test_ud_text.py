"""A CoNLL-U file as one text without white space."""

from __future__ import annotations

from pathlib import Path

import pytest

from conllu_samples import DOGS, small_sentence
from spanlin.dependencies import parse_conllu
from spanlin.errors import EvaluationError
from spanlin.evaluation.ud_text import Stretch, UDText, is_content_word, read_ud_text, ud_text

GOLD = small_sentence((2, "det"), (3, "nsubj"), (0, "root"), (3, "obj:x"), (3, "punct"))


def text_of(conllu: str) -> UDText:
    return ud_text(parse_conllu(conllu), "file")


def test_words_of_a_multi_word_token_have_its_place_and_empty_nodes_have_none() -> None:
    found = text_of(DOGS)
    assert found.characters == "Dogsdon'tbark."
    assert found.tokens == [(0, 4), (4, 9), (9, 13), (13, 14)]
    assert [word.place for word in found.words] == [(0, 4), (4, 9), (4, 9), (9, 13), (13, 14)]
    assert [word.in_multi_word_token for word in found.words] == [False, True, True, False, False]
    assert [word.form for word in found.words] == ["Dogs", "do", "n't", "bark", "."]
    assert found.sentences == [Stretch(0, 14)]


def test_heads_and_function_words_are_places_in_the_whole_file() -> None:
    found = text_of(GOLD + DOGS)
    assert [word.head for word in found.words] == [1, 2, None, 2, 2, 8, 8, 8, None, 8]
    assert found.words[1].function_words == [0]
    assert found.words[8].function_words == [6]  # aux, and not advmod
    assert found.sentences == [(0, 5), (5, 19)]


def test_only_universal_features_count_in_any_order_and_subtypes_are_apart() -> None:
    line = "1\ta\ta\tX\tX\tTypo=Yes|Number=Sing|Case=Nom|NumberX=1\t0\troot:x\t_\t_\n\n"
    (word,) = text_of(line).words
    assert word.features == "Case=Nom|Number=Sing"
    assert (word.relation, word.full_relation) == ("root", "root:x")


@pytest.mark.parametrize(("relation", "is_content"), [("obj:x", True), ("root", True), ("det", False), ("objx", False)])
def test_content_words_are_known_by_their_relation_without_subtype(relation: str, is_content: bool) -> None:
    _, word = text_of(small_sentence((0, "root"), (1, relation))).words
    assert is_content_word(word) is is_content


def test_spaces_of_any_kind_inside_a_token_do_not_count() -> None:
    assert text_of("1\t1 0\u00a00\u3000é\t_\t_\t_\t_\t0\troot\t_\t_\n\n").characters == "100é"


@pytest.mark.parametrize(
    ("old", "new", "problem"),
    [
        ("\t2\tdet", "\t0\tdet", "words 1 and 3 are both roots"),
        ("\t2\tdet", "\t1\tdet", "word 1 is its own ancestor"),
        ("\t2\tdet", "\t6\tdet", "a word has no head in the sentence"),
        ("\t2\tdet", "\t_\tdet", "a word has no head in the sentence"),
        ("1\ta\t", "1\t\u00a0\t", "a token is nothing but spaces"),
    ],
)
def test_what_is_not_a_tree_is_an_error_that_names_the_sentence(
    tmp_path: Path, old: str, new: str, problem: str
) -> None:
    assert old in GOLD
    wrong = GOLD.replace(old, new, 1)
    with pytest.raises(EvaluationError, match=f"^file: sentence 2 cannot be scored: {problem}$"):
        text_of(GOLD + wrong)
    path = tmp_path / "a.conllu"
    path.write_text(f"# sent_id = x-7\n{wrong}")
    with pytest.raises(EvaluationError, match=f"a\\.conllu: sentence 1, x-7, cannot be scored: {problem}$"):
        read_ud_text(path)
