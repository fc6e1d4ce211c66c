from __future__ import annotations

import pytest
from experiments.models.en.joined_words import groups_of_forms, hyphen_groups, join_words

from spanlin.dependencies.conllu import parse_conllu
from spanlin.dependencies.sentence import ConlluSentence


def sentence(*rows: str) -> ConlluSentence:
    lines = (row.split() for row in rows)
    text = "\n".join(
        "\t".join([n, form, "_", upos, xpos, "_", head, rel, "_", misc])
        for n, form, upos, xpos, head, rel, misc in lines
    )
    (found,) = parse_conllu(f"{text}\n\n")
    return found


KNOWN = sentence(
    "1 a DET DT 5 det _",
    "2 well ADV RB 4 advmod SpaceAfter=No",
    "3 - PUNCT HYPH 4 punct SpaceAfter=No",
    "4 known ADJ JJ 5 amod _",
    "5 man NOUN NN 0 root _",
)


def test_words_that_a_hyphen_joins_become_one() -> None:
    groups = hyphen_groups(KNOWN.words)
    assert groups == [range(1), range(1, 4), range(4, 5)]
    joined = join_words(KNOWN, groups)
    assert joined.forms == ("a", "well-known", "man")
    assert [(word.head, word.deprel) for word in joined.words] == [(3, "det"), (3, "amod"), (0, "root")]
    assert [word.upos for word in joined.words] == ["DET", "ADJ", "NOUN"]
    assert [word.xpos for word in joined.words] == ["DT", "_", "NN"]


def test_given_tags_are_those_of_the_joined_words() -> None:
    joined = join_words(KNOWN, hyphen_groups(KNOWN.words), ["DT", "JJ", "NN"])
    assert [word.xpos for word in joined.words] == ["DT", "JJ", "NN"]


def test_a_hyphen_with_spaces_joins_nothing() -> None:
    loose = sentence("1 a NOUN NN 0 root _", "2 - PUNCT HYPH 1 punct _", "3 b NOUN NN 1 conj _")
    assert hyphen_groups(loose.words) == [range(1), range(1, 2), range(2, 3)]


def test_the_head_of_parts_that_have_two_is_not_known() -> None:
    apart = sentence(
        "1 x NOUN NN 4 obj SpaceAfter=No",
        "2 - PUNCT HYPH 1 punct SpaceAfter=No",
        "3 y NOUN NN 4 nsubj _",
        "4 z VERB VB 0 root _",
    )
    joined = join_words(apart, hyphen_groups(apart.words))
    assert [(word.form, word.head) for word in joined.words] == [("x-y", None), ("z", 0)]


def test_groups_are_found_by_what_the_joined_words_are_made_of() -> None:
    assert groups_of_forms(["a", "b", "-", "c"], ["a", "b-c"]) == [range(1), range(1, 4)]
    with pytest.raises(ValueError, match="not made of the words"):
        groups_of_forms(["a", "b"], ["a", "c"])
