from __future__ import annotations

import pytest

from conllu_samples import DOGS
from spanlin.dependencies import parse_conllu
from spanlin.dependencies.validation import sentence_problems


def test_a_good_sentence_has_no_problems() -> None:
    assert list(sentence_problems(parse_conllu(DOGS)[0])) == []


@pytest.mark.parametrize(
    ("old", "new", "problem"),
    [
        ("# sent_id = dogs-1\n", "", "no comment sent_id"),
        ("# text = Dogs don't bark.\n", "", "no comment text"),
        ("don't bark.", "do n't bark.", "the text is not that of its tokens, joined as SpaceAfter says"),
        ("\tdog\t", "\tdog \t", "a form or lemma with white space at its ends, or twice in a row"),
        ("NOUN", "NN", "a upos that is not one of the 17"),
        ("\t4\tadvmod", "\t6\tadvmod", "a word without a head in the sentence"),
        ("\t4\tadvmod", "\t_\tadvmod", "a word without a head in the sentence"),
        ("\t4\tadvmod", "\t3\tadvmod", "a cycle"),
        ("\t4\tadvmod", "\t0\troot", "not one root"),
        ("nsubj\t", "Subj\t", "a relation that is not lower-case letters, with at most one subtype"),
        ("\t4\tadvmod", "\t4\troot", "a head 0 without the relation root, or the other way round"),
        (
            "Mood=Ind|Tense=Pres",
            "Tense=Pres|Mood=Ind",
            "features that are not Name=Value, in order, with | between them",
        ),
        ("Number=Plur", "plural", "features that are not Name=Value, in order, with | between them"),
        ("don't\t_\t_", "don't\tdo\t_", "a multi-word token with more than a form, features and misc"),
    ],
)
def test_each_problem_is_found_alone(old: str, new: str, problem: str) -> None:
    assert DOGS.count(old) >= 1
    assert list(sentence_problems(parse_conllu(DOGS.replace(old, new, 1))[0])) == [problem]
