"""When a predicted word is right."""

from __future__ import annotations

import pytest

from conllu_samples import small_sentence
from spanlin.dependencies import parse_conllu
from spanlin.evaluation.ud_alignment import align
from spanlin.evaluation.ud_pairs import PairTests
from spanlin.evaluation.ud_text import ud_text

GOLD = small_sentence((2, "det"), (3, "nsubj"), (0, "root"), (3, "obj:x"), (3, "punct"))
TESTS = [
    *("upos", "xpos", "features", "all_tags", "lemma", "head", "head_and_relation", "head_and_full_relation"),
    *("morphology", "head_relation_and_lemma"),
]


def wrong_words(predicted: str, gold: str = GOLD) -> dict[str, str]:
    """Return for each test that some words fail, the forms of these."""
    found = align(ud_text(parse_conllu(gold), "gold"), ud_text(parse_conllu(predicted), "predicted"))
    tests = PairTests(found)
    pairs = [(found.gold.words[one], found.predicted.words[two]) for one, two in found.pairs]
    wrong = {name: "".join(one.form for one, two in pairs if not getattr(tests, name)(one, two)) for name in TESTS}
    return {name: forms for name, forms in wrong.items() if forms}


def changed(old: str, new: str) -> str:
    assert GOLD.count(old) == 1
    return GOLD.replace(old, new)


@pytest.mark.parametrize(
    ("old", "new", "wrong"),
    [
        ("d\td\tNOUN", "d\td\tVERB", {"upos": "d", "all_tags": "d", "morphology": "d"}),
        ("NN\t_\t0", "XX\t_\t0", {"xpos": "c", "all_tags": "c"}),
        ("NN\t_\t0", "NN\tNumber=Sing\t0", {"features": "c", "all_tags": "c", "morphology": "c"}),
        ("NN\t_\t0", "NN\tTypo=Yes\t0", {}),
        ("d\td", "d\tX", {"lemma": "d", "head_relation_and_lemma": "d"}),
        ("3\tobj:x", "3\tobj:y", {"head_and_full_relation": "d"}),
        (
            "3\tobj:x",
            "2\tobj:x",
            dict.fromkeys(
                [*TESTS[5:8], "morphology", "head_relation_and_lemma"],
                "d",
            ),
        ),
        # A function word that is wrong makes its head wrong too, but only for MLAS.
        (
            "2\tdet",
            "2\tcase",
            {
                **dict.fromkeys(["head_and_relation", "head_and_full_relation", "head_relation_and_lemma"], "a"),
                "morphology": "ab",
            },
        ),
    ],
)
def test_one_change_is_wrong_for_the_scores_that_are_about_it(old: str, new: str, wrong: dict[str, str]) -> None:
    assert wrong_words(changed(old, new)) == wrong


def test_where_there_is_no_gold_lemma_any_will_do() -> None:
    assert wrong_words(GOLD, GOLD.replace("d\td", "d\t_")) == {}
    assert "lemma" in wrong_words(GOLD.replace("d\td", "d\t_"))


def test_a_head_that_is_not_in_both_files_is_wrong() -> None:
    gold = small_sentence((2, "x"), (0, "root"), forms=["a", "bc"])
    predicted = small_sentence((2, "x"), (0, "root"), (2, "x"), forms="abc")
    assert wrong_words(predicted, gold)["head"] == "a"
